// The end of an upload: what was received is verified, gets its name, and is told to be stored.
//
// Invariants
// 1. The bytes are durable and compared before the file has its name: the mount syncs them itself before it reads them
//    back for the hash. The name is durable before anybody is told of it: one sync of the space, which has the bytes, the
//    times, the line in the log and the name, or none of them.
// 2. Where the vault has no room for the bytes, the hash fails, and the file gets no name. What the sync after it needs is
//    kept free for commits; if it fails all the same, the name stays, and nobody is told until a later sync has it.

internal import Client
internal import Crypto
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// Verifies a file that was received, and gives it its name.
struct UploadFinisher {
  /// What `agonyfs import` gives a photo of a camera, which says nothing else either.
  private static let permissions: UInt32 = 0o644

  let gallery: Gallery
  let hold: UploadHold

  /// Makes the file durable, compares what is stored with what was sent, and names it, unless the album has a file of this
  /// name and content already.
  ///
  /// - Parameter running: the hash of all that was written; nil if another process wrote a part.
  /// - Throws: `.failed` if the storage has something else; then what was received is deleted.
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
        throw GalleryError(.failed, "What the vault stored is not what was sent; send the file again.")
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

  /// The file as one that may get a name; nil if what is stored is not what was sent.
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
      // What is taken is no name that a server could have given right before it was killed.
      if try calls.statusIfTaken(free, in: album) == nil {
        let placed = UploadLog.Placed(name: free, inode: received.status.inode, modified: received.status.modified)
        try log.willPlace(placed, in: hold.log, calls)
        // The same file may have been sent twice, and the other one was faster.
        if try received.placement.place(received.verified, as: free, in: album) { return }
      }
      guard let taken = try? path.appending(free), try isThere(received, as: taken, in: album, &log) else {
        throw Errno.fileExists
      }
      there = taken
    }
    if let there { return there }
    // If this fails, the name stays, since whoever sent the same file may have been told that it is there. This one is told
    // nothing until the name is durable.
    try calls.flush(album)
    return try path.appending(name)
  }

  /// The hash of a file, if each of its pieces is what was sent; nil if one is not.
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
