// Inodes without a name to which rows of the index point: data derived from the contents of files. Also inodes that
// stay in memory while a thread works on them without the lock.
//
// Invariants
// 1. The link count of an inode without a name is the number of rows that point to it.

internal import Index
package import SystemPackage
package import Vault

extension LockedFileSystem {
  /// Creates an inode without a name that holds `bytes`. The caller stores the one row that points to it.
  package func makeNameless(holding bytes: [UInt8]) throws(Errno) -> InodeNumber {
    let record = InodeRecord(
      number: index.nextInodeNumber(), mode: FileKind.regular | 0o400, links: 1, owner: 0, group: 0, time: .now())
    try result(of: index.insert(record))
    let inode = Inode(record)
    inodes.insert(inode)
    unsafe bytes.withUnsafeBytes { unsafe data.put($0, at: 0, in: inode) }
    inode.record.size = Int64(bytes.count)
    markChanged(inode)
    return inode.number
  }

  /// Notes that one more row points to an inode without a name.
  package func addLink(to inode: Inode) {
    inode.record.addLink()
    markChanged(inode)
  }

  /// Notes that one row fewer points to each of some inodes without a name, and deletes those to which none points any
  /// more.
  package func dropLinks(of inodes: [InodeNumber]) { reaper.dropLinks(of: inodes) }

  /// The inode, if it is in memory.
  package func known(_ number: InodeNumber) -> Inode? { inodes[number] }

  /// Keeps an inode in memory, as if it were open.
  package func hold(_ inode: Inode) { inode.opens += 1 }

  /// Ends one `hold(_:)`. An inode without a name is then deleted.
  package func letGo(_ inode: Inode) {
    inode.opens -= 1
    if inode.record.links == 0, inode.opens == 0 { reaper.delete(inode) }
  }
}
