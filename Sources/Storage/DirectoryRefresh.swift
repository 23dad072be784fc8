// Renews every file and folder of a vault, so that no birth, inode, extent, or name left in a directory's blocks shows
// which files were created and in what order.
//
// Invariants
// 1. At every moment each file is whole under its name. A second tree of the same files grows in `refreshing/`, in
//    random order: a file is copied there; when the copy is durable, it takes the name of the old file, and the tree
//    gets a link to it. When the tree is whole and durable, it becomes `segments/` at once, and the old tree is
//    deleted. Where the host cannot exchange two names, renames replace files and, in three steps, the tree. Between
//    the first two there is no `segments/`: each file is whole under its name in `refreshing/`, which is read instead
//    (`DirectoryRefresh+Exchange.swift`).
// 2. In the old tree, a file is deleted only if `segments/` has one of the same name and length, or if it is a link to
//    a file that has another name there. Names that do not belong to the vault, and files that came during the refresh,
//    are moved to `segments/`. The new tree has a mark until it is complete; as long as it has, no other program has
//    put a file into it.
// 3. The remains of a killed refresh in `refreshing/` are one of the two trees, and not needed. If a kill came
//    between the renames of the trees, `.agonyfs-old` in the new tree is such a remainder, and first the renames are
//    completed. The next refresh removes the remains and begins again; a process that opens a space for writing and is
//    alone in the vault removes them, too. Until then a process that wipes or deletes a file in `segments/` does so
//    there as well, or fails.
// 4. Names are changed only in open directories: `segments/`, `refreshing/`, which is opened once, and a folder of one
//    of them. So nothing is changed in anything that is put in the place of one of these, such as a link (`VaultOwner`,
//    5).
// 5. All new files have one owner and mode, the same as files that are written later, and so have all folders. They
//    inherit no access list. So neither shows which came later.
//
// The vault's own directory stays, because a disk may be mounted on it. The names in it never change, except that
// `refreshing` comes and goes, and that `segments` is missing between two renames where names cannot be exchanged.

internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// The progress of a refresh.
package struct RefreshProgress: Sendable {
  /// Bytes that are renewed.
  package var done: Int64
  /// Bytes of all files that this refresh renews.
  package var total: Int64
}

/// A refresh of the vault in a directory. The caller has the lease on the vault exclusively.
package final class DirectoryRefresh {
  /// Called before each change in the directory. False ends the refresh there. If it stays false, the refresh leaves
  /// the same remains as one that is killed.
  package var mayChange: () -> Bool = { true }

  let directory: Descriptor
  /// `segments`, either the old tree or the new one.
  var root: Descriptor { storage.root }
  let owner: VaultOwner
  let storage: DirectoryStorage
  let fileCopy: FileCopy
  let progress: (RefreshProgress) -> Bool
  var state = RefreshProgress(done: 0, total: 0)
  /// The current action, for errors.
  var action = "reading the vault"
  /// The inodes of all files in `segments`, where they were looked up.
  var inodes: Set<ino_t>?
  /// The inodes of the files of the new tree.
  var renewed: [SegmentIdentifier: ino_t] = [:]
  /// Whether `segments` is the new tree.
  var hasExchanged = false
  /// The other tree, when it is open.
  var openedTree: Descriptor?

  /// A refresh of a storage.
  ///
  /// - Parameters:
  ///   - segmentSize: bytes of a complete file.
  ///   - progress: called after each file; false ends the refresh.
  package init(
    _ storage: DirectoryStorage, segmentSize: Int, progress: @escaping (RefreshProgress) -> Bool = { _ in true }
  ) {
    directory = storage.directory
    owner = storage.owner
    self.storage = storage
    fileCopy = FileCopy(completeSize: segmentSize, owner: owner)
    self.progress = progress
  }

  /// Renews everything. Changes nothing if there are short files. When it ends early, the vault is as usable as before.
  package func run() throws(RefreshError) {
    var needed: Int64 = 0
    var shortFiles = 0
    do throws(Errno) {
      var files = try allFiles()
      shortFiles = files.count { $0.size < fileCopy.completeSize }
      guard shortFiles == 0 else { throw .shortFiles }
      needed = room(for: files)
      // The remains of an earlier refresh take room until they are removed.
      if try status(of: Self.place, in: directory) == nil, try root.freeBytes() < needed { throw .noSpace }
      if try prepare() { files = try allFiles() }
      do throws(Errno) {
        if try root.freeBytes() < needed { throw .noSpace }
        state.total = files.reduce(0) { $0 + $1.size }
        try renew(files.shuffled())
      } catch {
        try? removeInterrupted()
        throw error
      }
      try finish()
    } catch {
      switch error {
      case .shortFiles: throw .shortFiles(shortFiles)
      case .noSpace, .diskQuotaExceeded: throw .noRoom(needed: needed, free: (try? root.freeBytes()) ?? 0)
      case .canceled: throw .interrupted
      case .moreReadable: throw .moreReadable
      // The others say nothing that helps more.
      case _ where isBetweenRenames: throw .betweenRenames(error, action)
      case .unsuitableHost: throw .unsuitableHost
      case .changedByOthers: throw .changedByOthers
      default: throw .system(error, action)
      }
    }
  }

  private func allFiles() throws(Errno) -> [(name: SegmentIdentifier, size: Int64)] {
    var files: [(name: SegmentIdentifier, size: Int64)] = []
    if let status = try status(of: StorageNames.parameters, in: directory) { try owner.checkCopy(of: status) }
    for folder in 0..<256 { files += try self.files(in: folder) }
    return files
  }

  /// Bytes that a refresh needs while it runs: a file, the blocks that name its extents, the folders and their names.
  private func room(for files: [(name: SegmentIdentifier, size: Int64)]) -> Int64 {
    let largest = files.map(\.size).max() ?? 0
    return largest + largest / 32 + Int64(files.count) * 256 + 8 << 20
  }

  /// Makes `refreshing`.
  ///
  /// - Returns: whether an earlier refresh had left something there; some of its files may have come back to
  ///   `segments`.
  private func prepare() throws(Errno) -> Bool {
    action = "preparing the refresh"
    var isNew = try status(of: Self.oldTree, in: root) == nil
    do throws(Errno) {
      if isNew { try makePlace() }
    } catch .fileExists {
      isNew = false
    }
    if !isNew {
      // The old directory has other names already, which a listing would show.
      try removeInterrupted()
      try makePlace()
    }
    do throws(Errno) {
      try checkOwner()
      try checkHost()
    } catch {
      try? removePlace()
      throw error
    }
    try owner.setTimes(of: ".", in: directory)
    try flushDirectory()
    return !isNew
  }

  /// `refreshing` when it is first asked for, and the other tree after the exchange.
  func secondTree() throws(Errno) -> Descriptor {
    if let openedTree { return openedTree }
    let opened = try owner.openFolder(Self.place, in: directory)
    // If both were the same tree, all its names would be deleted, as those of two links are.
    if try opened.status().st_ino == root.status().st_ino { throw .changedByOthers }
    openedTree = opened
    return opened
  }

  /// Makes `refreshing` as a directory from which files inherit only what they inherit in all folders.
  private func makePlace() throws(Errno) {
    try change { () throws(Errno) in
      try owner.makeFolder(Self.place, in: directory)
      let tree: Descriptor
      do throws(Errno) {
        tree = try secondTree()
      } catch .notPermitted {
        unsafe unlinkat(directory.number, Self.place, AT_REMOVEDIR)
        try? owner.setTimes(of: ".", in: directory)
        throw refusedOwner()
      }
      // The vault's directory may hand down access lists.
      for list in ["system.posix_acl_default", "system.posix_acl_access"] { unsafe fremovexattr(tree.number, list) }
    }
  }

  /// Checks that new files here belong to the owner and group of the vault. Otherwise only root and the owner can run a
  /// refresh.
  private func checkOwner() throws(Errno) {
    let (segments, place) = (try root.status(), try secondTree().status())
    guard place.st_uid == segments.st_uid, place.st_gid == segments.st_gid else { throw refusedOwner() }
  }

  private func refusedOwner() -> Errno {
    action = "giving the owner and group of \(StorageNames.segments) to new files"
    return .notPermitted
  }

  /// Makes the second tree, gives it the name `segments`, and deletes the first one.
  private func renew(_ files: [(name: SegmentIdentifier, size: Int64)]) throws(Errno) {
    action = "making folders"
    let (old, new) = (root, try secondTree())
    try change { () throws(Errno) in _ = try owner.create(Self.mark, in: new) }
    for folder in (0..<256).shuffled() {
      try change { () throws(Errno) in try owner.makeFolder(folderName(folder), in: new) }
    }
    try systemCall { fsync(new.number) }
    for (name, size) in files {
      try renew(name)
      state.done += size
      if !progress(state) { throw .canceled }
    }
    action = "exchanging the folders"
    for folder in 0..<256 { try complete(folderName(folder), in: new) }
    try change { () throws(Errno) in try systemCall { unsafe unlinkat(new.number, Self.mark, 0) } }
    try complete(".", in: new)
    try change { () throws(Errno) in try exchangeTrees(old, new) }
    for (name, inode) in renewed where try status(of: name.path, in: old) == nil {
      // Deleted by another program since.
      guard let folder = try owner.folder(folderName(name.folder), in: new) else { continue }
      let file = name.description
      if try status(of: file, in: folder)?.st_ino == inode { unsafe unlinkat(folder.number, file, 0) }
    }
    try removeFolders(.old(renewed))
  }

  /// Gives a folder of the new tree the constant time. Durable on return.
  private func complete(_ folder: String, in tree: Descriptor) throws(Errno) {
    try change { () throws(Errno) in
      let opened = try VaultFile.openDirectory(folder, in: tree)
      // The owner of the vault may have put something of root's in its place.
      guard try owner.mayUse(opened.status()) else { return }
      try VaultFile.setTimes(of: opened)
      try systemCall { fsync(opened.number) }
    }
  }

  /// Removes the remains of a refresh that was killed or failed. First finishes an exchange of the trees by renames.
  func removeInterrupted() throws(Errno) {
    try nameNewTree()
    let isInRoot = try status(of: Self.oldTree, in: root) != nil
    let isInPlace = try status(of: Self.place, in: directory) != nil
    if isInPlace || !isInRoot { try removeRemains() }
    if try takeOldTree() { try removeRemains() }
  }

  /// Removes `refreshing`, and moves what `segments` lacks there.
  private func removeRemains() throws(Errno) {
    if openedTree == nil, try removeEmptyPlace() { return }
    // After errors the tree may be the vault.
    if try isNamed(secondTree(), StorageNames.segments, in: directory) { throw .changedByOthers }
    let isMarked = try status(of: Self.mark, in: secondTree()) != nil
    try removeFolders(hasExchanged ? .old(renewed) : isMarked || !renewed.isEmpty ? .new : .unknown)
    try removePlace()
    try flushDirectory()
  }

  /// Removes `refreshing` if it is empty, even if it cannot be opened because a refresh was killed before the directory
  /// was given to the owner.
  private func removeEmptyPlace() throws(Errno) -> Bool {
    var isGone = false
    try change { () throws(Errno) in isGone = unsafe unlinkat(directory.number, Self.place, AT_REMOVEDIR) == 0 }
    if isGone {
      try owner.setTimes(of: ".", in: directory)
      try flushDirectory()
    }
    return isGone
  }

  private func removeFolders(_ tree: Tree) throws(Errno) {
    inodes = nil
    let folders = try Directory.names(in: ".", of: secondTree()).compactMap { folder(named: $0) }
    // The exchange before a kill may not be durable yet.
    if !folders.isEmpty { try change { () throws(Errno) in try flushAfterExchange() } }
    for folder in folders.shuffled() { try removeFolder(folder, of: tree) }
    try moveStrangers(of: tree)
  }

  /// Writes the parameters and the tokens of `agonyfs sync` again, and removes `refreshing`.
  private func finish() throws(Errno) {
    action = "writing \(StorageNames.parameters)"
    let tree = try secondTree()
    try change { () throws(Errno) in
      for name in [Self.parameters, Self.tokens] { unsafe unlinkat(tree.number, name, 0) }
      _ = try fileCopy.copy(StorageNames.parameters, in: directory, to: Self.parameters, in: tree, isDated: true)
      try systemCall { unsafe renameat(tree.number, Self.parameters, directory.number, StorageNames.parameters) }
      renewTokens(tree)
      try flushDirectory()
    }
    try removePlace()
    try change { () throws(Errno) in try owner.setTimes(of: ".", in: root) }
    try flushDirectory()
  }

  /// Writes the tokens of `agonyfs sync` again, which show otherwise when they were written. A file of this name that
  /// cannot be copied is no part of the vault.
  private func renewTokens(_ tree: Descriptor) {
    guard
      (try? fileCopy.copy(StorageNames.synced, in: directory, to: Self.tokens, in: tree, isDated: true)) != nil
    else { return }
    unsafe renameat(tree.number, Self.tokens, directory.number, StorageNames.synced)
  }

  private func removePlace() throws(Errno) {
    let tree = try secondTree()
    try change { () throws(Errno) in
      for name in Self.ownNames + Self.earlierNames { unsafe unlinkat(tree.number, name, 0) }
      for name in Self.probes + Self.earlierProbes { unsafe unlinkat(tree.number, name, AT_REMOVEDIR) }
      // Another program may have put something else there.
      unsafe unlinkat(directory.number, Self.place, AT_REMOVEDIR)
      openedTree = nil
      try owner.setTimes(of: ".", in: directory)
    }
  }
}

extension Errno {
  /// The host lacks what a refresh needs (EREMCHG).
  static var unsuitableHost: Errno { Errno(rawValue: Glibc.EREMCHG) }
  /// There are short files (ENODATA).
  fileprivate static var shortFiles: Errno { Errno(rawValue: Glibc.ENODATA) }
}
