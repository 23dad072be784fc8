// Receiving files: each lies in `.agonyfs/incoming` until it is complete, durable and verified, and then gets its name.
//
// Invariants
// 1. A file gets its visible name last, and the name replaces nothing. The file is what was sent: either the hash of
//    the written bytes equals that of the stored ones, or every stored piece has the hash of the sent one.
// 2. Whatever fails, acknowledged bytes stay, so that the upload can be resumed; only bytes that prove wrong are
//    removed.
// 3. A file is reported as verified only while it is at its path and is the file that was received; or, if the space
//    had the content already, the file that was read back and compared.

internal import Client
internal import Crypto
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// The state of an upload.
public struct UploadStatus: Equatable, Sendable {
  /// Its identifier for browsers.
  public var identifier: String
  /// The number of received bytes.
  public var offset: Int64
  /// The number of all bytes.
  public var length: Int64
  /// The path of the complete and verified file; nil before.
  public var path: SpacePath?
  /// Whether the space had this content already, so that the file was not stored again.
  public var wasThere = false
  /// The SHA-256 of the SHA-256 hashes of all pieces so far, if each but the last has 8 MiB; nil otherwise.
  public var checksum: [UInt8]?
}

/// The uploads of a gallery.
public struct Uploads: Sendable {
  let gallery: Gallery

  /// The bytes of a piece. A browser compares hashes of such pieces to find out whether it has the same file as before.
  public static let pieceBytes: Int64 = 8 << 20
  /// How long an upload can be resumed after its last piece, in seconds.
  public static let uploadSeconds: Int64 = 7 * 24 * 3600
  /// The most simultaneous uploads of the same file.
  private static let mostAlike = 20

  /// The directory of partial files.
  func incoming() throws(GalleryError) -> Descriptor {
    try gallery.uploadTable.incoming { () throws(GalleryError) in
      do throws(Errno) {
        return try gallery.root.directory(Array(".agonyfs/incoming".utf8))
      } catch .noSuchFileOrDirectory {
        throw try gallery.isReadOnly()
          ? GalleryError(.readOnly, "The space is read-only.")
          : GalleryError(.forbidden, "This server cannot put files into the space, because another user mounted it.")
      } catch {
        throw GalleryError(error, "The space")
      }
    }
  }

  /// The names of the bytes and of the log of an upload, and their directory.
  func parts(ofUpload identifier: String) throws(GalleryError) -> (bytes: [UInt8], log: [UInt8], incoming: Descriptor) {
    let digits = identifier.utf8
    guard (1...64).contains(digits.count),
      digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
    else { throw GalleryError(.notFound, "This upload does not exist.") }
    let start = Array(".partial-web-".utf8) + digits
    return (start, start + Array(".log".utf8), try incoming())
  }

  /// Begins an upload.
  ///
  /// - Parameter resumes: Whether to continue an interrupted upload of the same file, or to find a finished one. The
  ///   caller must then compare `checksum` with its file, and end the upload if it is another file.
  /// - Throws: `.full` if the vault has too little room for it.
  public func begin(_ description: UploadDescription, resumes: Bool = true) throws(GalleryError) -> UploadStatus {
    keepAlbum(of: description)
    let base = resumes ? description.identifier : Hexadecimal.text(of: (0..<16).map { _ in UInt8.random(in: 0...255) })
    for number in 1...Self.mostAlike {
      let identifier = base + (number == 1 ? "" : "x\(number)")
      do throws(GalleryError) {
        if let status = try begin(identifier, description) { return status }
      } catch {
        // The upload is locked or unreadable, so the next identifier is tried.
        guard error.kind == .busy || error == UploadHold.unreadable else { throw error }
      }
    }
    throw GalleryError(.busy, "This file is already being sent.")
  }

  /// Begins or resumes the upload with this identifier; nil if it is not known whether it is the same file.
  private func begin(_ identifier: String, _ description: UploadDescription) throws(GalleryError) -> UploadStatus? {
    if let hold = try UploadHold.taken(identifier, in: gallery) {
      switch try hold.state() {
      case .underway(let log):
        guard log.received == 0 || Self.checksum(log.pieces) != nil else { return nil }
        if log.received < log.description.length { return UploadStatus(identifier, log) }
        // All bytes were received, so only the end can have failed.
        return try UploadFinisher(gallery: gallery, hold: hold).finish(log, nil)
      case .whole(let log, let path):
        return Self.checksum(log.pieces) == nil ? nil : UploadStatus(identifier, log, at: path)
      case .lost(let log):
        try checkRoom(description)
        return try start(hold, log)
      }
    }
    // An upload that is resumed has room for its received bytes already.
    try checkRoom(description)
    let hold = try UploadHold.made(identifier, of: description, in: gallery)
    do throws(GalleryError) {
      return try start(hold, UploadLog(description))
    } catch {
      if (try? status(of: identifier)) == nil { try? hold.remove() }
      throw error
    }
  }

  /// Creates the file for the bytes of an upload that has none yet.
  private func start(_ hold: UploadHold, _ log: UploadLog) throws(GalleryError) -> UploadStatus {
    var log = log
    let (bytes, _, incoming) = try parts(ofUpload: hold.identifier)
    let running = try GalleryError.of("The upload") {
      try log.restart(in: hold.log, gallery.calls)
      let file = try created(bytes, in: incoming)
      return RunningHash(of: try gallery.calls.status(of: file).inode)
    }
    if log.description.length == 0 { return try UploadFinisher(gallery: gallery, hold: hold).finish(log, running) }
    gallery.uploadTable.put(running, of: hold.identifier)
    return UploadStatus(hold.identifier, log)
  }

  /// Creates the file for received bytes, and replaces one that was left without a log.
  private func created(_ bytes: [UInt8], in incoming: Descriptor) throws(Errno) -> Descriptor {
    do throws(Errno) {
      return try gallery.calls.create(bytes, in: incoming)
    } catch .fileExists {
      try VerifiedPlacement(gallery.calls, incoming: incoming).remove(bytes)
      return try gallery.calls.create(bytes, in: incoming)
    }
  }

  private func checkRoom(_ description: UploadDescription) throws(GalleryError) {
    try GalleryError.of("The space") {
      guard try gallery.root.descriptor.freeBytes() >= description.length else { throw Errno.noSpace }
    }
  }

  /// The state of an upload.
  ///
  /// - Throws: `.notFound` if it does not exist; `.gone` if the finished file was moved, deleted or changed;
  ///   `.conflict` if its log cannot be read.
  public func status(of identifier: String) throws(GalleryError) -> UploadStatus {
    let (_, log, incoming) = try parts(ofUpload: identifier)
    return try GalleryError.of("The upload") {
      switch try state(identifier, try gallery.calls.openFile(log, in: incoming)) {
      case .underway(let log): return UploadStatus(identifier, log)
      case .whole(let log, let path): return UploadStatus(identifier, log, at: path)
      case .lost(let log):
        if log.placed == nil { throw Errno.noSuchFileOrDirectory }
        throw GalleryError(.gone, "The file was received, but has been moved, deleted or changed since.")
      }
    }
  }

  static func checksum(_ pieces: [UploadLog.Piece]) -> [UInt8]? {
    guard pieces.dropLast().allSatisfy({ $0.length == pieceBytes }),
      pieces.last.map({ $0.length <= pieceBytes }) ?? true
    else { return nil }
    return SHAHasher.sha256(of: pieces.flatMap(\.hash))
  }

  /// Ends an upload, and removes the received bytes. A finished file stays.
  public func end(_ identifier: String) throws(GalleryError) {
    guard let hold = try UploadHold.taken(identifier, in: gallery) else {
      throw GalleryError(.notFound, "This upload does not exist; it may have expired.")
    }
    try hold.remove()
  }
}

extension UploadStatus {
  /// The state for a log; finished if `path` is given.
  init(_ identifier: String, _ log: UploadLog, at path: SpacePath? = nil) {
    self.init(
      identifier: identifier, offset: path == nil ? log.received : log.description.length,
      length: log.description.length, path: path, wasThere: path != nil && log.placed?.isThere == true,
      checksum: Uploads.checksum(log.pieces))
  }
}
