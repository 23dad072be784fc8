internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import System
internal import SystemPackage
internal import Vault

extension fuse_lowlevel_ops {
  mutating func addDirectoryCallbacks() {
    // After ENOSYS the kernel never asks again, and caches listings. A listing continues from the cookie of an entry,
    // so opening needs no state.
    unsafe opendir = { request, _, _ in unsafe fuse_reply_err(request, ENOSYS) }
    unsafe readdirplus = { request, inode, size, cookie, _ in
      unsafe fill(request, size) { volume, listing throws(Errno) in
        try volume.list(InodeNumber(rawValue: inode), after: UInt64(cookie)) { name, entry, cookie in
          unsafe listing.add(request, name, &entry, cookie)
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

@safe private struct Listing {
  private let room: UnsafeMutableRawBufferPointer
  /// Bytes written.
  private(set) var used = 0
  /// The current name with its NUL.
  private var text = [CChar](repeating: 0, count: FileName.maximumLength + 1)

  init(room: UnsafeMutableRawBufferPointer) {
    unsafe self.room = room
  }

  /// Adds an entry; false if the listing is full.
  @inline(__always)
  mutating func add(
    _ request: fuse_req_t?, _ name: borrowing FileName, _ entry: inout fuse_entry_param, _ cookie: UInt64
  ) -> Bool {
    let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[used...])
    unsafe name.bytes.withUnsafeBytes { bytes in
      unsafe text.withUnsafeMutableBytes { unsafe $0.copyMemory(from: bytes) }
      text[bytes.count] = 0
    }
    // If the entry is too large, nothing is written.
    let count = unsafe fuse_add_direntry_plus(
      request, rest.assumingMemoryBound(to: CChar.self).baseAddress, rest.count, text, &entry, off_t(cookie))
    guard count <= rest.count else { return false }
    used += count
    return true
  }
}
