internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import SystemPackage
internal import Vault

// Answers about what is not stored: thumbnails and status (Albums/Virtual).

/// `S_IFDIR >> 12`.
private let directoryKind: UInt8 = 4

/// The tree and the node that a number stands for.
private func virtualNode(_ number: InodeNumber, _ volume: Volume) throws(Errno) -> (VirtualTree, VirtualNode) {
  guard let tree = volume.virtual, let node = VirtualNode(number) else { throw .noSuchFileOrDirectory }
  return (tree, node)
}

/// What `stat` tells, and for how many seconds the kernel may keep it.
func virtualAttributes(of number: InodeNumber, _ volume: Volume) throws(Errno) -> (Attributes, Double) {
  let (tree, node) = try virtualNode(number, volume)
  let attributes = try tree.attributes(of: node)
  // The size of a file is known once it is open, and its content changes with that of another.
  return (attributes, attributes.kind == directoryKind ? SessionLimits.virtualCacheSeconds : 0)
}

/// Answers a lookup in a directory that is not stored.
func replyVirtual(_ request: fuse_req_t, _ name: FileName, _ parent: InodeNumber, _ volume: Volume) throws(Errno) {
  let (tree, directory) = try virtualNode(parent, volume)
  try unsafe reply(request, node: tree.lookup(name, in: directory), volume)
}

/// Answers a lookup with a node that is not stored.
func reply(_ request: fuse_req_t, node: VirtualNode, _ volume: Volume) throws(Errno) {
  let (attributes, seconds) = try virtualAttributes(of: node.number, volume)
  var entry = fuse_entry_param(attributes)
  entry.attr_timeout = seconds
  entry.entry_timeout = seconds
  unsafe fuse_reply_entry(request, &entry)
}

/// Opens a file that is not stored.
func openVirtual(
  _ request: fuse_req_t, _ number: InodeNumber, _ file: UnsafeMutablePointer<fuse_file_info>, _ volume: Volume
) throws(Errno) {
  let (tree, node) = try virtualNode(number, volume)
  guard unsafe file.pointee.flags & O_ACCMODE == O_RDONLY else { throw .readOnlyFileSystem }
  let handle = try tree.open(node)
  unsafe file.pointee.fh = handle
  // Only the size of a JPEG is known before it is opened; what the kernel thinks of the others' is not to limit reads.
  if case .tree = node {} else { unsafe file.pointee.direct_io = 1 }
  if unsafe fuse_reply_open(request, file) != 0 { tree.release(handle) }
}

/// Reads from a file that is not stored.
func readVirtual(
  _ request: fuse_req_t, _ handle: UInt64, _ size: Int, _ offset: off_t, _ volume: Volume
) throws(Errno) {
  guard let content = try volume.virtual?.content(of: handle) else { throw .badFileDescriptor }
  let start = min(max(0, offset), content.count)
  let end = min(content.count, start + size)
  unsafe content.withUnsafeBytes { bytes in
    let part = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    _ = unsafe fuse_reply_buf(request, part.baseAddress?.assumingMemoryBound(to: CChar.self), part.count)
  }
}

/// An extended attribute of what is not stored.
func virtualAttribute(_ name: [UInt8], of number: InodeNumber, _ volume: Volume) throws(Errno) -> [UInt8] {
  let (tree, node) = try virtualNode(number, volume)
  return try tree.extendedAttribute(name, of: node)
}

/// Where data or a hole begins in a file that is not stored; it has no holes but what follows its end.
func seekVirtual(_ handle: UInt64, _ offset: off_t, toData: Bool, _ volume: Volume) throws(Errno) -> off_t {
  guard let content = try volume.virtual?.content(of: handle) else { throw .badFileDescriptor }
  guard offset >= 0, offset < content.count else { throw .noSuchAddressOrDevice }
  return toData ? offset : off_t(content.count)
}

/// - Throws: `EPERM` when the request comes from neither the owner of the root directory nor root.
func requireOwner(_ request: fuse_req_t, _ volume: Volume) throws(Errno) {
  let user = unsafe Caller(request).user
  if user == 0 { return }
  guard try volume.fileSystem.attributes(of: .root).owner == user else { throw .notPermitted }
}
