internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import SystemPackage
internal import Vault

/// What the kernel keeps of a mount. While somebody holds a copy of the mount, it would show that to them even when
/// nobody answers any more. The kernel may wait for requests to be answered when it is told to forget something, so no
/// thread that serves requests may do so.
@safe struct KernelCaches {
  private let session: OpaquePointer
  private let fileSystem: FileSystem

  /// Names that are asked for at a time: the file system's lock is not held while the kernel is told.
  private static let batch = 1000

  init(of session: OpaquePointer, _ fileSystem: FileSystem) {
    unsafe self.session = session
    self.fileSystem = fileSystem
  }

  /// Has the kernel bring what was written through memory maps. It has that of open files only: it writes it itself when
  /// the last map of a file is taken away.
  func writeBack() {
    for inode in fileSystem.openInodes { forgetContent(of: inode) }
  }

  /// Has the kernel forget names, attributes and contents. Without the names in the root directory nobody finds what is
  /// below, and it goes by itself, unless somebody uses it; of that the file system has the most recent in memory.
  func forget() {
    for name in VirtualTree.rootNames { forget(name) }
    // "." and ".." have the cookies 1 and 2.
    var cookie: UInt64 = 2
    while let last = forgetNames(after: cookie) { cookie = last }
    for inode in fileSystem.inodesInMemory { forgetContent(of: inode) }
  }

  /// Forgets some names of the root directory; returns the cookie of the last one, nil when there are none.
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
