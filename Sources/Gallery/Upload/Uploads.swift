// Receiving files: each lies in `.agonyfs/incoming` until it is whole, durable and verified, and gets its name then.
//
// Invariants
// 1. A name that others see comes last, and replaces nothing. What it leads to is what was sent: the hash of what was
//    written and of what the storage has are the same, or that of every piece as it was sent is that of what is stored.
// 2. Whatever fails, what was received before and acknowledged stays, to go on from; only what is found to be wrong goes.
// 3. "Verified" is said of a file only while it is where it was put, and is the file that was received; or where it was
//    found, and is the file that was read back and has the same content.

internal import Client
internal import Crypto
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// How far an upload is.
public struct UploadStatus: Equatable, Sendable {
  /// What it is called by browsers.
  public var identifier: String
  /// Bytes that were received.
  public var offset: Int64
  /// Bytes in all.
  public var length: Int64
  /// Where the file is, whole and verified; nil as long as it is not.
  public var path: SpacePath?
  /// Whether a file with this content was there already, so that what was sent was not stored again.
  public var wasThere = false
  /// SHA-256 of the SHA-256 hashes of all pieces so far, if each but the last has 8 MiB.
  public var checksum: [UInt8]?
}

/// The uploads of a gallery.
public struct Uploads: Sendable {
  let gallery: Gallery

  /// Bytes of a piece by which a browser finds out whether it has the same file as before.
  public static let pieceBytes: Int64 = 8 << 20
  /// Seconds after the last piece in which an upload can go on.
  public static let uploadSeconds: Int64 = 7 * 24 * 3600
  /// Uploads of the same file at a time.
  private static let mostAlike = 20

  /// The directory of what is not whole yet.
  func incoming() throws(GalleryError) -> Descriptor {
    try gallery.uploadTable.incoming { () throws(GalleryError) in
      do throws(Errno) {
        return try gallery.root.directory(Array(".agonyfs/incoming".utf8))
      } catch .noSuchFileOrDirectory {
        throw try gallery.isReadOnly()
          ? GalleryError(.readOnly, "The space is open for reading only.")
          : GalleryError(.forbidden, "The space takes no files from this server; another user has it mounted.")
      } catch {
        throw GalleryError(error, "The space")
      }
    }
  }

  /// The names of the bytes and the log of an upload, and the directory that they are in.
  func parts(ofUpload identifier: String) throws(GalleryError) -> (bytes: [UInt8], log: [UInt8], incoming: Descriptor) {
    let digits = identifier.utf8
    guard (1...64).contains(digits.count),
      digits.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) })
    else { throw GalleryError(.notFound, "There is no such upload.") }
    let start = Array(".partial-web-".utf8) + digits
    return (start, start + Array(".log".utf8), try incoming())
  }

  /// Begins an upload.
  ///
  /// - Parameter resumes: whether the one of the same file that was cut is gone on with, and one that is whole is found
  ///   again. Who asks for it compares `checksum` with what it has, and ends the upload if that is another file.
  /// - Throws: `.full` if there is no room for it.
  public func begin(_ description: UploadDescription, resumes: Bool = true) throws(GalleryError) -> UploadStatus {
    keepAlbum(of: description)
    let base = resumes ? description.identifier : Hexadecimal.text(of: (0..<16).map { _ in UInt8.random(in: 0...255) })
    for number in 1...Self.mostAlike {
      let identifier = base + (number == 1 ? "" : "x\(number)")
      do throws(GalleryError) {
        if let status = try begin(identifier, description) { return status }
      } catch {
        // Otherwise somebody else has it, or nobody can read it.
        guard error.kind == .busy || error == UploadHold.unreadable else { throw error }
      }
    }
    throw GalleryError(.busy, "This file is being sent already.")
  }

  /// Begins an upload of this name or goes on with it; nil if nobody could say whether it is the same file.
  private func begin(_ identifier: String, _ description: UploadDescription) throws(GalleryError) -> UploadStatus? {
    if let hold = try UploadHold.taken(identifier, in: gallery) {
      switch try hold.state() {
      case .underway(let log):
        guard log.received == 0 || Self.checksum(log.pieces) != nil else { return nil }
        if log.received < log.description.length { return UploadStatus(identifier, log) }
        // Only the end may have failed.
        return try UploadFinisher(gallery: gallery, hold: hold).finish(log, nil)
      case .whole(let log, let path):
        return Self.checksum(log.pieces) == nil ? nil : UploadStatus(identifier, log, at: path)
      case .lost(let log):
        try checkRoom(description)
        return try start(hold, log)
      }
    }
    // What was received of one that goes on has its room already.
    try checkRoom(description)
    let hold = try UploadHold.made(identifier, of: description, in: gallery)
    do throws(GalleryError) {
      return try start(hold, UploadLog(description))
    } catch {
      if (try? status(of: identifier)) == nil { try? hold.remove() }
      throw error
    }
  }

  /// Makes room for the bytes of an upload of which nothing is there.
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

  /// Creates the file of received bytes, in the place of one that was left without a log.
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

  /// How far an upload is.
  ///
  /// - Throws: `.notFound` if there is none; `.gone` if the file that it became is not there any more, or was changed;
  ///   `.conflict` if nobody can read how far it is.
  public func status(of identifier: String) throws(GalleryError) -> UploadStatus {
    let (_, log, incoming) = try parts(ofUpload: identifier)
    return try GalleryError.of("The upload") {
      switch try state(identifier, try gallery.calls.openFile(log, in: incoming)) {
      case .underway(let log): return UploadStatus(identifier, log)
      case .whole(let log, let path): return UploadStatus(identifier, log, at: path)
      case .lost(let log):
        if log.placed == nil { throw Errno.noSuchFileOrDirectory }
        throw GalleryError(.gone, "The file was received, but is not where it was put any more, or was changed since.")
      }
    }
  }

  static func checksum(_ pieces: [UploadLog.Piece]) -> [UInt8]? {
    guard pieces.dropLast().allSatisfy({ $0.length == pieceBytes }),
      pieces.last.map({ $0.length <= pieceBytes }) ?? true
    else { return nil }
    return SHAHasher.sha256(of: pieces.flatMap(\.hash))
  }

  /// Ends an upload, and deletes what was received. A file that is whole stays.
  public func end(_ identifier: String) throws(GalleryError) {
    guard let hold = try UploadHold.taken(identifier, in: gallery) else {
      throw GalleryError(.notFound, "There is no such upload; it may have expired.")
    }
    try hold.remove()
  }
}

extension UploadStatus {
  /// How far the upload of a log is; with `path`, whole.
  init(_ identifier: String, _ log: UploadLog, at path: SpacePath? = nil) {
    self.init(
      identifier: identifier, offset: path == nil ? log.received : log.description.length,
      length: log.description.length, path: path, wasThere: path != nil && log.placed?.isThere == true,
      checksum: Uploads.checksum(log.pieces))
  }
}
