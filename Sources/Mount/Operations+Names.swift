internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import SystemPackage
internal import Vault

/// Answers with the target of a name.
@inline(__always)
private func reply(
  _ request: fuse_req_t, entry attributes: Attributes, seconds: Double = SessionLimits.cacheSeconds
) {
  var entry = fuse_entry_param(attributes, seconds: seconds)
  unsafe fuse_reply_entry(request, &entry)
}

@c @implementation
func agonyfs_lookup(_ request: fuse_req_t, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>) {
  unsafe serve(request) { volume throws(Errno) in
    let name = try unsafe FileName(request: name)
    if let (attributes, seconds) = try volume.lookup(name, in: InodeNumber(rawValue: parent)) {
      return unsafe reply(request, entry: attributes, seconds: seconds)
    }
    // Unlike an error, this has a lifetime, so the kernel need not ask again.
    var absent = fuse_entry_param.absent
    unsafe fuse_reply_entry(request, &absent)
  }
}

@c @implementation
func agonyfs_forget(_ request: fuse_req_t, _ inode: fuse_ino_t, _ count: UInt64) {
  unsafe Volume.with(request) { volume in volume.fileSystem.forget(InodeNumber(rawValue: inode)) }
  unsafe fuse_reply_none(request)
}

@c @implementation
func agonyfs_forget_multi(_ request: fuse_req_t, _ count: Int, _ inodes: UnsafeMutablePointer<fuse_forget_data>) {
  unsafe Volume.with(request) { volume in
    for index in 0..<count {
      unsafe volume.fileSystem.forget(InodeNumber(rawValue: inodes[index].ino))
    }
  }
  unsafe fuse_reply_none(request)
}

@c @implementation
func agonyfs_mknod(
  _ request: fuse_req_t, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>, _ mode: mode_t, _ device: dev_t
) {
  unsafe serve(request) { volume throws(Errno) in
    let made = try unsafe volume.fileSystem.makeNode(
      FileName(request: name), in: InodeNumber(stored: parent), mode: mode, device: UInt64(device),
      caller: Caller(request))
    unsafe reply(request, entry: made)
  }
}

@c @implementation
func agonyfs_mkdir(_ request: fuse_req_t, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>, _ mode: mode_t) {
  unsafe serve(request) { volume throws(Errno) in
    let made = try unsafe volume.fileSystem.makeDirectory(
      FileName(request: name), in: InodeNumber(stored: parent), mode: mode, caller: Caller(request))
    unsafe reply(request, entry: made)
  }
}

@c @implementation
func agonyfs_symlink(
  _ request: fuse_req_t, _ target: UnsafePointer<CChar>, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>
) {
  unsafe serve(request) { volume throws(Errno) in
    let text = unsafe UnsafeBufferPointer(start: target, count: strlen(target))
    let made = try unsafe volume.fileSystem.makeSymbolicLink(
      target: text.map { UInt8(bitPattern: $0) }, named: FileName(request: name), in: InodeNumber(stored: parent),
      caller: Caller(request))
    unsafe reply(request, entry: made)
  }
}

@c @implementation
func agonyfs_link(
  _ request: fuse_req_t, _ inode: fuse_ino_t, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>
) {
  unsafe serve(request) { volume throws(Errno) in
    let linked = try unsafe volume.fileSystem.link(
      InodeNumber(stored: inode), named: FileName(request: name), in: InodeNumber(stored: parent))
    unsafe reply(request, entry: linked)
  }
}

@c @implementation
func agonyfs_unlink(_ request: fuse_req_t, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>) {
  unsafe serve(request) { volume throws(Errno) in
    try unsafe volume.fileSystem.unlink(FileName(request: name), in: InodeNumber(stored: parent))
    unsafe fuse_reply_err(request, 0)
  }
}

@c @implementation
func agonyfs_rmdir(_ request: fuse_req_t, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>) {
  unsafe serve(request) { volume throws(Errno) in
    try unsafe volume.fileSystem.removeDirectory(FileName(request: name), in: InodeNumber(stored: parent))
    unsafe fuse_reply_err(request, 0)
  }
}

@c @implementation
func agonyfs_rename(
  _ request: fuse_req_t, _ parent: fuse_ino_t, _ name: UnsafePointer<CChar>, _ newParent: fuse_ino_t,
  _ newName: UnsafePointer<CChar>, _ flags: UInt32
) {
  unsafe serve(request) { volume throws(Errno) in
    try unsafe volume.fileSystem.rename(
      FileName(request: name), in: InodeNumber(stored: parent), to: FileName(request: newName),
      in: InodeNumber(stored: newParent), flags: RenameFlags(rawValue: flags))
    unsafe fuse_reply_err(request, 0)
  }
}
