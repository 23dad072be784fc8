// Invariants
// 1. A piece counts as a whole or not at all: one that is cut, that does not fit its hash or the room, leaves the upload
//    as it was. Without a hash what came before the cut counts.
// 2. What is received goes into the file at once; memory is bounded by what the caller hands over.
// 3. One that is let go without an end counts as nothing: the next piece cuts off what it wrote.

internal import Crypto
internal import HostFiles
internal import System
internal import SystemPackage

/// Bytes of an upload that are being received. Used by one thread at a time; to be ended by `finish` or `cut`.
public final class UploadPiece: @unchecked Sendable {
  private let gallery: Gallery
  private let expected: [UInt8]?
  /// The upload and the file of its bytes, which are let go at the end.
  private var files: (bytes: Descriptor, hold: UploadHold)?
  private var log: UploadLog
  private var sha256: SHAHasher? = .sha256()
  /// If that is what the browser says.
  private let sha1: SHAHasher?
  private var running: RunningHash?
  private var offset: Int64

  /// Begins a piece.
  ///
  /// - Parameters:
  ///   - offset: how far the browser thinks that the upload is.
  ///   - checksum: the SHA-256 or SHA-1 of the piece; nil if the browser says none.
  /// - Throws: `.notFound`; `.conflict` for another offset than that; `.busy` if a piece is being received; `.gone`.
  public init(of identifier: String, at offset: Int64, checksum: [UInt8]?, in gallery: Gallery) throws(GalleryError) {
    let (bytes, _, incoming) = try gallery.uploads.parts(ofUpload: identifier)
    switch checksum?.count {
    case nil, SHAHasher.sha256Count: sha1 = nil
    case SHAHasher.sha1Count:
      sha1 = SHAHasher.sha1()
      if sha1 == nil { throw GalleryError(.badRequest, "There is no SHA-1 here; use SHA-256.") }
    default:
      throw GalleryError(.badRequest, "A SHA-256 has \(SHAHasher.sha256Count) bytes, a SHA-1 \(SHAHasher.sha1Count).")
    }
    guard let hold = try UploadHold.taken(identifier, in: gallery) else {
      throw GalleryError(.notFound, "There is no such upload; it may have expired.")
    }
    guard case .underway(let log) = try hold.state() else {
      // It says what became of it.
      _ = try gallery.uploads.status(of: identifier)
      throw GalleryError(.conflict, "The upload is whole already.")
    }
    guard offset == log.received else {
      throw GalleryError(.conflict, "The upload is at \(log.received), not at \(offset).")
    }
    do throws(Errno) {
      let file = try gallery.calls.openToWrite(bytes, in: incoming)
      let status = try gallery.calls.status(of: file)
      // What a piece left that was cut.
      if status.size > offset { try gallery.calls.truncate(file, to: offset) }
      // It expires with its bytes, however long this piece takes.
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

  /// Takes the next bytes.
  ///
  /// - Throws: `.tooLarge` if there are more than the file has; `.full`. The piece is given up then.
  public func append(_ bytes: UnsafeRawBufferPointer) throws(GalleryError) {
    guard let file = files?.bytes else { preconditionFailure("a piece that ended takes nothing") }
    guard Int64(bytes.count) <= log.description.length - offset else {
      giveUp()
      throw GalleryError(.tooLarge, "More was sent than the \(log.description.length) bytes of the file.")
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

  /// The same for an array.
  public func append(_ bytes: [UInt8]) throws(GalleryError) {
    try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(GalleryError) in try unsafe append(bytes) }
  }

  /// Ends the piece, and with the last one the upload: the file is verified and gets its name.
  ///
  /// - Throws: `.wrongChecksum` if what was received has another hash; it is given up then.
  public func finish() throws(GalleryError) -> UploadStatus {
    let hash = takenHash()
    if let expected, expected != sha1?.finish() ?? hash {
      giveUp()
      throw GalleryError(.wrongChecksum, "What was received is not what was sent; send this piece again.")
    }
    return try keep(hash)
  }

  /// Ends a piece that was cut.
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
    guard let hold = files?.hold else { throw GalleryError(.conflict, "This piece has ended.") }
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

  /// Leaves the upload as it was before this piece.
  private func giveUp() {
    guard let (file, hold) = files else { return }
    let before = log.received
    if received > 0 {
      // If this fails, the next piece does it.
      try? gallery.calls.truncate(file, to: before)
      running = nil
    }
    offset = before
    files = nil
    gallery.uploadTable.put(running, of: hold.identifier)
  }
}
