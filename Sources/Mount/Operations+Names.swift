internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import SystemPackage
internal import Vault

extension fuse_lowlevel_ops {
  /// Adds the callbacks that find, make, rename and remove names.
  mutating func addNameCallbacks() {
    unsafe lookup = { request, parent, name in
      unsafe serve(request) { volume throws(Errno) in
        let target = try unsafe volume.lookup(
          FileName(request: name), in: InodeNumber(rawValue: parent), for: Caller(request))
        unsafe reply(request, target)
      }
    }
    unsafe forget = { request, inode, _ in
      unsafe Volume.with(request) { volume in volume.fileSystem.forget(InodeNumber(rawValue: inode)) }
      unsafe fuse_reply_none(request)
    }
    unsafe forget_multi = { request, count, inodes in
      unsafe Volume.with(request) { volume in
        guard let inodes = unsafe inodes else { return }
        for index in 0..<count { unsafe volume.fileSystem.forget(InodeNumber(rawValue: inodes[index].ino)) }
      }
      unsafe fuse_reply_none(request)
    }
    unsafe mknod = { request, parent, name, mode, device in
      unsafe serve(request) { volume throws(Errno) in
        let made = try unsafe volume.fileSystem.makeNode(
          FileName(request: name), in: volume.writable(parent, for: Caller(request)), mode: mode,
          device: UInt64(device),
          caller: Caller(request))
        unsafe reply(request, fuse_entry_param(made))
      }
    }
    unsafe mkdir = { request, parent, name, mode in
      unsafe serve(request) { volume throws(Errno) in
        let made = try unsafe volume.makeDirectory(
          FileName(request: name), in: parent, mode: mode, caller: Caller(request))
        unsafe reply(request, made)
      }
    }
    unsafe symlink = { request, target, parent, name in
      unsafe serve(request) { volume throws(Errno) in
        let made = try unsafe volume.fileSystem.makeSymbolicLink(
          target: bytes(of: target), named: FileName(request: name), in: volume.writable(parent, for: Caller(request)),
          caller: Caller(request))
        unsafe reply(request, fuse_entry_param(made))
      }
    }
    unsafe link = { request, inode, parent, name in
      unsafe serve(request) { volume throws(Errno) in
        let linked = try unsafe volume.fileSystem.link(
          InodeNumber(stored: inode), named: FileName(request: name), in: volume.writable(parent, for: Caller(request)))
        unsafe reply(request, fuse_entry_param(linked))
      }
    }
    unsafe unlink = { request, parent, name in
      unsafe perform(request) { volume throws(Errno) in
        try unsafe volume.unlink(FileName(request: name), in: parent, for: Caller(request))
      }
    }
    unsafe rmdir = { request, parent, name in
      unsafe perform(request) { volume throws(Errno) in
        try unsafe volume.removeDirectory(FileName(request: name), in: parent, for: Caller(request))
      }
    }
    unsafe rename = { request, parent, name, newParent, newName, flags in
      unsafe perform(request) { volume throws(Errno) in
        try unsafe volume.rename(
          FileName(request: name), in: parent, to: FileName(request: newName), in: newParent,
          flags: RenameFlags(rawValue: flags), for: Caller(request))
      }
    }
  }
}

/// Answers with the inode that a name leads to.
@inline(__always)
private func reply(_ request: fuse_req_t?, _ entry: fuse_entry_param) {
  var entry = entry
  unsafe fuse_reply_entry(request, &entry)
}
