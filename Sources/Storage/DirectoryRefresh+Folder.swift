internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// Renews a file, and removes a folder of a tree that is not needed.
extension DirectoryRefresh {
  /// Copies a file, gives the copy the name of the file, and links it into the second tree. Does nothing if the file is
  /// gone.
  func renew(_ name: SegmentIdentifier) throws(Errno) {
    let file = name.description
    action = "renewing \(StorageNames.segments)/\(name.path)"
    let old, new: Descriptor
    do throws(Errno) {
      old = try owner.openFolder(folderName(name.folder), in: root)
      new = try owner.openFolder(folderName(name.folder), in: secondTree())
    } catch .noSuchFileOrDirectory {
      return
    }
    do throws(Errno) {
      // Some hosts number a file differently after it was closed.
      let held = try Descriptor.open(file, in: old, agonyfs_path_flag() | O_NOFOLLOW)
      defer { withExtendedLifetime(held) {} }
      let inode: ino_t
      do throws(Errno) {
        inode = try copy(file, in: old, to: new)
      } catch .noSpace {
        // Some file systems free the room of deleted files only some time later.
        unsafe unlinkat(new.number, file, 0)
        try systemCall { agonyfs_flush_file_system(root.number) }
        inode = try copy(file, in: old, to: new)
      }
      try change { () throws(Errno) in
        if try !put(file, from: new, to: old, inPlaceOf: inode) { throw .changedByOthers }
      }
    } catch .noSuchFileOrDirectory {
      // Deleted by another program.
      unsafe unlinkat(new.number, file, 0)
      return
    }
    try change { () throws(Errno) in
      try deleteIfThere(file, in: new)
      do throws(Errno) {
        try systemCall { unsafe linkat(old.number, file, new.number, file, 0) }
        renewed[name] = try status(of: file, in: new)?.st_ino
      } catch .noSuchFileOrDirectory {
        return
      }
    }
  }

  private func copy(_ file: String, in old: Descriptor, to new: Descriptor) throws(Errno) -> ino_t {
    guard mayChange() else { throw .ioError }
    return try fileCopy.copy(file, in: old, to: file, in: new)
  }

  /// Deletes the files in a folder in `refreshing` that are in `segments` as well, moves everything else there, and
  /// removes the folder. Does nothing if there is none. If the vault's owner has put something else in the place of
  /// this folder or of the one in `segments`, that stays.
  ///
  /// - Parameter tree: the tree that is in `refreshing`.
  func removeFolder(_ folder: Int, of tree: Tree) throws(Errno) {
    let (second, name) = (try secondTree(), folderName(folder))
    let old: Descriptor
    do throws(Errno) {
      old = try owner.openFolder(name, in: second)
    } catch .noSuchFileOrDirectory, .notDirectory {
      return
    } catch .notPermitted, .permissionDenied {
      // A refresh was killed before the folder was given to the owner, or another program put it there. If it is empty,
      // deleting it loses nothing.
      try change { () throws(Errno) in _ = unsafe unlinkat(second.number, name, AT_REMOVEDIR) }
      return
    }
    if try status(of: name, in: root) == nil {
      // This is a copy of a vault during a refresh, or the user moved the folder.
      try change { () throws(Errno) in
        let text = Self.cString(Array(name.utf8))
        try moveIfAbsent(text, from: second, to: root, as: text)
        try flushAfterExchange()
      }
      return
    }
    let new = try owner.folder(name, in: root)
    var hasMoved = false
    if let new { hasMoved = try empty(old, into: new, folder, of: tree) }
    try change { () throws(Errno) in
      do throws(Errno) {
        try systemCall { unsafe unlinkat(second.number, name, AT_REMOVEDIR) }
      } catch .directoryNotEmpty {
        // The folder still has names that could not be moved.
      }
      guard let new else { return }
      try owner.setTimes(of: ".", in: new)
      if hasMoved { try systemCall { fsync(new.number) } }
    }
  }

  /// - Returns: whether anything was moved.
  private func empty(
    _ old: Descriptor, into new: Descriptor, _ folder: Int, of tree: Tree
  ) throws(Errno) -> Bool {
    var hasMoved = false
    for name in try Directory.names(in: ".", of: old).shuffled() {
      switch try fate(of: name, in: old, beside: new, folder, of: tree) {
      case .isInPlace:
        let file = Self.cString(name)
        try change { () throws(Errno) in
          // A network file system may list names for some seconds that are gone.
          _ = try ifThere { () throws(Errno) in try systemCall { unsafe unlinkat(old.number, file, 0) } }
        }
        continue
      case .replaces(let file, let inode):
        try change { () throws(Errno) in try replace(file.description, in: new, from: old, ifStill: inode) }
      case .moves: try move(name, from: old, to: new)
      }
      hasMoved = true
    }
    return hasMoved
  }

  /// Puts a file in the place of the one in another folder, unless another file came there since it was examined.
  private func replace(
    _ file: String, in new: Descriptor, from old: Descriptor, ifStill inode: ino_t
  ) throws(Errno) {
    do throws(Errno) {
      _ = try put(file, from: old, to: new, inPlaceOf: inode)
    } catch .noSuchFileOrDirectory {
      let name = Self.cString(Array(file.utf8))
      try moveIfAbsent(name, from: old, to: new, as: name)
      return
    }
    // Two links to one file both stay when one is renamed to the other.
    try deleteIfThere(file, in: old)
  }

  /// Moves a name other than a renewed file to `segments`. If its name is taken by now, it gets another one. The owner
  /// of both directories could do the same, so the owner of the file does not matter.
  private func move(_ name: [UInt8], from old: Descriptor, to new: Descriptor) throws(Errno) {
    let from = Self.cString(name)
    try change { () throws(Errno) in
      do throws(Errno) {
        try moveIfAbsent(from, from: old, to: new, as: from)
      } catch .fileExists {
        for number in 1...99 {
          let other = Self.cString(name + Array(".old\(number)".utf8))
          if (try? moveIfAbsent(from, from: old, to: new, as: other)) != nil { return }
        }
      }
    }
  }

  private static func cString(_ name: [UInt8]) -> [CChar] { (name + [0]).map { CChar(bitPattern: $0) } }

  /// The tree that is in `refreshing`.
  enum Tree {
    /// The new one, which is not complete.
    case new
    /// The old one, after the new one had these inodes.
    case old([SegmentIdentifier: ino_t])
    /// One of them, left by a refresh that was killed.
    case unknown
  }

  /// How a name in a folder in `refreshing` is handled.
  private enum Fate {
    /// The file is in `segments` as well, perhaps under another name, or was deleted there.
    case isInPlace
    /// The file in `segments`, which has this inode, is a part of this file, or older than it.
    case replaces(SegmentIdentifier, ino_t)
    /// There is none in `segments`, or the name does not belong to the vault.
    case moves
  }

  private func fate(
    of name: [UInt8], in old: Descriptor, beside new: Descriptor, _ folder: Int, of tree: Tree
  ) throws(Errno) -> Fate {
    guard let identifier = SegmentIdentifier(name: name), identifier.folder == folder,
      let found = try status(of: identifier.description, in: old), found.st_mode & S_IFMT == S_IFREG
    else { return .moves }
    if case .old(let renewed) = tree, renewed[identifier] == found.st_ino { return .isInPlace }
    guard let other = try status(of: identifier.description, in: new) else {
      switch tree {
      case .new: return .isInPlace
      case .old: return .moves
      case .unknown: return try hasOtherName(found) ? .isInPlace : .moves
      }
    }
    guard other.st_mode & S_IFMT == S_IFREG else { return .moves }
    // One of two links may be deleted. A rename would leave both.
    if found.st_ino == other.st_ino { return .isInPlace }
    var isOlder = found.st_size > other.st_size
    if case .old(let renewed) = tree { isOlder = renewed[identifier] == other.st_ino }
    return isOlder ? .replaces(identifier, other.st_ino) : .isInPlace
  }

  /// Moves names in `refreshing` that do not belong to the vault to `segments`, where the old tree had them.
  func moveStrangers(of tree: Tree) throws(Errno) {
    let second = try secondTree()
    var own = Self.ownNames + Self.probes
    if case .unknown = tree { own += Self.earlierNames + Self.earlierProbes }
    for name in try Directory.names(in: ".", of: second) where folder(named: name) == nil {
      if own.contains(String(decoding: name, as: UTF8.self)) { continue }
      try move(name, from: second, to: root)
    }
  }
}
