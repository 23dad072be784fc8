internal import HostFiles
internal import Synchronization
internal import System

/// What a process keeps of uploads between two pieces. Everything that counts is in their logs: a file whose hash is not
/// here is read once more at its end.
final class UploadTable: Sendable {
  /// Browsers send a few files at a time; more are those that nobody goes on with.
  private static let mostHashes = 256
  private let hashes: Mutex<[String: RunningHash]> = Mutex([:])
  private let directory: Mutex<Descriptor?> = Mutex(nil)
  /// Albums by the paths under which uploads named them.
  private let albums: Mutex<[SpacePath: Descriptor]> = Mutex([:])
  private static let mostAlbums = 64

  /// Takes the hash of all that this process wrote to an upload.
  func take(_ identifier: String) -> RunningHash? { hashes.withLock { $0.removeValue(forKey: identifier) } }

  /// Keeps it for the next piece, in the place of any other one if there are too many.
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

  /// Keeps an album open, so that it is found when it is renamed.
  func put(_ album: Descriptor, at path: SpacePath) {
    albums.withLock { albums in
      if albums[path] == nil, albums.count >= Self.mostAlbums { albums.remove(at: albums.startIndex) }
      albums[path] = album
    }
  }

  /// The album that had this path when an upload named it.
  func album(at path: SpacePath) -> Descriptor? { albums.withLock { $0[path] } }

  /// The open directory of what is not whole yet.
  func incoming<Failure: Error>(_ open: () throws(Failure) -> Descriptor) throws(Failure) -> Descriptor {
    if let known = directory.withLock({ $0 }) { return known }
    let opened = try open()
    directory.withLock { $0 = opened }
    return opened
  }
}
