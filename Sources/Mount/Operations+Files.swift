internal import Albums
internal import CMount
internal import CPlatform
internal import Crypto
internal import Glibc
internal import Index
internal import Library
internal import System
internal import SystemPackage
internal import Vault

extension fuse_lowlevel_ops {
  /// Adds the callbacks that open, read, write and allocate files.
  mutating func addFileCallbacks() {
    unsafe open = { request, inode, file in
      unsafe serve(request) { volume throws(Errno) in
        guard let file = unsafe file else { throw .invalidArgument }
        let inode = InodeNumber(rawValue: inode)
        try unsafe volume.open(inode, &file.pointee, by: Caller(request), for: Opener(request))
        // If the reply fails, the kernel does not know of the open and will not release it.
        if unsafe fuse_reply_open(request, file) != 0 { unsafe volume.release(inode, handle: file.pointee.fh) }
      }
    }
    unsafe create = { request, parent, name, mode, file in
      unsafe serve(request) { volume throws(Errno) in
        guard let file = unsafe file else { throw .invalidArgument }
        let made = try unsafe volume.fileSystem.create(
          FileName(request: name), in: volume.writable(parent, for: Caller(request)), mode: mode,
          flags: OpenFlags(open: file.pointee.flags), caller: Caller(request))
        unsafe file.pointee.keep_cache = 1
        var entry = fuse_entry_param(made)
        if unsafe fuse_reply_create(request, &entry, file) != 0 { volume.fileSystem.release(made.inode) }
      }
    }
    unsafe release = { request, inode, file in
      unsafe perform(request, evenIfLocked: true) { volume throws(Errno) in
        unsafe volume.release(InodeNumber(rawValue: inode), handle: file?.pointee.fh ?? 0)
      }
    }
    unsafe read = { request, inode, size, offset, file in
      let inode = InodeNumber(rawValue: inode)
      let handle = unsafe file?.pointee.fh ?? 0
      unsafe serve(request) { volume throws(Errno) in
        let size = min(size, SessionLimits.maximumRead)
        guard VirtualNode.isVirtual(inode), VirtualNode(inode) == .query else {
          return try unsafe volume.buffers.with(size) { buffer throws(Errno) in
            let count = try unsafe volume.read(inode, handle: handle, at: offset, into: buffer)
            unsafe fuse_reply_buf(request, buffer.baseAddress, count)
          }
        }
        let takesLong = volume.answerTakesLong(handle: handle)
        volume.questionReads.serve(from: agonyfs_channel_of_reply(), takesLong: takesLong) {
          unsafe serve(request) { volume throws(Errno) in
            try unsafe volume.buffers.with(size) { buffer throws(Errno) in
              let count = try unsafe volume.readAnswer(handle: handle, into: buffer)
              unsafe fuse_reply_buf(request, buffer.baseAddress, count)
            }
          }
        }
      }
    }
    unsafe write = { request, inode, bytes, size, offset, file in
      // The kernel writes back data that a program wrote through a memory map.
      let isFromCache = unsafe file?.pointee.writepage == 1
      unsafe serve(request, evenIfLocked: isFromCache) { volume throws(Errno) in
        let count = try unsafe volume.write(
          InodeNumber(rawValue: inode), handle: file?.pointee.fh ?? 0, at: offset,
          from: UnsafeRawBufferPointer(start: bytes, count: size))
        unsafe fuse_reply_write(request, count)
      }
    }
    unsafe ioctl = { request, inode, command, _, file, _, bytes, size, _ in
      unsafe serve(request) { volume throws(Errno) in
        if command == agonyfs_stored_digest_request() {
          guard let bytes = unsafe bytes, size == MemoryLayout<agonyfs_digest>.size else { throw .invalidArgument }
          var answer = unsafe bytes.loadUnaligned(as: agonyfs_digest.self)
          let key = unsafe withUnsafeBytes(of: answer.key) { unsafe ContentKey($0) }
          guard let key else { throw .invalidArgument }
          let digest = try unsafe volume.fileSystem.storedDigest(
            of: InodeNumber(stored: inode), key, for: Opener(request))
          answer.size = UInt64(digest.size)
          unsafe withUnsafeMutableBytes(of: &answer.hash) { unsafe $0.copyBytes(from: digest.hash) }
          unsafe fuse_reply_ioctl(request, 0, &answer, MemoryLayout<agonyfs_digest>.size)
          return
        }
        guard command == agonyfs_catalog_request() else { throw .inappropriateIOCTLForDevice }
        let text = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: size))
        // A text without a NUL was cut off.
        guard let end = text.firstIndex(of: 0) else { throw .argListTooLong }
        try unsafe volume.ask(InodeNumber(rawValue: inode), handle: file?.pointee.fh ?? 0, Array(text[..<end]))
        unsafe fuse_reply_ioctl(request, 0, nil, 0)
      }
    }
    unsafe fsync = { request, _, _, _ in unsafe synchronize(request) }
    unsafe fsyncdir = { request, _, _, _ in unsafe synchronize(request) }
    unsafe fallocate = { request, inode, mode, offset, length, _ in
      unsafe perform(request) { volume throws(Errno) in
        try volume.fileSystem.allocate(
          InodeNumber(stored: inode), mode: AllocationMode(rawValue: UInt32(bitPattern: mode)),
          offset: FileOffset(rawValue: Int64(offset)), length: Int64(length))
      }
    }
    unsafe copy_file_range = { request, source, sourceOffset, _, target, targetOffset, _, length, _ in
      unsafe serve(request) { volume throws(Errno) in
        // After this error the caller copies with read and write.
        if VirtualNode.isVirtual(InodeNumber(rawValue: source)) { throw .improperLink }
        let count = try volume.fileSystem.copyRange(
          from: InodeNumber(stored: source), at: FileOffset(rawValue: Int64(sourceOffset)),
          to: InodeNumber(stored: target), at: FileOffset(rawValue: Int64(targetOffset)), length: Int64(length))
        unsafe fuse_reply_write(request, count)
      }
    }
    unsafe lseek = { request, inode, offset, whence, file in
      unsafe serve(request) { volume throws(Errno) in
        // The kernel handles all other kinds itself.
        guard whence == agonyfs_seek_data() || whence == agonyfs_seek_hole() else { throw .invalidArgument }
        let found = try unsafe volume.seek(
          InodeNumber(rawValue: inode), handle: file?.pointee.fh ?? 0, from: offset,
          toData: whence == agonyfs_seek_data())
        unsafe fuse_reply_lseek(request, found)
      }
    }
  }
}

/// Makes everything before the call durable, for files and directories.
private func synchronize(_ request: fuse_req_t?) {
  unsafe perform(request) { volume throws(Errno) in try volume.fileSystem.synchronize() }
}
