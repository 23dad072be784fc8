internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import SystemPackage
internal import Vault

@c @implementation
func agonyfs_getattr(_ request: fuse_req_t, _ inode: fuse_ino_t, _ file: UnsafeMutablePointer<fuse_file_info>?) {
  unsafe serve(request) { volume throws(Errno) in
    let (attributes, seconds) = try volume.attributes(of: InodeNumber(rawValue: inode))
    var status = stat(attributes)
    unsafe fuse_reply_attr(request, &status, seconds)
  }
}

@c @implementation
func agonyfs_setattr(
  _ request: fuse_req_t, _ inode: fuse_ino_t, _ status: UnsafeMutablePointer<stat>, _ which: CInt,
  _ file: UnsafeMutablePointer<fuse_file_info>?
) {
  unsafe serve(request) { volume throws(Errno) in
    let changes = unsafe AttributeChanges(status.pointee, which: which, caller: Caller(request))
    let attributes = try volume.fileSystem.setAttributes(of: InodeNumber(stored: inode), changes)
    var changed = stat(attributes)
    unsafe fuse_reply_attr(request, &changed, SessionLimits.cacheSeconds)
  }
}

@c @implementation
func agonyfs_readlink(_ request: fuse_req_t, _ inode: fuse_ino_t) {
  unsafe serve(request) { volume throws(Errno) in
    var target = try volume.fileSystem.readLink(of: InodeNumber(rawValue: inode)).map { CChar(bitPattern: $0) }
    target.append(0)
    unsafe target.withUnsafeBufferPointer { text in _ = unsafe fuse_reply_readlink(request, text.baseAddress) }
  }
}

@c @implementation
func agonyfs_statfs(_ request: fuse_req_t, _ inode: fuse_ino_t) {
  unsafe serve(request) { volume throws(Errno) in
    var answer = try statvfs(volume.fileSystem.statistics())
    unsafe fuse_reply_statfs(request, &answer)
  }
}
