internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// Renewing one folder.
extension DirectoryRefresh {
  /// Copies a folder to a new one, exchanges them, and deletes the old one.
  func renew(_ folder: Int) throws(Errno) {
    action = "renewing \(path(folder))"
    let copied: [SegmentIdentifier: ino_t]
    let before = state
    do throws(Errno) {
      do throws(Errno) {
        copied = try copy(folder)
      } catch .noSpace {
        // Some file systems free the room of deleted files only some time later.
        state = before
        try removeOld(folder)
        try systemCall { agonyfs_flush_file_system(root.number) }
        copied = try copy(folder)
      }
    } catch {
      try? removeOld(folder)
      throw error
    }
    let isMissing = try status(of: path(folder)) == nil
    try change { () throws(Errno) in
      if isMissing {
        try systemCall { unsafe agonyfs_rename_if_absent(directory.number, newPath(folder), path(folder)) }
      } else {
        try exchange(newPath(folder), path(folder))
      }
      try flushAfterExchange()
    }
    if !isMissing { try removeOld(folder, .copied(copied)) }
  }

  /// Copies a folder to a new one in `refreshing`. Durable on return.
  ///
  /// - Returns: the inodes of the files that were copied.
  private func copy(_ folder: Int) throws(Errno) -> [SegmentIdentifier: ino_t] {
    let (old, new) = (path(folder), newPath(folder))
    try change { () throws(Errno) in try owner.makeFolder(new, in: directory) }
    var copied: [SegmentIdentifier: ino_t] = [:]
    for (name, size) in try files(in: folder).shuffled() {
      let file = "/" + name.description
      try change { () throws(Errno) in
        copied[name] = try fileCopy.copy(old + file, to: new + file, in: directory)
      }
      state.done += size
      if !progress(state) { throw .canceled }
    }
    try change { () throws(Errno) in
      let opened = try VaultFile.openDirectory(new, in: directory)
      // A folder that a copy lacks has the mode and owner of all of them.
      if let status = try status(of: old) { try FileCopy.setOwnerAndMode(of: opened, to: status) }
      try VaultFile.setTimes(of: opened)
      try systemCall { fsync(opened.number) }
    }
    return copied
  }

  /// Deletes the files in a folder in `refreshing` that are in `segments` as well, moves all else there, and removes
  /// the folder. Does nothing if there is none.
  ///
  /// - Parameter known: what is known of the folder.
  func removeOld(_ folder: Int, _ known: KnownFiles = .none) throws(Errno) {
    let (place, old) = (path(folder), newPath(folder))
    guard try status(of: old) != nil else { return }
    if try status(of: place) == nil {
      // A copy of a vault that was being refreshed, or somebody's own hand.
      try change { () throws(Errno) in
        try systemCall { unsafe agonyfs_rename_if_absent(directory.number, old, place) }
        try flushAfterExchange()
      }
      return
    }
    var hasMoved = false
    for name in try Directory.names(in: old, of: directory).shuffled() {
      let (from, to) = (Self.path(old, name), Self.path(place, name))
      switch try fate(of: name, in: folder, known) {
      case .isInPlace:
        try change { () throws(Errno) in try systemCall { unsafe unlinkat(directory.number, from, 0) } }
        continue
      case .replaces(let file, let inode):
        try change { () throws(Errno) in try replace("\(place)/\(file)", by: "\(old)/\(file)", ifStill: inode) }
      case .moves:
        try change { () throws(Errno) in
          try systemCall { unsafe agonyfs_rename_if_absent(directory.number, from, to) }
        }
      }
      hasMoved = true
    }
    try change { () throws(Errno) in
      try systemCall { unsafe unlinkat(directory.number, old, AT_REMOVEDIR) }
      try VaultFile.setTimes(of: place, in: directory)
      if hasMoved { try flush(place) }
    }
  }

  /// Puts a file in the place of another one, unless something else came there since that was looked at.
  private func replace(_ place: String, by path: String, ifStill inode: ino_t) throws(Errno) {
    do throws(Errno) {
      try exchange(path, place)
    } catch .noSuchFileOrDirectory {
      try systemCall { unsafe agonyfs_rename_if_absent(directory.number, path, place) }
      return
    }
    if try status(of: path)?.st_ino != inode { try exchange(path, place) }
    try systemCall { unsafe unlinkat(directory.number, path, 0) }
  }

  /// What a refresh knows of the files of a folder in `refreshing`.
  enum KnownFiles {
    /// Nothing: a kill left it.
    case none
    /// It is the old folder, and these inodes in it were copied. A file with another one has come.
    case copied([SegmentIdentifier: ino_t])
  }

  /// What becomes of a name in a folder in `refreshing`.
  private enum Fate {
    /// The file is in `segments` as well, perhaps under another name.
    case isInPlace
    /// The file in `segments`, which has this inode, is a part of it, or older.
    case replaces(SegmentIdentifier, ino_t)
    /// There is none in `segments`, or it is not the vault's.
    case moves
  }

  private func fate(of name: [UInt8], in folder: Int, _ known: KnownFiles) throws(Errno) -> Fate {
    guard let identifier = SegmentIdentifier(name: name), identifier.folder == folder,
      let found = try status(of: newPath(folder) + "/" + identifier.description), found.st_mode & S_IFMT == S_IFREG
    else { return .moves }
    guard let other = try status(of: path(folder) + "/" + identifier.description) else {
      if case .none = known, try hasOtherName(found) { return .isInPlace }
      return .moves
    }
    guard other.st_mode & S_IFMT == S_IFREG else { return .moves }
    // Of two links one may go. A rename would leave both.
    if found.st_ino == other.st_ino { return .isInPlace }
    let isReplacing =
      switch known {
      case .none: found.st_size > other.st_size
      case .copied(let inodes): inodes[identifier] != found.st_ino || found.st_size > other.st_size
      }
    return isReplacing ? .replaces(identifier, other.st_ino) : .isInPlace
  }

  /// Makes an exchange durable, and resets the times that it changed.
  func flushAfterExchange() throws(Errno) {
    try VaultFile.setTimes(of: root)
    try systemCall { fsync(root.number) }
    try flush(Self.place)
  }
}
