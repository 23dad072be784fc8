// Invariants
// 1. Only listed files are deleted. A file that was moved to the trash later stays, even under a listed name.
// 2. The contents of a directory are deleted before the directory.

internal import Client
internal import Glibc
internal import HostFiles
internal import Synchronization
internal import System
internal import SystemPackage

/// The contents of the trash when the page asked for its size, and how much of that is still to be deleted.
public final class TrashListing: Sendable {
  /// Its identifier for browsers: 32 random hexadecimal digits.
  public let name: String
  /// The number of files in the trash, each counted once.
  public let files: Int
  /// The number of those with a name elsewhere in the space, which stay there.
  public let shared: Int
  /// The total size in bytes of the others.
  public let bytes: Int64
  /// The number of names, of files and directories.
  public var count: Int { paths.count }
  private let paths: PackedPaths
  private let left: Mutex<Int>

  init(_ paths: PackedPaths, files: Int, shared: Int, bytes: Int64) {
    name = Hexadecimal.text(of: (0..<16).map { _ in UInt8.random(in: .min ... .max) })
    (self.paths, self.files, self.shared, self.bytes) = (paths, files, shared, bytes)
    left = Mutex(paths.count)
  }

  /// Calls `body` for the next names, the last first. A name for which it fails is not tried again.
  ///
  /// - Returns: The number of names left.
  func each(_ most: Int, _ body: (SpacePath, _ inode: UInt64) throws -> Void) throws -> Int {
    try left.withLock { left in
      let end = max(0, left - most)
      while left > end {
        left -= 1
        try body(SpacePath(trusted: paths[left]), paths.inode(left))
      }
      return left
    }
  }
}

extension Gallery {
  /// Lists everything in the trash of the server's user.
  public func trashListing() throws(GalleryError) -> TrashListing {
    let trash = try preparedTrash()
    return try GalleryError.of("The trash") {
      let top = SpacePath(trusted: trash.files)
      var paths = PackedPaths()
      // `others` is the number of names that a file has elsewhere.
      var files: [UInt64: (size: Int64, others: Int)] = [:]
      var waiting = [top]
      while let folder = waiting.popLast() {
        guard let directory = try opened(folder, isTop: folder == top) else { continue }
        for name in try Directory.names(in: ".", of: directory) {
          guard let path = try? folder.appending(name) else { continue }
          var status = stat()
          let text = name.map { CChar(bitPattern: $0) } + [0]
          guard unsafe fstatat(directory.number, text, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
          let inode = UInt64(status.st_ino)
          guard paths.append(path.bytes[...], inode: inode) else {
            throw GalleryError(.tooLarge, "The trash contains too many files to list; empty it with a file manager.")
          }
          if status.st_mode & S_IFMT == S_IFDIR {
            waiting.append(path)
          } else {
            files[inode, default: (Int64(status.st_size), Int(status.st_nlink))].others -= 1
          }
        }
      }
      paths.finish()
      let shared = files.values.count { $0.others > 0 }
      let bytes = files.values.reduce(Int64(0)) { $1.others > 0 ? $0 : $0 + $1.size }
      return TrashListing(paths, files: files.count, shared: shared, bytes: bytes)
    }
  }

  /// Opens a directory in the trash; nil if it was removed, or if the server's user may not read it. The trash itself
  /// must exist.
  private func opened(_ folder: SpacePath, isTop: Bool) throws(Errno) -> Descriptor? {
    do throws(Errno) {
      return try root.directory(folder.bytes)
    } catch {
      if isTop { throw error }
      return nil
    }
  }

  /// Permanently deletes the next files of a listing.
  ///
  /// - Returns: The number of names left, and why files were not deleted.
  public func delete(
    _ most: Int = 500, of listing: TrashListing
  ) throws(GalleryError) -> (left: Int, failures: [GalleryError]) {
    let trash = try preparedTrash()
    return try GalleryError.of("The trash") {
      var failures: [GalleryError] = []
      let left = try listing.each(most) { path, inode in
        do throws(Errno) {
          try delete(path, inode, in: trash)
        } catch .noSuchFileOrDirectory {
          // It was restored, or another process deleted it.
        } catch .directoryNotEmpty {
          // A file in it was not deleted.
        } catch {
          let failure = GalleryError(error, "A file in the trash")
          if [.readOnly, .unavailable].contains(failure.kind) { throw failure }
          failures.append(failure)
        }
      }
      return (left, failures)
    }
  }

  private func delete(_ path: SpacePath, _ inode: UInt64, in trash: TrashFolder) throws(Errno) {
    let (directory, name) = try root.place(of: path.bytes)
    let status = try calls.status(of: name, in: directory)
    guard status.inode == inode else { return }
    if status.kind == .directory {
      let text = name.map { CChar(bitPattern: $0) } + [0]
      try systemCall { unsafe unlinkat(directory.number, text, AT_REMOVEDIR) }
    } else {
      try calls.unlink(name, in: directory)
    }
    try? trash.forget(path.bytes)
  }
}
