// Exchanges of names, and what does the same where the host cannot exchange two names (sshfs, ceph-fuse, ntfs-3g).
//
// Invariants
// 1. A file that takes the place of another one there replaces it by a plain rename, so that a whole file has the name
//    at every moment. Right before, the file in that place is examined: only what another program puts there between
//    this and the rename is lost.
// 2. The trees are exchanged there by three renames, and after the first one both trees are whole all the time:
//      a. `segments` becomes `refreshing/.agonyfs-old`. Until the next rename there is no `segments`, and the new tree
//         in `refreshing` is the vault (`DirectoryStorage.openTree`).
//      b. `refreshing` becomes `segments`, with the old tree in it.
//      c. `segments/.agonyfs-old` becomes `refreshing`, as after an exchange.
//    Each rename is durable before the next one. After an error of the first two, `segments` is the old tree again. A
//    process that is alone in the vault and removes the remains of a refresh first makes the renames that a kill, or a
//    host that refuses the way back, prevented. Until then the old tree is in the new one, and a process that wipes or
//    deletes a file does so in both.
// 3. A rename that has moved another directory than the intended one is undone. None replaces a directory that is not
//    empty.

internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

extension DirectoryRefresh {
  /// Gives the name of the old tree to the new one. Durable on return.
  func exchangeTrees(_ old: Descriptor, _ new: Descriptor) throws(Errno) {
    guard try exchange(Self.place, in: directory, with: StorageNames.segments, in: directory) else {
      return try renameTrees(old, new)
    }
    use(new, besides: old, hasExchanged: true)
    let isNew = try isNamed(new, StorageNames.segments, in: directory)
    let isOld = try isNamed(old, Self.place, in: directory)
    if !isNew || !isOld {
      // Another program has put another directory there since.
      _ = try exchange(Self.place, in: directory, with: StorageNames.segments, in: directory)
      use(old, besides: new, hasExchanged: false)
      throw .changedByOthers
    }
    try flushDirectory()
  }

  private func renameTrees(_ old: Descriptor, _ new: Descriptor) throws(Errno) {
    guard try isNamed(new, Self.place, in: directory) else { throw .changedByOthers }
    do throws(Errno) {
      try rename(old, StorageNames.segments, in: directory, to: Self.oldTree, in: new)
      // From here on the new tree is the vault.
      use(new, besides: old, hasExchanged: true)
      try flush([new, directory])
      try nameNewTree()
    } catch {
      renameBack(old, new)
      throw error
    }
    _ = try takeOldTree()
  }

  /// Gives the old tree the name `segments` again after an error of the first two renames, unless the second one was
  /// made. Whatever fails here, the tree in use is the one that other processes find.
  private func renameBack(_ old: Descriptor, _ new: Descriptor) {
    do throws(Errno) {
      if try isNamed(old, Self.oldTree, in: new), try !isNamed(new, StorageNames.segments, in: directory) {
        try rename(old, Self.oldTree, in: new, to: StorageNames.segments, in: directory)
        try flush([directory, new])
      }
    } catch {
      // The first error says more.
    }
    if (try? isNamed(old, StorageNames.segments, in: directory)) == true {
      use(old, besides: new, hasExchanged: false)
    } else if (try? isNamed(old, Self.oldTree, in: new)) == true {
      use(new, besides: old, hasExchanged: true)
    } else {
      // It is not known where the trees are, so neither is the other one.
      openedTree = nil
    }
  }

  /// Takes one of the trees as the vault's.
  private func use(_ tree: Descriptor, besides other: Descriptor, hasExchanged: Bool) {
    storage.use(tree)
    (openedTree, self.hasExchanged) = (other, hasExchanged)
  }

  /// Whether the vault has no `segments`, because neither the second rename of the trees nor the way back was possible.
  var isBetweenRenames: Bool {
    do throws(Errno) {
      guard try status(of: StorageNames.segments, in: directory) == nil else { return false }
      return try status(of: Self.oldTree, in: root) != nil
    } catch {
      return false
    }
  }

  /// Gives the new tree the name `segments` if it is in `refreshing` and has the old one in it.
  ///
  /// - Throws: `.changedByOthers`, also if there is no `segments` and this is not the reason.
  func nameNewTree() throws(Errno) {
    if try status(of: Self.oldTree, in: root) == nil {
      guard try status(of: StorageNames.segments, in: directory) != nil else { throw .changedByOthers }
      return
    }
    if try isNamed(root, StorageNames.segments, in: directory) { return }
    guard try isNamed(root, Self.place, in: directory) else { throw .changedByOthers }
    let new = try owner.openFolder(Self.place, in: directory)
    try rename(new, Self.place, in: directory, to: StorageNames.segments, in: directory)
    try flush([directory])
  }

  /// Moves the old tree from the new one to `refreshing`.
  ///
  /// - Returns: whether it was in the new one.
  func takeOldTree() throws(Errno) -> Bool {
    guard let found = try status(of: Self.oldTree, in: root), found.st_mode & S_IFMT == S_IFDIR else { return false }
    let old = try owner.openFolder(Self.oldTree, in: root)
    try rename(old, Self.oldTree, in: root, to: Self.place, in: directory)
    openedTree = old
    try flush([directory, root])
    return true
  }

  /// Renames a directory.
  ///
  /// - Throws: `.changedByOthers` when another one has its name, or something has the new name.
  private func rename(
    _ tree: Descriptor, _ name: String, in folder: Descriptor, to other: String, in otherFolder: Descriptor
  ) throws(Errno) {
    guard try isNamed(tree, name, in: folder) else { throw .changedByOthers }
    try change { () throws(Errno) in
      do throws(Errno) {
        try systemCall { unsafe renameat(folder.number, name, otherFolder.number, other) }
      } catch .fileExists, .directoryNotEmpty, .notDirectory {
        throw .changedByOthers
      } catch .improperLink {
        throw .unsuitableHost
      }
      if try isNamed(tree, other, in: otherFolder) { return }
      try systemCall { unsafe renameat(otherFolder.number, other, folder.number, name) }
      throw .changedByOthers
    }
  }

  /// Makes a rename durable: the new name first.
  private func flush(_ folders: [Descriptor]) throws(Errno) {
    for folder in folders {
      let opened = try VaultFile.openDirectory(".", in: folder)
      try systemCall { fsync(opened.number) }
    }
  }

  /// Whether a name in an open directory is that of this directory.
  func isNamed(_ tree: Descriptor, _ name: String, in folder: Descriptor) throws(Errno) -> Bool {
    guard let found = try status(of: name, in: folder) else { return false }
    let own = try tree.status()
    return found.st_ino == own.st_ino && found.st_dev == own.st_dev
  }

  /// Exchanges the files of two names, each in its open directory.
  ///
  /// - Returns: false if the host cannot do that.
  private func exchange(
    _ name: String, in folder: Descriptor, with other: String, in otherFolder: Descriptor
  ) throws(Errno) -> Bool {
    do throws(Errno) {
      return try storage.abilities.use(.exchange) { () throws(Errno) in
        try systemCall { unsafe agonyfs_exchange(folder.number, name, otherFolder.number, other) }
      }
    } catch .improperLink {
      throw .unsuitableHost
    }
  }

  /// Puts a file in the place of the one of the same name in another folder. Afterwards its old name is that of the
  /// other file, or free.
  ///
  /// - Parameter inode: the file that was examined in that place.
  /// - Returns: false if another one is there since; then it stays.
  /// - Throws: `.noSuchFileOrDirectory` when there is none.
  func put(
    _ file: String, from folder: Descriptor, to otherFolder: Descriptor, inPlaceOf inode: ino_t
  ) throws(Errno) -> Bool {
    if try exchange(file, in: folder, with: file, in: otherFolder) {
      if try status(of: file, in: folder)?.st_ino == inode { return true }
      _ = try exchange(file, in: folder, with: file, in: otherFolder)
      return false
    }
    guard let found = try status(of: file, in: otherFolder) else { throw .noSuchFileOrDirectory }
    if found.st_ino != inode { return false }
    try systemCall { unsafe renameat(folder.number, file, otherFolder.number, file) }
    return true
  }

  /// Moves a file or directory to another directory, on every host.
  ///
  /// - Throws: `.fileExists`.
  func moveIfAbsent(
    _ name: [CChar], from folder: Descriptor, to otherFolder: Descriptor, as other: [CChar]
  ) throws(Errno) {
    let isMoved = try storage.abilities.use(.renameWithoutReplacing) { () throws(Errno) in
      try systemCall { unsafe agonyfs_move_if_absent(folder.number, name, otherFolder.number, other) }
    }
    if isMoved { return }
    if unsafe linkat(folder.number, name, otherFolder.number, other, 0) == 0 {
      try systemCall { unsafe unlinkat(folder.number, name, 0) }
      return
    }
    // Directories have no second name. A rename replaces at most an empty one.
    do throws(Errno) {
      try systemCall { unsafe faccessat(otherFolder.number, other, F_OK, AT_SYMLINK_NOFOLLOW) }
    } catch .noSuchFileOrDirectory {
      try systemCall { unsafe renameat(folder.number, name, otherFolder.number, other) }
      return
    }
    throw .fileExists
  }

  /// Deletes a file. Does nothing if it is gone.
  func deleteIfThere(_ file: String, in folder: Descriptor) throws(Errno) {
    _ = try ifThere { () throws(Errno) in try systemCall { unsafe unlinkat(folder.number, file, 0) } }
  }

  /// Tries in `refreshing` what a refresh needs: links, and an exchange of two directories or a plain rename of one.
  /// Checks that everything is on one file system.
  func checkHost() throws(Errno) {
    let (tree, probes) = (try secondTree(), Self.probes)
    defer { for probe in probes { unsafe unlinkat(tree.number, probe, AT_REMOVEDIR) } }
    try change { () throws(Errno) in
      for probe in probes {
        do throws(Errno) {
          try owner.makeFolder(probe, in: tree)
        } catch .fileExists {
          continue
        }
      }
      if try exchange(probes[0], in: tree, with: probes[1], in: tree) { return }
      unsafe unlinkat(tree.number, probes[1], AT_REMOVEDIR)
      do throws(Errno) {
        try systemCall { unsafe renameat(tree.number, probes[0], tree.number, probes[1]) }
      } catch .invalidArgument, .noFunction, .notSupported, .notPermitted {
        throw .unsuitableHost
      }
    }
    try change { () throws(Errno) in
      let isLinked = try storage.abilities.use(.hardLinks) { () throws(Errno) in
        try systemCall { unsafe linkat(directory.number, StorageNames.parameters, tree.number, Self.link, 0) }
      }
      guard isLinked else { throw .unsuitableHost }
      unsafe unlinkat(tree.number, Self.link, 0)
    }
    let device = try tree.status().st_dev
    for name in ["."] + (0..<256).map(folderName) {
      if let found = try status(of: name, in: root), found.st_dev != device { throw .unsuitableHost }
    }
  }
}
