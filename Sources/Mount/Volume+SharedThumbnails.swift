// A real `.sh_thumbnails` in place of the virtual one, which every directory has: who copies an album with such a folder
// must be able to make it.
//
// Invariants
// 1. Whoever made a directory finds no virtual folder in it. The kernel looks a name up before it makes a directory, does
//    not say why it looks, and asks for nothing when there is an answer.
// 2. The number of a virtual folder stands for the real one as soon as there is one, so that whoever has it open, or works
//    in it, goes on in the real one. What is to be made, renamed or set in a virtual folder makes the real one first. It
//    has the permissions of its album, and the kernel has checked them.

internal import Albums
internal import CMount
internal import Index
internal import Synchronization
internal import SystemPackage
internal import Vault

/// Who made which directory last, for the newest few.
struct DirectoryMakers: ~Copyable {
  /// Who copies an album comes to this folder in it before so many others are made.
  private static let most = 512

  /// Threads by their directories.
  private let newest = Mutex<(threads: [InodeNumber: Int32], order: [InodeNumber])>(([:], []))

  /// A thread has made a directory.
  func note(_ directory: InodeNumber, madeBy thread: Int32) {
    // A process in another namespace has no number here.
    guard thread != 0 else { return }
    newest.withLock { newest in
      if newest.threads.updateValue(thread, forKey: directory) == nil { newest.order.append(directory) }
      if newest.order.count > Self.most { newest.threads[newest.order.removeFirst()] = nil }
    }
  }

  /// Whether a thread made a directory.
  func made(_ directory: InodeNumber, by thread: Int32) -> Bool { newest.withLock { $0.threads[directory] == thread } }
}

extension Volume {
  /// Makes a directory.
  func makeDirectory(
    _ name: FileName, in parent: fuse_ino_t, mode: UInt32, caller: Caller
  ) throws(Errno) -> Attributes {
    let made = try fileSystem.makeDirectory(name, in: writable(parent, for: caller), mode: mode, caller: caller)
    makers.note(made.inode, madeBy: caller.process)
    return made
  }

  /// The real folder that has taken the place of a virtual one.
  func real(_ node: VirtualNode) -> InodeNumber? {
    switch node {
    case .shared(let album): folder(VirtualTree.sharedName, in: album)
    case .sharedSize(let size, let album): real(.shared(album)).flatMap { folder(Array(size.name.utf8), in: $0) }
    default: nil
    }
  }

  private func folder(_ name: [UInt8], in parent: InodeNumber) -> InodeNumber? {
    guard let name = FileName(name), let found = try? fileSystem.lookup(name, in: parent),
      found.kind == Self.directoryKind
    else { return nil }
    return found.inode
  }

  /// The inode of a node in which something that is there is to be changed.
  ///
  /// - Throws: `EROFS` for what is not stored.
  @inline(__always)
  func stored(_ number: fuse_ino_t) throws(Errno) -> InodeNumber {
    let inode = InodeNumber(rawValue: number)
    guard VirtualNode.isVirtual(inode) else { return inode }
    guard let real = VirtualNode(inode).flatMap(real) else { throw .readOnlyFileSystem }
    return real
  }

  /// The inode of a node in which something is to be made, or at which something is to be set.
  ///
  /// - Throws: `EROFS` for what is not stored and no folder for thumbnails; as `makeDirectory`.
  @inline(__always)
  func writable(_ number: fuse_ino_t, for caller: @autoclosure () -> Caller) throws(Errno) -> InodeNumber {
    let inode = InodeNumber(rawValue: number)
    return VirtualNode.isVirtual(inode) ? try madeReal(inode, for: caller()) : inode
  }

  private func madeReal(_ number: InodeNumber, for caller: Caller) throws(Errno) -> InodeNumber {
    switch VirtualNode(number) {
    case .shared(let album)?:
      return try madeReal(VirtualTree.sharedName, in: album, as: album, caller)
    case .sharedSize(let size, let album)?:
      let folder = try madeReal(VirtualTree.sharedName, in: album, as: album, caller)
      return try madeReal(Array(size.name.utf8), in: folder, as: album, caller)
    default: throw .readOnlyFileSystem
    }
  }

  /// A folder that is there or is made with the permissions of an album.
  private func madeReal(
    _ name: [UInt8], in parent: InodeNumber, as album: InodeNumber, _ caller: Caller
  ) throws(Errno) -> InodeNumber {
    if let folder = folder(name, in: parent) { return folder }
    guard let name = FileName(name) else { throw .invalidArgument }
    var caller = caller
    caller.umask = 0
    let mode = try fileSystem.attributes(of: album).mode & 0o777
    return try fileSystem.makeDirectory(name, in: parent, mode: mode, caller: caller).inode
  }
}
