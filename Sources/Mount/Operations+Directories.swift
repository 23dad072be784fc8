internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import System
internal import SystemPackage
internal import Vault

extension fuse_lowlevel_ops {
  /// Lists directories.
  mutating func setDirectories() {
    // The kernel never asks again and caches listings. Listings continue from the cookie of an entry, so there is
    // nothing to open.
    unsafe opendir = { request, _, _ in unsafe fuse_reply_err(request, ENOSYS) }
    unsafe readdir = { request, inode, size, cookie, _ in
      unsafe fill(request, size) { volume, listing throws(Errno) in
        let add = { (name: borrowing FileName, inode: InodeNumber, kind: UInt8, cookie: UInt64) in
          // The kernel uses only these two fields.
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
    unsafe readdirplus = { request, inode, size, cookie, _ in
      unsafe fill(request, size) { volume, listing throws(Errno) in
        try volume.listWithAttributes(InodeNumber(rawValue: inode), after: UInt64(cookie)) { name, entry, cookie in
          unsafe listing.add(name) { rest, count, name in
            unsafe fuse_add_direntry_plus(request, rest, count, name, &entry, off_t(cookie))
          }
        }
      }
    }
  }
}

/// Answers with the listing that `body` makes. Only an empty listing can be replaced by an error, so an error after the
/// first entry comes with the next request.
@inline(__always)
private func fill(
  _ request: fuse_req_t?, _ size: Int, _ body: (Volume, inout Listing) throws(Errno) -> Void
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

/// The listing written so far.
@safe private struct Listing {
  private let room: UnsafeMutableRawBufferPointer
  /// Bytes written.
  private(set) var used = 0
  /// The current name with its NUL.
  private var text = [CChar](repeating: 0, count: FileName.maximumLength + 1)

  init(room: UnsafeMutableRawBufferPointer) {
    unsafe self.room = room
  }

  /// Adds an entry. `write` gets the remaining room and the name and returns the size of the entry; it writes nothing
  /// if that is too large. False if the listing is full.
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
