internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import System
internal import SystemPackage
internal import Vault

@c @implementation
func agonyfs_open(_ request: fuse_req_t, _ inode: fuse_ino_t, _ file: UnsafeMutablePointer<fuse_file_info>) {
  unsafe serve(request) { volume throws(Errno) in
    let inode = InodeNumber(rawValue: inode)
    let opened = try unsafe volume.open(inode, flags: file.pointee.flags)
    unsafe file.pointee.fh = opened.handle
    unsafe file.pointee.keep_cache = opened.keepsCache ? 1 : 0
    unsafe file.pointee.direct_io = opened.isDirect ? 1 : 0
    // The kernel will not release an open that it did not hear of.
    if unsafe fuse_reply_open(request, file) != 0 { volume.release(inode, handle: opened.handle) }
  }
}

@c @implementation
func agonyfs_create(
  _ request: fuse_req_t, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>, _ mode: mode_t,
  _ file: UnsafeMutablePointer<fuse_file_info>
) {
  unsafe serve(request) { volume throws(Errno) in
    let made = try unsafe volume.fileSystem.create(
      FileName(request: name), in: InodeNumber(stored: parent), mode: mode,
      flags: OpenFlags(open: file.pointee.flags), caller: Caller(request))
    unsafe file.pointee.keep_cache = 1
    var entry = fuse_entry_param(made, seconds: SessionLimits.cacheSeconds)
    if unsafe fuse_reply_create(request, &entry, file) != 0 { volume.fileSystem.release(made.inode) }
  }
}

@c @implementation
func agonyfs_release(_ request: fuse_req_t, _ inode: fuse_ino_t, _ file: UnsafeMutablePointer<fuse_file_info>) {
  unsafe serve(request, evenIfLocked: true) { volume throws(Errno) in
    unsafe volume.release(InodeNumber(rawValue: inode), handle: file.pointee.fh)
    unsafe fuse_reply_err(request, 0)
  }
}

@c @implementation
func agonyfs_read(
  _ request: fuse_req_t, _ inode: fuse_ino_t, _ size: Int, _ offset: off_t,
  _ file: UnsafeMutablePointer<fuse_file_info>
) {
  unsafe serve(request) { volume throws(Errno) in
    try unsafe volume.buffers.with(min(size, SessionLimits.maximumRead)) { buffer throws(Errno) in
      let count = try unsafe volume.read(
        InodeNumber(rawValue: inode), handle: file.pointee.fh, at: offset, into: buffer)
      unsafe fuse_reply_buf(request, buffer.baseAddress, count)
    }
  }
}

@c @implementation
func agonyfs_write(
  _ request: fuse_req_t, _ inode: fuse_ino_t, _ bytes: UnsafePointer<CChar>, _ size: Int, _ offset: off_t,
  _ file: UnsafeMutablePointer<fuse_file_info>
) {
  // Written through a memory map.
  let isFromCache = unsafe file.pointee.writepage != 0
  unsafe serve(request, evenIfLocked: isFromCache) { volume throws(Errno) in
    let count = try unsafe volume.fileSystem.write(
      InodeNumber(stored: inode), at: FileOffset(rawValue: Int64(offset)),
      from: UnsafeRawBufferPointer(start: bytes, count: size))
    unsafe fuse_reply_write(request, count)
  }
}

/// For files and directories: makes everything before the call durable.
@c @implementation
func agonyfs_fsync(
  _ request: fuse_req_t, _ inode: fuse_ino_t, _ dataOnly: CInt, _ file: UnsafeMutablePointer<fuse_file_info>?
) {
  unsafe serve(request) { volume throws(Errno) in
    try volume.fileSystem.synchronize()
    unsafe fuse_reply_err(request, 0)
  }
}

@c @implementation
func agonyfs_fallocate(
  _ request: fuse_req_t, _ inode: fuse_ino_t, _ mode: CInt, _ offset: off_t, _ length: off_t,
  _ file: UnsafeMutablePointer<fuse_file_info>
) {
  unsafe serve(request) { volume throws(Errno) in
    try volume.fileSystem.allocate(
      InodeNumber(stored: inode), mode: AllocationMode(rawValue: UInt32(bitPattern: mode)),
      offset: FileOffset(rawValue: Int64(offset)), length: Int64(length))
    unsafe fuse_reply_err(request, 0)
  }
}

@c @implementation
func agonyfs_copy_file_range(
  _ request: fuse_req_t, _ source: fuse_ino_t, _ sourceOffset: off_t,
  _ sourceFile: UnsafeMutablePointer<fuse_file_info>, _ target: fuse_ino_t, _ targetOffset: off_t,
  _ targetFile: UnsafeMutablePointer<fuse_file_info>, _ length: Int, _ flags: CInt
) {
  unsafe serve(request) { volume throws(Errno) in
    // The caller then copies with read and write.
    if VirtualNode.isVirtual(InodeNumber(rawValue: source)) { throw .improperLink }
    let count = try volume.fileSystem.copyRange(
      from: InodeNumber(stored: source), at: FileOffset(rawValue: Int64(sourceOffset)),
      to: InodeNumber(stored: target), at: FileOffset(rawValue: Int64(targetOffset)), length: Int64(length))
    unsafe fuse_reply_write(request, count)
  }
}

@c @implementation
func agonyfs_lseek(
  _ request: fuse_req_t, _ inode: fuse_ino_t, _ offset: off_t, _ whence: CInt,
  _ file: UnsafeMutablePointer<fuse_file_info>
) {
  unsafe serve(request) { volume throws(Errno) in
    // The kernel handles all others itself.
    guard whence == agonyfs_seek_data() || whence == agonyfs_seek_hole() else { throw .invalidArgument }
    let found = try unsafe volume.seek(
      InodeNumber(rawValue: inode), handle: file.pointee.fh, from: offset, toData: whence == agonyfs_seek_data())
    unsafe fuse_reply_lseek(request, found)
  }
}
