// Invariants
// 1. A piece counts as a whole or not at all: one that is interrupted, that has the wrong hash, or for which there is
//    no room leaves the upload as it was. Without an expected hash, the bytes received before an interruption count.
// 2. Received bytes are written to the file at once; memory is bounded by the caller's buffers.
// 3. A piece that is released without an end does not count: the next piece cuts off its bytes.

internal import Crypto
internal import HostFiles
internal import System
internal import SystemPackage

/// A piece of an upload that is being received. Only one thread may use it at a time; end it with `finish` or `cut`.
public final class UploadPiece: @unchecked Sendable {
  private let gallery: Gallery
  private let expected: [UInt8]?
  /// The file of the received bytes and the lock on the upload, which are released at the end.
  private var files: (bytes: Descriptor, hold: UploadHold)?
  private var log: UploadLog
  private var sha256: SHAHasher? = .sha256()
  /// Used if the browser sends a SHA-1.
  private let sha1: SHAHasher?
  private var running: RunningHash?
  private var offset: Int64

  /// Begins a piece.
  ///
  /// - Parameters:
  ///   - offset: The browser's offset of the piece.
  ///   - checksum: The SHA-256 or SHA-1 of the piece; nil if the browser sends none.
  /// - Throws: `.notFound`; `.conflict` for a wrong offset; `.busy` if a piece is being received; `.gone`.
  public init(of identifier: String, at offset: Int64, checksum: [UInt8]?, in gallery: Gallery) throws(GalleryError) {
    let (bytes, _, incoming) = try gallery.uploads.parts(ofUpload: identifier)
    switch checksum?.count {
    case nil, SHAHasher.sha256Count: sha1 = nil
    case SHAHasher.sha1Count:
      sha1 = SHAHasher.sha1()
      if sha1 == nil { throw GalleryError(.badRequest, "This server does not support SHA-1; use SHA-256.") }
    default:
      throw GalleryError(
        .badRequest, "A SHA-256 hash has \(SHAHasher.sha256Count) bytes, and a SHA-1 hash \(SHAHasher.sha1Count).")
    }
    guard let hold = try UploadHold.taken(identifier, in: gallery) else {
      throw GalleryError(.notFound, "This upload does not exist; it may have expired.")
    }
    guard case .underway(let log) = try hold.state() else {
      // Throws if the file is gone.
      _ = try gallery.uploads.status(of: identifier)
      throw GalleryError(.conflict, "The upload is already complete.")
    }
    guard offset == log.received else {
      throw GalleryError(.conflict, "The next piece of the upload begins at byte \(log.received), not at \(offset).")
    }
    do throws(Errno) {
      let file = try gallery.calls.openToWrite(bytes, in: incoming)
      let status = try gallery.calls.status(of: file)
      // Removes the bytes of an interrupted piece.
      if status.size > offset { try gallery.calls.truncate(file, to: offset) }
      // The log must not expire before the bytes, however long this piece takes.
      try gallery.calls.touch(hold.log)
      files = (file, hold)
      running = gallery.uploadTable.take(identifier)
      if running?.size != offset || running?.file != status.inode { running = nil }
    } catch {
      throw GalleryError(error, "The upload")
    }
    (self.gallery, self.log, self.offset, expected) = (gallery, log, offset, checksum)
  }

  private var received: Int64 { offset - log.received }

  /// Appends bytes to the piece.
  ///
  /// - Throws: `.tooLarge` if they exceed the length of the file; `.full`. The piece is dropped then.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(GalleryError) {
    guard let file = files?.bytes else { preconditionFailure("a piece that ended takes nothing") }
    guard Int64(bytes.count) <= log.description.length - offset else {
      giveUp()
      throw GalleryError(.tooLarge, "More bytes were sent than the \(log.description.length) bytes of the file.")
    }
    do throws(Errno) {
      try unsafe gallery.calls.write(bytes, to: file, at: offset)
    } catch {
      giveUp()
      throw GalleryError(error, "The upload")
    }
    unsafe sha256?.update(bytes)
    unsafe sha1?.update(bytes)
    unsafe running?.update(bytes)
    offset += Int64(bytes.count)
  }

  /// Appends an array to the piece.
  public func append(_ bytes: [UInt8]) throws(GalleryError) {
    try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(GalleryError) in try unsafe append(bytes) }
  }

  /// Ends the piece. The last one ends the upload as well: the file is verified and gets its name.
  ///
  /// - Throws: `.wrongChecksum` if the received bytes have another hash; the piece is dropped then.
  public func finish() throws(GalleryError) -> UploadStatus {
    let hash = takenHash()
    if let expected, expected != sha1?.finish() ?? hash {
      giveUp()
      throw GalleryError(.wrongChecksum, "The received piece does not match its checksum; send it again.")
    }
    return try keep(hash)
  }

  /// Ends an interrupted piece.
  @discardableResult
  public func cut() throws(GalleryError) -> UploadStatus {
    if let hold = files?.hold, expected != nil || received == 0 {
      giveUp()
      return UploadStatus(hold.identifier, log)
    }
    return try keep(takenHash())
  }

  private func takenHash() -> [UInt8] { sha256.take()?.finish() ?? [] }

  private func keep(_ hash: [UInt8]) throws(GalleryError) -> UploadStatus {
    guard let hold = files?.hold else { throw GalleryError(.conflict, "This piece has already ended.") }
    do throws(Errno) {
      if received > 0 { try log.add(UploadLog.Piece(length: received, hash: hash), to: hold.log, gallery.calls) }
    } catch {
      giveUp()
      throw GalleryError(error, "The upload")
    }
    defer { files = nil }
    if offset == log.description.length { return try UploadFinisher(gallery: gallery, hold: hold).finish(log, running) }
    gallery.uploadTable.put(running, of: hold.identifier)
    return UploadStatus(hold.identifier, log)
  }

  /// Restores the upload to its state before this piece.
  private func giveUp() {
    guard let (file, hold) = files else { return }
    let before = log.received
    if received > 0 {
      // If this fails, the next piece cuts the file.
      try? gallery.calls.truncate(file, to: before)
      running = nil
    }
    offset = before
    files = nil
    gallery.uploadTable.put(running, of: hold.identifier)
  }
}
