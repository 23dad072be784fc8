internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import Library
internal import SystemPackage
internal import Vault

extension fuse_lowlevel_ops {
  mutating func addExtendedAttributeCallbacks() {
    unsafe getxattr = { request, inode, name, size in
      unsafe serve(request) { volume throws(Errno) in
        let name = unsafe bytes(of: name)
        if inode == InodeNumber.root.rawValue, let question = DaemonAttribute(name) {
          return try unsafe reply(request, value: answer(question, request, volume), size: size)
        }
        let value = try volume.extendedAttribute(name, of: InodeNumber(rawValue: inode))
        try unsafe reply(request, value: value, size: size)
      }
    }
    unsafe listxattr = { request, inode, size in
      unsafe serve(request) { volume throws(Errno) in
        let names = try volume.listExtendedAttributes(of: InodeNumber(rawValue: inode))
        try unsafe reply(request, value: names, size: size)
      }
    }
    unsafe setxattr = { request, inode, name, value, size, flags in
      unsafe perform(request) { volume throws(Errno) in
        let name = unsafe bytes(of: name)
        let value = unsafe [UInt8](UnsafeRawBufferPointer(start: value, count: value == nil ? 0 : size))
        guard DaemonAttribute(name) == nil else { throw .notPermitted }
        if inode == VirtualNode.control.number.rawValue, name.elementsEqual(VirtualTree.requestName.utf8) {
          guard try unsafe volume.owns(.root, Caller(request)) else { throw .notPermitted }
          return try volume.virtual.request(value)
        }
        let inode = try unsafe volume.writable(inode, for: Caller(request))
        var clearsSetGroup = false
        if name == AccessControlList.accessName { clearsSetGroup = try unsafe !mayKeepSetGroup(request, inode, volume) }
        try unsafe volume.fileSystem.setExtendedAttribute(
          name, of: inode, value: value, flags: AttributeFlags(rawValue: UInt32(bitPattern: flags)),
          caller: Caller(request), clearsSetGroup: clearsSetGroup)
      }
    }
    unsafe removexattr = { request, inode, name in
      unsafe perform(request) { volume throws(Errno) in
        guard let stored = try volume.stored(inode) else {
          throw VirtualNode(InodeNumber(rawValue: inode))?.isSharedFolder == true ? .noData : .readOnlyFileSystem
        }
        try unsafe volume.fileSystem.removeExtendedAttribute(bytes(of: name), of: stored)
      }
    }
  }
}

/// Answers the questions of `Unmount` and `SpaceProof`.
private func answer(_ question: DaemonAttribute, _ request: fuse_req_t?, _ volume: Volume) throws(Errno) -> [UInt8] {
  if question != .identity {
    let user = unsafe Caller(request).user
    guard user == 0 || user == geteuid() else { throw .notPermitted }
  }
  switch question {
  case .identity: return volume.identity.text
  case .lazy:
    volume.expectLazyUnmount()
    return volume.identity.text
  case .evicting:
    volume.fileSystem.evictAtClose()
    return volume.identity.text
  case .space: return SpaceProof.make(for: volume.fileSystem.space)
  }
}

/// Answers with a value, or with its size if the caller asks only for that. Throws ERANGE if the value is too long for
/// the caller's buffer.
private func reply(_ request: fuse_req_t?, value: [UInt8], size: Int) throws(Errno) {
  if size == 0 {
    unsafe fuse_reply_xattr(request, value.count)
    return
  }
  guard value.count <= size else { throw .outOfRange }
  unsafe value.withUnsafeBytes { bytes in _ = unsafe fuse_reply_buf(request, bytes.baseAddress, bytes.count) }
}

/// Whether the set-group-ID bit survives a change of the access control list: it does for root and members of the
/// group. The kernel sends this only in a newer form of the request, which libfuse does not understand.
private func mayKeepSetGroup(_ request: fuse_req_t?, _ inode: InodeNumber, _ volume: Volume) throws(Errno) -> Bool {
  let caller = unsafe Caller(request)
  if caller.user == 0 { return true }
  let attributes = try volume.fileSystem.attributes(of: inode)
  if attributes.mode & S_ISGID == 0 || caller.group == attributes.group { return true }
  return unsafe supplementaryGroups(request).contains(attributes.group)
}
