// Programs that synchronise folders between machines replace, rename, truncate or modify files. Only the file that is
// being written can be damaged unnoticed: a complete file is authenticated when it is read.
//
// Invariants
// 1. When `flush` returns, the flushed data is in the file to which the name leads.
// 2. Nothing is written into a file whose size or links others have changed since the last write.

internal import Glibc
internal import System
package import SystemPackage

/// The name of a file that is being written, and its identity when it was opened.
final class SegmentPlace: Sendable {
  /// Bytes at the start of a file that are unique to it: a segment begins with its salt.
  private static let startSize = 32

  private let storage: DirectoryStorage
  private let path: String
  private let device: dev_t
  private let inode: ino_t

  /// The place of a file that was just opened.
  init(of file: Descriptor, in storage: DirectoryStorage, path: String) throws(Errno) {
    let found = try file.status()
    (self.storage, self.path, device, inode) = (storage, path, found.st_dev, found.st_ino)
  }

  /// Before a write: checks that the file has a name and a size that our own writes gave it.
  ///
  /// - Throws: `.changedByOthers`.
  func checkHeld(_ file: Descriptor, sizes: ClosedRange<Int>) throws(Errno) {
    let found = try file.status()
    guard found.st_nlink > 0, sizes.contains(Int(found.st_size)) else { throw .changedByOthers }
  }

  /// After a flush: checks that the name leads to the flushed file, and that our own writes gave it its size.
  ///
  /// - Parameters:
  ///   - least: where the writes before the flush ended; 0 if there were none.
  /// - most: the end of the writes that have started since.
  /// - Throws: `.changedByOthers`.
  func checkName(_ file: Descriptor, least: Int, most: () -> Int) throws(Errno) {
    let named = try ifThere { () throws(Errno) in try storage.root.status(of: path) }
    guard let found = named else { throw .changedByOthers }
    let size = Int(found.st_size)
    guard least == 0 || (size >= least && size <= most()) else { throw .changedByOthers }
    if found.st_ino == inode, found.st_dev == device { return }
    // Some network file systems give a file a new inode number. Its first bytes distinguish it from another file of the
    // same size.
    let held = try file.status()
    let other = SegmentFile(try VaultFile.open(path, in: storage.root, O_RDONLY))
    let start = try SegmentFile(file).bytes(at: 0, count: Self.startSize)
    guard held.st_nlink > 0, try other.bytes(at: 0, count: Self.startSize) == start else { throw .changedByOthers }
  }
}

extension Errno {
  /// A file that is being written was replaced, deleted or changed by another program (ESTALE).
  package static var changedByOthers: Errno { Errno(rawValue: Glibc.ESTALE) }
}
