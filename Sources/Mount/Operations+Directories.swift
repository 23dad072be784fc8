internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import System
internal import SystemPackage
internal import Vault

@c @implementation
func agonyfs_opendir(_ request: fuse_req_t, _ inode: fuse_ino_t, _ file: UnsafeMutablePointer<fuse_file_info>) {
  // The kernel takes this for "never needed": it asks no more, and keeps listings in its cache. Listings go on from
  // the cookie of an entry, so there is nothing to open.
  unsafe fuse_reply_err(request, ENOSYS)
}

@c @implementation
func agonyfs_readdir(
  _ request: fuse_req_t, _ inode: fuse_ino_t, _ size: Int, _ cookie: off_t,
  _ file: UnsafeMutablePointer<fuse_file_info>
) {
  unsafe fill(request, size) { volume, listing throws(Errno) in
    let add = { (name: borrowing FileName, inode: InodeNumber, kind: UInt8, cookie: UInt64) in
      // Of all that is in there the kernel takes these two.
      var status = stat()
      status.st_ino = UInt(inode.rawValue)
      status.st_mode = UInt32(kind) << 12
      return unsafe listing.add(name) { rest, count, name in
        unsafe fuse_add_direntry(request, rest, count, name, &status, off_t(cookie))
      }
    }
    try volume.list(InodeNumber(rawValue: inode), after: UInt64(cookie), add)
  }
}

@c @implementation
func agonyfs_readdirplus(
  _ request: fuse_req_t, _ inode: fuse_ino_t, _ size: Int, _ cookie: off_t,
  _ file: UnsafeMutablePointer<fuse_file_info>
) {
  unsafe fill(request, size) { volume, listing throws(Errno) in
    try volume.listWithAttributes(InodeNumber(rawValue: inode), after: UInt64(cookie)) { name, entry, cookie in
      unsafe listing.add(name) { rest, count, name in
        unsafe fuse_add_direntry_plus(request, rest, count, name, &entry, off_t(cookie))
      }
    }
  }
}

/// Answers with the listing that `body` makes. An error can be answered only in place of a listing, so one that comes
/// after the first entry waits for the next request.
@inline(__always)
private func fill(
  _ request: fuse_req_t, _ size: Int, _ body: (Volume, inout Listing) throws(Errno) -> Void
) {
  unsafe serve(request) { volume throws(Errno) in
    try unsafe volume.buffers.with(min(size, SessionLimits.maximumRead)) { room throws(Errno) in
      var listing = unsafe Listing(room: room)
      do throws(Errno) {
        try body(volume, &listing)
      } catch {
        guard listing.used > 0 else { throw error }
      }
      unsafe fuse_reply_buf(request, room.baseAddress, listing.used)
    }
  }
}

/// The answer to a request for a listing, as far as it is written.
@safe private struct Listing {
  private let room: UnsafeMutableRawBufferPointer
  /// Bytes written.
  private(set) var used = 0
  /// The current name, ended by a NUL.
  private var text = [CChar](repeating: 0, count: FileName.maximumLength + 1)

  init(room: UnsafeMutableRawBufferPointer) {
    unsafe self.room = room
  }

  /// Adds an entry. `write` is given the rest of the room and the name, and returns how many bytes the entry takes; when
  /// those are more than there are, it wrote nothing. False when the answer is full.
  @inline(__always)
  mutating func add(
    _ name: borrowing FileName,
    _ write: (UnsafeMutablePointer<CChar>?, Int, UnsafePointer<CChar>) -> Int
  ) -> Bool {
    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[used...])
    let count = unsafe text.withUnsafeMutableBytes { text in
      unsafe name.withUnsafeBytes { bytes in
        unsafe text.copyMemory(from: bytes)
        unsafe text[bytes.count] = 0
      }
      guard let name = unsafe text.assumingMemoryBound(to: CChar.self).baseAddress else { return Int.max }
      return unsafe write(rest.assumingMemoryBound(to: CChar.self).baseAddress, rest.count, name)
    }
    guard count <= rest.count else { return false }
    used += count
    return true
  }
}
