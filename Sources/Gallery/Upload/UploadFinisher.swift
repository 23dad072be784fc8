// The end of an upload: the received bytes are verified, the file gets its name, and the browser is told that it is
// stored.
//
// Invariants
// 1. The bytes are durable and compared before the file has its name: the mount syncs them before it reads them back
//    for the hash. The name is durable before it is reported: one sync of the space covers the bytes, the times, the
//    line in the log and the name, and either all of them are durable or none.
// 2. If the vault has no room for the bytes, the hash fails, and the file gets no name. The room that the sync
//    afterwards needs is reserved for commits. If it fails all the same, the name stays, and is not reported until a
//    later sync succeeds.

internal import Client
internal import Crypto
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// Verifies a received file and names it.
struct UploadFinisher {
  /// The same permissions as `agonyfs import` gives a camera's photo, where no others are known either.
  private static let permissions: UInt32 = 0o644

  let gallery: Gallery
  let hold: UploadHold

  /// Makes the file durable, compares the stored bytes with the sent ones, and names the file, unless the album has a
  /// file of this name and content already.
  ///
  /// - Parameter running: The hash of all written bytes; nil if another process wrote a part of them.
  /// - Throws: `.failed` if the stored bytes differ; the received bytes are removed then.
  func finish(_ log: UploadLog, _ running: RunningHash?) throws(GalleryError) -> UploadStatus {
    let calls = gallery.calls
    let (bytes, _, incoming) = try gallery.uploads.parts(ofUpload: hold.identifier)
    return try GalleryError.of("The upload") {
      let file = try calls.openToWrite(bytes, in: incoming)
      let description = log.description
      let inode = try calls.status(of: file).inode
      let isKnown = running?.size == description.length && running?.file == inode
      let sent: FileDigest? = if isKnown { running?.finish() } else { try digest(of: file, if: log.pieces) }
      let placement = VerifiedPlacement(calls, incoming: incoming)
      guard let sent, sent.size == description.length,
        let verified = try verify(IncomingFile(bytes, file, digest: sent), by: placement)
      else {
        try? hold.remove()
        throw GalleryError(.failed, "The stored file differs from the file that was sent; send it again.")
      }
      let time = description.modified.map { milliseconds in
        let seconds = (milliseconds >= 0 ? milliseconds : milliseconds - 999) / 1000
        return FileTime(seconds: seconds, nanoseconds: (milliseconds - seconds * 1000) * 1_000_000)
      }
      _ = try calls.set(permissions: Self.permissions, accessed: time, modified: time, of: file)
      var log = log
      let received = Received(
        verified: verified, placement: placement, file: file, status: try calls.status(of: file), digest: sent)
      let path = try place(received, &log)
      return UploadStatus(hold.identifier, log, at: path)
    }
  }

  /// The verified file; nil if the stored bytes differ from the sent ones.
  private func verify(_ file: IncomingFile, by placement: VerifiedPlacement) throws(Errno) -> VerifiedFile? {
    do throws(VerificationFailure) {
      return try placement.verify(file)
    } catch {
      switch error {
      case .differs: return nil
      case .system(let number): throw number
      }
    }
  }

  private func place(_ received: Received, _ log: inout UploadLog) throws -> SpacePath {
    let calls = gallery.calls
    let path = gallery.uploads.album(of: log.description)
    if let there = try copy(of: received, near: path, &log) { return there }
    let album = try gallery.openAlbum(path, makes: true)
    var there: SpacePath?
    let name = try gallery.placing(log.description.name) { free throws(Errno) in
      // A taken name cannot be the one that a server gave to this file right before it was killed.
      if try calls.statusIfTaken(free, in: album) == nil {
        let placed = UploadLog.Placed(name: free, inode: received.status.inode, modified: received.status.modified)
        try log.willPlace(placed, in: hold.log, calls)
        // The name may be taken by now, perhaps by a second upload of the same file.
        if try received.placement.place(received.verified, as: free, in: album) { return }
      }
      guard let taken = try? path.appending(free), try isThere(received, as: taken, in: album, &log) else {
        throw Errno.fileExists
      }
      there = taken
    }
    if let there { return there }
    // If this fails, the name stays, because another browser that sent the same file may have been told that it is
    // stored. This browser is told only when the name is durable.
    try calls.flush(album)
    return try path.appending(name)
  }

  /// The hash of a file if each of its pieces has the hash of the sent one; nil otherwise.
  private func digest(of file: Descriptor, if pieces: [UploadLog.Piece]) throws(Errno) -> FileDigest? {
    let calls = gallery.calls
    let whole = RunningHash(of: 0)
    var offset: Int64 = 0
    calls.forgetCache(of: file)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: calls.step, alignment: FileCalls.alignment)
    defer { unsafe block.deallocate() }
    for piece in pieces {
      let hasher = SHAHasher.sha256()
      let end = offset + piece.length
      while offset < end {
        let part = unsafe UnsafeMutableRawBufferPointer(rebasing: block[..<Int(min(Int64(calls.step), end - offset))])
        guard try unsafe calls.read(file, at: offset, into: part) == part.count else { return nil }
        unsafe hasher.update(UnsafeRawBufferPointer(part))
        unsafe whole.update(UnsafeRawBufferPointer(part))
        offset += Int64(part.count)
      }
      guard hasher.finish() == piece.hash else { return nil }
    }
    return whole.finish()
  }
}
