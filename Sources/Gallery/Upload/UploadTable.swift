internal import HostFiles
internal import Synchronization
internal import System

/// A cache of the server for the time between two pieces of an upload. The logs are authoritative: a file whose hash is
/// not cached is read once more at its end.
final class UploadTable: Sendable {
  /// Browsers send only a few files at a time; most further hashes belong to abandoned uploads.
  private static let mostHashes = 256
  private let hashes: Mutex<[String: RunningHash]> = Mutex([:])
  private let directory: Mutex<Descriptor?> = Mutex(nil)
  /// Open albums by the paths that uploads named.
  private let albums: Mutex<[SpacePath: Descriptor]> = Mutex([:])
  private static let mostAlbums = 64

  /// Removes and returns the hash of all bytes that this process wrote to an upload.
  func take(_ identifier: String) -> RunningHash? { hashes.withLock { $0.removeValue(forKey: identifier) } }

  /// Keeps the hash for the next piece, and drops another one if there are too many.
  func put(_ running: RunningHash?, of identifier: String) {
    hashes.withLock { hashes in
      hashes[identifier] = nil
      guard let running else { return }
      if hashes.count >= Self.mostHashes { hashes.remove(at: hashes.startIndex) }
      hashes[identifier] = running
    }
  }

  func close() {
    directory.withLock { $0 = nil }
    albums.withLock { $0 = [:] }
  }

  /// Keeps an album open, so that it is found after it is renamed.
  func put(_ album: Descriptor, at path: SpacePath) {
    albums.withLock { albums in
      if albums[path] == nil, albums.count >= Self.mostAlbums { albums.remove(at: albums.startIndex) }
      albums[path] = album
    }
  }

  /// The album that had this path when an upload named it.
  func album(at path: SpacePath) -> Descriptor? { albums.withLock { $0[path] } }

  /// The directory of partial files, which is opened once.
  func incoming<Failure: Error>(_ open: () throws(Failure) -> Descriptor) throws(Failure) -> Descriptor {
    if let known = directory.withLock({ $0 }) { return known }
    let opened = try open()
    directory.withLock { $0 = opened }
    return opened
  }
}
