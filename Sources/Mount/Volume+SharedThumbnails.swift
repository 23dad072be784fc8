// A real `.sh_thumbnails` in place of the virtual one that every album has: whoever copies an album with such a folder must
// be able to make it.
//
// Invariants
// 1. A name has one node number for the kernel, whatever it leads to: `.sh_thumbnails` of an album, and in it the folder of
//    a size, have the virtual one also when they are stored. Open directories then go on in what is there.
// 2. What is made, removed or set in a virtual folder makes the real one first, empty and with the rights of its album, by
//    which the kernel has allowed it. The virtual one is there again when the real one is removed. Nobody makes anything in
//    an album, or in a real folder, by rights to something else.
// 3. What lies at such a name is renamed by copying (`EXDEV`), as its number belongs to the name.
// 4. Whoever made a directory finds no virtual folder in it. The kernel looks a name up before it makes a directory, does
//    not say why it looks, and asks for nothing when there is an answer.
// 5. The kernel hears of what is made without its knowledge before the answer, as it keeps listings.

internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import Library
internal import System
internal import SystemPackage
internal import Vault

extension Volume {
  /// The folder that a name in a directory means, if it is one of these. `directory` is the node as the kernel knows it.
  func sharedFolder(_ name: borrowing FileName, in directory: InodeNumber, stored: InodeNumber) -> VirtualNode? {
    if name.bytes == VirtualTree.sharedName { return .shared(stored) }
    guard VirtualNode.isVirtual(directory), case .shared(let album)? = VirtualNode(directory) else { return nil }
    return SharedSize.allCases.first { $0.name.utf8.elementsEqual(name.bytes) }.map { .sharedSize($0, album) }
  }

  /// The attributes of what a name leads to, under the number that the kernel knows.
  func shown(
    _ attributes: Attributes, as name: borrowing FileName, in directory: InodeNumber, stored: InodeNumber
  ) -> fuse_entry_param {
    guard attributes.kind == Self.directoryKind,
      name.isHidden || VirtualNode.isVirtual(directory),
      let node = sharedFolder(name, in: directory, stored: stored)
    else { return fuse_entry_param(attributes) }
    return shown(attributes, as: node)
  }

  /// The attributes of a stored inode under the number that the kernel knows.
  @inline(__always)
  func shown(_ attributes: Attributes, under number: fuse_ino_t) -> fuse_entry_param {
    let inode = InodeNumber(rawValue: number)
    guard VirtualNode.isVirtual(inode), let node = VirtualNode(inode) else { return fuse_entry_param(attributes) }
    return shown(attributes, as: node)
  }

  /// The attributes of a shared folder, real or not.
  func shown(_ attributes: Attributes, as node: VirtualNode) -> fuse_entry_param {
    var attributes = attributes
    attributes.inode = shared.number(of: node)
    // What it leads to changes with no word to the kernel.
    return fuse_entry_param(attributes, seconds: 0)
  }

  /// The real folder that has taken the place of a virtual one.
  ///
  /// - Throws: `ENOENT` for the number of a folder that was removed; `EIO`.
  func real(_ number: InodeNumber) throws(Errno) -> InodeNumber? {
    switch VirtualNode(number) {
    case let node? where node.isSharedFolder:
      guard shared.number(of: node) == number else { throw .noSuchFileOrDirectory }
      return try real(node)
    default: return nil
    }
  }

  private func real(_ node: VirtualNode) throws(Errno) -> InodeNumber? {
    switch node {
    case .shared(let album): return try folder(VirtualTree.sharedName, in: album)
    case .sharedSize(let size, let album):
      guard let real = try folder(VirtualTree.sharedName, in: album) else { return nil }
      return try folder(Array(size.name.utf8), in: real)
    default: return nil
    }
  }

  private func folder(_ name: [UInt8], in parent: InodeNumber) throws(Errno) -> InodeNumber? {
    guard let name = FileName(name) else { return nil }
    let found = try ifThere { () throws(Errno) in try fileSystem.lookup(name, in: parent) }
    return found?.kind == Self.directoryKind ? found?.inode : nil
  }

  /// The inode of a node at which something is to be changed, or in which something is to be made or removed.
  ///
  /// - Throws: `EROFS` for what is not stored and no folder for thumbnails; as `makeDirectory`.
  @inline(__always)
  func writable(_ number: fuse_ino_t, for caller: @autoclosure () -> Caller) throws(Errno) -> InodeNumber {
    let inode = InodeNumber(rawValue: number)
    return VirtualNode.isVirtual(inode) ? try madeReal(inode, for: caller()) : inode
  }

  private func madeReal(_ number: InodeNumber, for caller: Caller) throws(Errno) -> InodeNumber {
    if let real = try real(number) { return real }
    switch VirtualNode(number) {
    case .shared(let album)?: return try make(VirtualTree.sharedName, in: album, knownAs: album)
    case .sharedSize(let size, let album)?:
      let node = VirtualNode.shared(album)
      if let folder = try real(node) {
        // The kernel has looked at the rights of the album, and this one may have got others.
        if try !owns(folder, caller), try !haveSameRights(folder, album) { throw .permissionDenied }
      }
      let folder = try make(VirtualTree.sharedName, in: album, knownAs: album)
      return try make(Array(size.name.utf8), in: folder, knownAs: shared.number(of: node))
    default: throw .readOnlyFileSystem
    }
  }

  /// Whether somebody is root or the owner of a directory.
  func owns(_ directory: InodeNumber, _ caller: Caller) throws(Errno) -> Bool {
    if caller.user == 0 { return true }
    return try fileSystem.attributes(of: directory).owner == caller.user
  }

  private func haveSameRights(_ one: InodeNumber, _ other: InodeNumber) throws(Errno) -> Bool {
    let (first, second) = (try fileSystem.attributes(of: one), try fileSystem.attributes(of: other))
    guard first.mode == second.mode, first.owner == second.owner, first.group == second.group else { return false }
    return try accessList(of: one) == accessList(of: other)
  }

  private func accessList(of directory: InodeNumber) throws(Errno) -> [UInt8]? {
    do throws(Errno) {
      return try fileSystem.extendedAttribute(AccessControlList.accessName, of: directory)
    } catch .noData {
      return nil
    }
  }

  /// The folder of that name, made if there is none.
  private func make(_ name: [UInt8], in parent: InodeNumber, knownAs number: InodeNumber) throws(Errno) -> InodeNumber {
    if let folder = try folder(name, in: parent) { return folder }
    guard let name = FileName(name) else { throw .invalidArgument }
    let folder = try fileSystem.directory(name, in: parent, madeLike: parent)
    shared.forgetListing(of: number)
    return folder
  }

  /// Makes the stored file that stands in the place of a picture which somebody opens to write; the kernel then looks its
  /// name up again when it gets the error that this returns.
  ///
  /// - Throws: `EROFS` for what is no picture in a stored directory; as `makeNode`.
  func replacePicture(_ node: VirtualNode, for caller: Caller) throws(Errno) -> Errno {
    guard case .picture(let size, let photo) = node, let place = virtual.place(ofPictureOf: photo) else {
      throw .readOnlyFileSystem
    }
    // The kernel has looked at the rights of the photo only.
    if try !owns(place.album, caller) { throw .permissionDenied }
    let folderNumber = shared.number(of: .sharedSize(size, place.album))
    let folder = try madeReal(folderNumber, for: caller)
    do throws(Errno) {
      let mode = try fileSystem.attributes(of: photo).mode & 0o666 | UInt32(Glibc.S_IFREG)
      _ = try fileSystem.makeNode(place.name, in: folder, mode: mode, device: 0, caller: caller)
      shared.forgetListing(of: folderNumber)
    } catch {
      guard error == .fileExists else { throw error }
    }
    return .staleNFSFileHandle
  }
}

// MARK: Names

extension Volume {
  func makeDirectory(
    _ name: FileName, in parent: fuse_ino_t, mode: UInt32, caller: Caller
  ) throws(Errno) -> fuse_entry_param {
    let directory = try writable(parent, for: caller)
    let made = try fileSystem.makeDirectory(name, in: directory, mode: mode, caller: caller)
    shared.note(made.inode, madeBy: caller.process)
    return shown(made, as: name, in: InodeNumber(rawValue: parent), stored: directory)
  }

  /// Removes a file. What the virtual folder had under that name is gone when the real one is there.
  func unlink(_ name: FileName, in parent: fuse_ino_t, for caller: @autoclosure () -> Caller) throws(Errno) {
    let directory = try writable(parent, for: caller())
    do throws(Errno) {
      try fileSystem.unlink(name, in: directory)
    } catch {
      guard error == .noSuchFileOrDirectory, VirtualNode.isVirtual(InodeNumber(rawValue: parent)) else { throw error }
    }
  }

  /// Removes a directory. Whoever removes the virtual folder makes one in its place next, as mv does.
  func removeDirectory(
    _ name: FileName, in parent: fuse_ino_t, for caller: @autoclosure () -> Caller
  ) throws(Errno) {
    guard let directory = try stored(parent) else {
      throw VirtualNode(InodeNumber(rawValue: parent))?.isSharedFolder == true
        ? .noSuchFileOrDirectory : .readOnlyFileSystem
    }
    guard let node = sharedFolder(name, in: InodeNumber(rawValue: parent), stored: directory) else {
      _ = try fileSystem.removeDirectory(name, in: directory)
      return
    }
    if case .shared(let album) = node, try real(node) == nil {
      shared.note(album, madeBy: caller().process)
      throw .noSuchFileOrDirectory
    }
    let removed = try fileSystem.removeDirectory(name, in: directory)
    shared.noteRemoval(of: node)
    // The kernel knows no number that it could forget.
    fileSystem.forget(removed)
  }

  /// Renames, or exchanges two names.
  ///
  /// - Throws: `EXDEV` where a directory would get, lose or leave a number that belongs to a name; `EBUSY` for the name of
  ///   the folder that is served in the root.
  func rename(
    _ name: FileName, in parent: fuse_ino_t, to newName: FileName, in newParent: fuse_ino_t, flags: RenameFlags,
    for caller: @autoclosure () -> Caller
  ) throws(Errno) {
    guard let source = try stored(parent) else { throw .readOnlyFileSystem }
    if VirtualNode.isVirtual(InodeNumber(rawValue: newParent)) { _ = try fileSystem.lookup(name, in: source) }
    let target = try writable(newParent, for: caller())
    // The kernel lets a directory take the place of another one; this one is served, and nothing is stored there.
    if target == .root, newName.bytes == VirtualTree.controlName {
      do throws(Errno) {
        _ = try fileSystem.lookup(newName, in: target)
      } catch .noSuchFileOrDirectory {
        throw .resourceBusy
      }
    }
    if sharedFolder(name, in: InodeNumber(rawValue: parent), stored: source) != nil
      || sharedFolder(newName, in: InodeNumber(rawValue: newParent), stored: target) != nil
    {
      let other = flags.contains(.exchange) ? try? fileSystem.lookup(newName, in: target) : nil
      let entry = try fileSystem.lookup(name, in: source)
      if entry.kind == Self.directoryKind || other?.kind == Self.directoryKind { throw .improperLink }
    }
    try fileSystem.rename(name, in: source, to: newName, in: target, flags: flags)
  }

  /// The stored inode of a node, if there is one.
  func stored(_ number: fuse_ino_t) throws(Errno) -> InodeNumber? {
    let inode = InodeNumber(rawValue: number)
    return VirtualNode.isVirtual(inode) ? try real(inode) : inode
  }
}
