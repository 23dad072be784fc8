import FaultyStorage
import Glibc
import Storage
import System
import SystemPackage
import TestSupport

/// Every storage that there is: all must keep the promises of the protocol alike.
enum StorageKind: CaseIterable {
  case directory
  case memory
  case draft

  /// Those that files stay in. A draft goes with its process: nothing in it is replaced, leased, held or wiped, and it
  /// has no parameters.
  static let lasting: [StorageKind] = [.directory, .memory]

  /// An empty storage of this kind.
  func make() throws -> any StorageSubject {
    switch self {
    case .directory: try DirectorySubject()
    case .memory: MemorySubject()
    case .draft: DraftSubject()
    }
  }
}

/// A storage, and what others do in the place where it keeps its files.
protocol StorageSubject: AnyObject {
  var storage: any Storage { get }
  /// The same place, opened by somebody else.
  func opened() throws -> any Storage
  /// Another program changes what a file holds.
  func overwrite(_ name: SegmentIdentifier, with content: [UInt8]) throws
  /// Another program puts another file in the place of one.
  func replace(_ name: SegmentIdentifier, by content: [UInt8]) throws
}

/// Files in memory.
final class MemorySubject: StorageSubject {
  let memory: FaultyStorage
  var storage: any Storage { memory }

  init() { memory = FaultyStorage { timeOfDay().seconds } }

  func opened() -> any Storage { memory }

  func overwrite(_ name: SegmentIdentifier, with content: [UInt8]) { memory.tamper(name) { _ in content } }

  func replace(_ name: SegmentIdentifier, by content: [UInt8]) { memory.replace(name, by: content) }
}

/// Where a space is made before it is written.
final class DraftSubject: StorageSubject {
  let storage: any Storage = DraftStorage()

  func opened() -> any Storage { storage }

  // Nobody else comes to it.
  func overwrite(_ name: SegmentIdentifier, with content: [UInt8]) throws { throw Errno.notSupported }
  func replace(_ name: SegmentIdentifier, by content: [UInt8]) throws { throw Errno.notSupported }
}

/// A directory of the host.
final class DirectorySubject: StorageSubject {
  private let folder: TemporaryFolder
  private let isMounted: Bool
  let storage: any Storage

  /// - Parameter room: bytes of a file system of its own, which only root can make; nil for a directory in /tmp.
  init(room: Int? = nil) throws {
    let folder = try TemporaryFolder()
    if let room {
      try systemCall { unsafe mount("tmpfs", folder.path, "tmpfs", 0, "size=\(room)") }
    }
    (self.folder, isMounted) = (folder, room != nil)
    storage = try DirectoryStorage.make(at: folder.path)
    try storage.replaceParameters(with: [1])
  }

  deinit { if isMounted { unsafe umount2(folder.path, CInt(MNT_DETACH)) } }

  func opened() throws -> any Storage { try DirectoryStorage(path: FilePath(folder.path)) }

  func overwrite(_ name: SegmentIdentifier, with content: [UInt8]) throws {
    try HostFile.write(content, to: folder.path("segments/" + name.path))
  }

  func replace(_ name: SegmentIdentifier, by content: [UInt8]) throws {
    let other = folder.path("segments/" + name.path + ".other")
    try HostFile.write(content, to: other)
    try systemCall { unsafe rename(other, folder.path("segments/" + name.path)) }
  }

  /// The same files, where nothing can be written; only for one that has a file system of its own.
  func sealed() throws -> any Storage {
    try systemCall { unsafe mount("tmpfs", folder.path, "tmpfs", CUnsignedLong(MS_REMOUNT | MS_RDONLY), nil) }
    return try opened()
  }
}

/// Whether a file has another access or modification time than everything in a vault has.
func isConspicuous(_ path: String) -> Bool {
  let status = HostFile.status(path)
  return [status.st_atim, status.st_mtim].contains { $0.tv_sec != DirectoryStorage.completeTime || $0.tv_nsec != 0 }
}
