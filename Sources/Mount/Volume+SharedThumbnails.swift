// A real `.sh_thumbnails` replaces the virtual one that every album has: a program that copies an album with such a
// folder must be able to make it.
//
// Invariants
// 1. The kernel sees one node number for a name, whether the folder is virtual or stored: `.sh_thumbnails` of an album,
//    and the size folders in it, keep their virtual numbers when they are stored. So an open directory continues in the
//    stored one.
// 2. To make, remove or set something in a virtual folder first makes the real one, empty and with the rights of its
//    album, by which the kernel has allowed the operation. When the real one is removed, the virtual one is back.
//    Rights to one object never let a user make something in an album or a real folder.
// 3. An object with such a name is renamed by copying (`EXDEV`), because its number belongs to the name.
// 4. The thread that made a directory finds no virtual folder in it. The kernel looks a name up before it makes a
//    directory, does not say why it looks, and does not ask to make one if the name exists.
// 5. Because the kernel caches listings, it is told of objects made without its knowledge before the answer.

internal import Albums
internal import CMount
internal import Glibc
internal import Index
internal import Library
internal import System
internal import SystemPackage
internal import Vault

extension Volume {
  /// The shared folder that a name in a directory means; nil for other names. `directory` is the node as the kernel
  /// knows it.
  func sharedFolder(_ name: borrowing FileName, in directory: InodeNumber, stored: InodeNumber) -> VirtualNode? {
    if name.bytes == VirtualTree.sharedName { return .shared(stored) }
    guard VirtualNode.isVirtual(directory), case .shared(let album)? = VirtualNode(directory) else { return nil }
    return SharedSize.allCases.first { $0.name.utf8.elementsEqual(name.bytes) }.map { .sharedSize($0, album) }
  }

  /// The attributes of the inode that a name leads to, under the number that the kernel knows.
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
    // The folder behind the number can change without a message to the kernel.
    return fuse_entry_param(attributes, seconds: 0)
  }

  /// The real folder that has replaced a virtual one; nil if there is none.
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

  /// The stored inode of a node that will be changed, or in which a name will be made or removed.
  ///
  /// - Throws: `EROFS` if the node is virtual and not a thumbnail folder; as `makeDirectory`.
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
        // The kernel has checked the rights of the album, and this folder may have different ones.
        if try !owns(folder, caller), try !haveSameRights(folder, album) { throw .permissionDenied }
      }
      let folder = try make(VirtualTree.sharedName, in: album, knownAs: album)
      return try make(Array(size.name.utf8), in: folder, knownAs: shared.number(of: node))
    default: throw .readOnlyFileSystem
    }
  }

  /// Whether the caller is root or the owner of a directory.
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

  /// The folder with that name, made if it does not exist.
  private func make(_ name: [UInt8], in parent: InodeNumber, knownAs number: InodeNumber) throws(Errno) -> InodeNumber {
    if let folder = try folder(name, in: parent) { return folder }
    guard let name = FileName(name) else { throw .invalidArgument }
    let folder = try fileSystem.directory(name, in: parent, madeLike: parent)
    shared.forgetListing(of: number)
    return folder
  }

  /// Makes the stored file that replaces a picture when a program opens the picture for writing. The kernel looks its
  /// name up again when it gets the returned error.
  ///
  /// - Throws: `EROFS` if it is not a picture in a stored directory; as `makeNode`.
  func replacePicture(_ node: VirtualNode, for caller: Caller) throws(Errno) -> Errno {
    guard case .picture(let size, let photo) = node, let place = virtual.place(ofPictureOf: photo) else {
      throw .readOnlyFileSystem
    }
    // The kernel has checked only the rights of the photo.
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

  /// Removes a file. A picture of the virtual folder disappears as soon as the real folder exists.
  func unlink(_ name: FileName, in parent: fuse_ino_t, for caller: @autoclosure () -> Caller) throws(Errno) {
    let directory = try writable(parent, for: caller())
    do throws(Errno) {
      try fileSystem.unlink(name, in: directory)
    } catch {
      guard error == .noSuchFileOrDirectory, VirtualNode.isVirtual(InodeNumber(rawValue: parent)) else { throw error }
    }
  }

  /// Removes a directory. A program that removes the virtual folder will make one with its name next, as mv does.
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
    // The kernel does not know this number, so it will never forget it.
    fileSystem.forget(removed)
  }

  /// Renames, or exchanges two names.
  ///
  /// - Throws: `EXDEV` if a directory would get, lose or leave a number that belongs to a name; `EBUSY` for the name of
  ///   the virtual folder in the root.
  func rename(
    _ name: FileName, in parent: fuse_ino_t, to newName: FileName, in newParent: fuse_ino_t, flags: RenameFlags,
    for caller: @autoclosure () -> Caller
  ) throws(Errno) {
    guard let source = try stored(parent) else { throw .readOnlyFileSystem }
    if VirtualNode.isVirtual(InodeNumber(rawValue: newParent)) { _ = try fileSystem.lookup(name, in: source) }
    let target = try writable(newParent, for: caller())
    // The kernel lets a directory replace another one; this one is virtual, and no directory is stored there.
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

  /// The stored inode of a node; nil if the node is virtual.
  func stored(_ number: fuse_ino_t) throws(Errno) -> InodeNumber? {
    let inode = InodeNumber(rawValue: number)
    return VirtualNode.isVirtual(inode) ? try real(inode) : inode
  }
}
