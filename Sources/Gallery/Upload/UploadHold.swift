// Invariants
// 1. Only the holder writes to the upload, among all processes: the log is locked.
// 2. A log has its first line, and is locked by its creator, before it has its name. Only the holder removes it.

internal import Client
internal import HostFiles
internal import System
internal import SystemPackage

/// The exclusive lock on an upload, for as long as this exists.
struct UploadHold: Sendable {
  let gallery: Gallery
  let identifier: String
  let log: Descriptor

  /// The error for an upload whose log is invalid.
  static let unreadable = GalleryError(
    .conflict, "The record of this upload cannot be read; delete the upload, and send the file again.")
  private static let busy = GalleryError(.busy, "Another piece of this upload is being received; try again.")

  /// Locks an upload; nil if it does not exist.
  ///
  /// - Throws: `.busy` if it is locked already.
  static func taken(_ identifier: String, in gallery: Gallery) throws(GalleryError) -> UploadHold? {
    let (_, log, incoming) = try gallery.uploads.parts(ofUpload: identifier)
    do throws(Errno) {
      let file = try gallery.calls.openToWrite(log, in: incoming)
      guard try gallery.calls.holdAgainstImports(file) else { throw .resourceBusy }
      // The log may have been removed between opening and locking.
      let (held, named) = (try gallery.calls.status(of: file), try gallery.calls.status(of: log, in: incoming))
      guard held.inode == named.inode else { throw .resourceBusy }
      return UploadHold(gallery: gallery, identifier: identifier, log: file)
    } catch .noSuchFileOrDirectory {
      return nil
    } catch .resourceBusy {
      throw busy
    } catch {
      throw GalleryError(error, "The upload")
    }
  }

  /// Creates an upload and locks it.
  ///
  /// - Throws: `.busy` if another process created it.
  static func made(
    _ identifier: String, of description: UploadDescription, in gallery: Gallery
  ) throws(GalleryError) -> UploadHold {
    let (bytes, log, incoming) = try gallery.uploads.parts(ofUpload: identifier)
    let random = (0..<8).map { _ in UInt8.random(in: .min ... .max) }
    let unnamed = bytes + Array(".".utf8) + Hexadecimal.digits(of: random)
    do throws(Errno) {
      let file = try gallery.calls.create(unnamed, in: incoming)
      do throws(Errno) {
        guard try gallery.calls.holdAgainstImports(file) else { throw .resourceBusy }
        try gallery.calls.append(UploadLog.start(description), to: file)
        try gallery.calls.rename(unnamed, in: incoming, to: log, in: incoming)
      } catch {
        try? gallery.calls.unlink(unnamed, in: incoming)
        throw error
      }
      return UploadHold(gallery: gallery, identifier: identifier, log: file)
    } catch {
      throw error == .fileExists ? busy : GalleryError(error, "The upload")
    }
  }

  /// The state of the upload.
  ///
  /// - Throws: `.conflict` if its log cannot be read.
  func state() throws(GalleryError) -> UploadState { try gallery.uploads.state(identifier, log) }

  /// Removes the log and the received bytes; a file that was named stays.
  func remove() throws(GalleryError) {
    let (bytes, log, incoming) = try gallery.uploads.parts(ofUpload: identifier)
    try GalleryError.of("The upload") {
      _ = gallery.uploadTable.take(identifier)
      try VerifiedPlacement(gallery.calls, incoming: incoming).remove(bytes)
      try gallery.calls.unlink(log, in: incoming)
    }
  }
}

/// The state of an upload, from its log and the files that exist.
enum UploadState {
  /// Not all bytes were received.
  case underway(UploadLog)
  /// The file has a durable name, and is unchanged since it was verified.
  case whole(UploadLog, SpacePath)
  /// Neither the received bytes nor the named file exists.
  case lost(UploadLog)
}

extension Uploads {
  func state(_ identifier: String, _ file: Descriptor) throws(GalleryError) -> UploadState {
    let (bytes, _, incoming) = try parts(ofUpload: identifier)
    return try GalleryError.of("The upload") {
      guard let log = try UploadLog(file, gallery.calls) else { throw UploadHold.unreadable }
      if let received = try gallery.calls.statusIfTaken(bytes, in: incoming) {
        return .underway(log.within(received.size))
      }
      guard let placed = log.placed, let path = path(of: placed, log.description), let album = try album(of: path),
        let status = try gallery.calls.statusIfTaken(path.name, in: album), log.isPlaced(status)
      else { return .lost(log) }
      // The process that named the file may have been killed before the name was durable.
      try gallery.calls.flush(album)
      return .whole(log, path)
    }
  }

  private func path(of placed: UploadLog.Placed, _ description: UploadDescription) -> SpacePath? {
    if placed.isThere { return try? SpacePath(placed.name) }
    return try? album(of: description).appending(placed.name)
  }

  /// The open album of a file; nil if it does not exist any more.
  private func album(of path: SpacePath) throws(Errno) -> Descriptor? {
    do throws(Errno) {
      return try gallery.root.directory(path.parent.bytes)
    } catch .noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels {
      return nil
    }
  }
}
