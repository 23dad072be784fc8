// Programs that keep folders of several machines the same replace files, rename them, cut them short or write into them. The file that is being
// written is the only one that this can hurt unseen: a complete file is authenticated when it is read.
//
// Invariants
// 1. What `flush` returned for was in the file that the name led to at that time.
// 2. Nothing is written into a file that others have changed since the last write, as far as its size and its links tell.

internal import Glibc
package import SystemPackage

/// Where a file that is being written is found, and what it was when it was opened.
final class SegmentPlace: Sendable {
  /// Bytes at the start of a file that no other file has: a segment begins with its salt.
  private static let startSize = 32

  private let root: Descriptor
  private let path: String
  /// The path with a zero at the end, as system calls want it.
  private let pathBytes: [CChar]
  private let device: dev_t
  private let inode: ino_t

  /// Of a file that was just opened.
  init(of file: Descriptor, in root: Descriptor, path: String) throws(Errno) {
    var found = stat()
    try systemCall { unsafe fstat(file.number, &found) }
    (self.root, self.path, device, inode) = (root, path, found.st_dev, found.st_ino)
    pathBytes = Array(path.utf8CString)
  }

  /// Before a write: whether the file has a name, and a size that our own writes gave it.
  ///
  /// - Throws: `.changedByOthers`.
  func checkHeld(_ file: Descriptor, sizes: ClosedRange<Int>) throws(Errno) {
    var found = stat()
    try systemCall { unsafe fstat(file.number, &found) }
    guard found.st_nlink > 0, sizes.contains(Int(found.st_size)) else { throw .changedByOthers }
  }

  /// After a flush: whether the name leads to the file that was flushed, and that has a size that our own writes gave it.
  ///
  /// - Parameters:
  ///   - least: what was written before the flush; 0 when nothing was.
  ///   - most: gives what may have been written meanwhile.
  /// - Throws: `.changedByOthers`.
  func checkName(_ file: Descriptor, least: Int, most: () -> Int) throws(Errno) {
    var found = stat()
    do throws(Errno) {
      try systemCall { unsafe fstatat(root.number, pathBytes, &found, AT_SYMLINK_NOFOLLOW) }
    } catch .noSuchFileOrDirectory {
      throw .changedByOthers
    } catch {
      throw error
    }
    let size = Int(found.st_size)
    guard least == 0 || (size >= least && size <= most()) else { throw .changedByOthers }
    if found.st_ino == inode, found.st_dev == device { return }
    // Some network file systems number a file anew. Another file of the same size is told by what it begins with.
    var held = stat()
    try systemCall { unsafe fstat(file.number, &held) }
    let named = try Descriptor.open(path, in: root, O_RDONLY | O_NOFOLLOW)
    guard held.st_nlink > 0, try Self.start(of: named) == Self.start(of: file) else { throw .changedByOthers }
  }

  private static func start(of file: Descriptor) throws(Errno) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: startSize)
    let count = try systemCall { unsafe pread(file.number, &bytes, bytes.count, 0) }
    return Array(bytes[..<count])
  }
}

extension Errno {
  /// A file that is being written was replaced, deleted or changed by another program (ESTALE).
  package static var changedByOthers: Errno { Errno(rawValue: Glibc.ESTALE) }
}
