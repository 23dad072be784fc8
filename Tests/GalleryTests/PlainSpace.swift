import Client
import Crypto
import Glibc
import HostFiles
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing

@testable import Gallery

/// A plain folder in the place of a mounted space: all but the catalog.
final class PlainSpace {
  let folder: TemporaryFolder
  var root: String { folder.path("space") }
  /// What fails before which call; none without.
  private let faults: Faults

  private final class Faults: Sendable {
    let fault: Mutex<(@Sendable (FileCall) -> Errno?)?> = Mutex(nil)
    let alters: Mutex<Bool> = Mutex(false)
  }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["space", "space/.agonyfs", "space/.agonyfs/incoming"] { try folder.makeDirectory(name) }
    faults = Faults()
  }

  /// Lets calls fail from now on.
  func fail(_ fault: (@Sendable (FileCall) -> Errno?)?) { faults.fault.withLock { $0 = fault } }

  /// Whether the storage gives something else than what was written.
  func falsify(_ isWrong: Bool) { faults.alters.withLock { $0 = isWrong } }

  /// A server on it.
  func gallery() throws -> Gallery {
    let faults = faults
    let before: FileCalls.Hook = { (call) throws(Errno) in
      if let error = faults.fault.withLock({ $0?(call) }) { throw error }
    }
    let digester: FileCalls.Digester = { (file) throws(Errno) in
      var status = stat()
      try systemCall { unsafe fstat(file.number, &status) }
      var hasher = ContentHasher()
      var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
      let count = try systemCall { unsafe pread(file.number, &bytes, bytes.count, 0) }
      if faults.alters.withLock({ $0 }), count > 0 { bytes[0] ^= 1 }
      unsafe bytes.withUnsafeBytes { unsafe hasher.update($0) }
      return FileDigest(size: Int64(status.st_size), hash: hasher.finish())
    }
    let calls = FileCalls(before: before, digester: digester)
    return Gallery(root: try SpaceRoot(at: Array(root.utf8)), calls)
  }

  func path(_ name: String) -> String { root + "/" + name }

  func write(_ bytes: [UInt8], to name: String) throws { try HostFile.write(bytes, to: path(name)) }

  func read(_ name: String) throws -> [UInt8] { try HostFile.read(path(name)) }

  /// Names in a directory, sorted.
  func names(_ name: String) throws -> [String] {
    try Directory.names(in: path(name)).map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  /// A snapshot of some paths, with what they lead to by now.
  func snapshot(_ paths: [String], in album: String = "") -> Snapshot {
    var packed = PackedPaths()
    for path in paths {
      var status = stat()
      _ = unsafe lstat(self.path(path), &status)
      _ = packed.append(Array(path.utf8)[...], inode: UInt64(status.st_ino))
    }
    packed.finish()
    return Snapshot(
      packed, [UInt8](repeating: 0, count: 8 * paths.count), [], [], pending: 0,
      in: SpacePath(trusted: Array(album.utf8)))
  }
}

/// The kind of reason that a call ends with; nil if it ends well.
func kind(_ body: () throws -> Void) -> GalleryError.Kind? {
  do {
    try body()
    return nil
  } catch let error as GalleryError {
    return error.kind
  } catch {
    return .failed
  }
}
