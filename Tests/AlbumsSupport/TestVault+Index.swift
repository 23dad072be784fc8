package import Index
package import Vault

extension TestVault {
  /// Changes the index behind the file system's back.
  package func changeIndex(_ change: (Index) throws(IndexError) -> Void) throws {
    let space = try vault.openSpace(body, copyWindow: 0)
    let index = try Index(space: space)
    try change(index)
    try index.commit(to: space)
    try space.close()
  }
}

extension Index {
  /// The extent with a file's first byte.
  package func firstExtent(of inode: InodeNumber) throws(IndexError) -> ExtentRecord {
    let found = try extents.rows(of: inode, overlapping: .zero..<FileOffset(1), limit: 1)
    guard let extent = found.first else { throw .damaged }
    return extent
  }
}
