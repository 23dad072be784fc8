internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import Library
internal import SystemPackage
internal import Vault

/// The kernel's caches of a mount. While another mount namespace holds a copy of the mount, its processes would see
/// cached files even when no process answers any more. Invalidating may wait until requests are answered, so a thread
/// that serves requests must not call it.
@safe struct KernelCaches {
  private let session: OpaquePointer
  private let volume: Volume

  private var fileSystem: FileSystem { volume.fileSystem }

  /// Names in a batch. The file system's lock is not held while the kernel forgets them.
  private static let batch = 1000

  init(of session: OpaquePointer, _ volume: Volume) {
    unsafe self.session = session
    self.volume = volume
  }

  /// Makes the kernel write back data that programs wrote through memory maps. Only open files can have such data: the
  /// kernel writes it back when the last map of a file is gone.
  func writeBack() {
    for inode in fileSystem.openInodes { forgetContent(of: inode) }
  }

  /// Makes the kernel forget names, attributes and contents. Without the names in the root directory nothing below can
  /// be found, and the kernel drops what is unused. The rest is in use, and most of it is in the inode table.
  func forget() {
    for name in VirtualTree.rootNames { forget(name) }
    // "." and ".." have the cookies 1 and 2.
    var cookie: UInt64 = 2
    while let last = forgetNames(after: cookie) { cookie = last }
    for inode in fileSystem.inodesInMemory { forgetContent(of: inode) }
    for inode in volume.shared.listed { forgetContent(of: inode) }
  }

  /// Forgets a batch of names in the root directory. Returns the cookie of the last one; nil if none was left.
  private func forgetNames(after cookie: UInt64) -> UInt64? {
    var names: [[UInt8]] = []
    var last: UInt64?
    try? fileSystem.list(.root, after: cookie) { name, _, _, cookie in
      names.append(name.bytes)
      last = cookie
      return names.count < Self.batch
    }
    for name in names { forget(name) }
    return last
  }

  private func forget(_ name: [UInt8]) {
    let text = name.map { CChar(bitPattern: $0) } + [0]
    unsafe fuse_lowlevel_notify_inval_entry(session, InodeNumber.root.rawValue, text, name.count)
  }

  private func forgetContent(of inode: InodeNumber) {
    unsafe fuse_lowlevel_notify_inval_inode(session, inode.rawValue, 0, 0)
  }
}
