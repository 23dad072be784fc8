internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import SystemPackage
internal import Vault

extension fuse_lowlevel_ops {
  /// Adds the callbacks for attributes of inodes and of the file system, and for targets of symbolic links.
  mutating func addAttributeCallbacks() {
    unsafe getattr = { request, inode, _ in
      unsafe serve(request) { volume throws(Errno) in
        var entry = try volume.entry(of: InodeNumber(rawValue: inode))
        unsafe fuse_reply_attr(request, &entry.attr, entry.attr_timeout)
      }
    }
    unsafe setattr = { request, inode, status, which, _ in
      unsafe serve(request) { volume throws(Errno) in
        guard let status = unsafe status?.pointee else { throw .invalidArgument }
        let changes = unsafe AttributeChanges(status, which: which, caller: Caller(request))
        let target = try unsafe volume.writable(inode, for: Caller(request))
        let attributes = try volume.fileSystem.setAttributes(of: target, changes)
        var changed = volume.shown(attributes, under: inode)
        unsafe fuse_reply_attr(request, &changed.attr, changed.attr_timeout)
      }
    }
    unsafe readlink = { request, inode in
      unsafe serve(request) { volume throws(Errno) in
        var target = try volume.readLink(of: InodeNumber(rawValue: inode)).map { CChar(bitPattern: $0) }
        target.append(0)
        unsafe fuse_reply_readlink(request, target)
      }
    }
    unsafe statfs = { request, _ in
      unsafe serve(request) { volume throws(Errno) in
        var answer = try statvfs(volume.fileSystem.statistics())
        unsafe fuse_reply_statfs(request, &answer)
      }
    }
  }
}
