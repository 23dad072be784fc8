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
        try removeOld(folder, copied: nil)
        try systemCall { agonyfs_flush_file_system(root.number) }
        copied = try copy(folder)
      }
    } catch {
      try? removeOld(folder, copied: nil)
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
    if !isMissing { try removeOld(folder, copied: copied) }
  }

  /// Copies a folder to a new one in `refreshing`. Durable on return.
  ///
  /// - Returns: the inodes of the files that were copied.
  private func copy(_ folder: Int) throws(Errno) -> [SegmentIdentifier: ino_t] {
    let (old, new) = (path(folder), newPath(folder))
    try change { () throws(Errno) in try systemCall { unsafe mkdirat(directory.number, new, 0o700) } }
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
      // A folder that a copy lacks gets the mode and owner of all of them.
      let like: stat
      if let status = try status(of: old) { like = status } else { like = try FileCopy.status(of: root) }
      try FileCopy.setOwnerAndMode(of: opened, to: like)
      try VaultFile.setTimes(of: opened)
      try systemCall { fsync(opened.number) }
    }
    return copied
  }

  /// Deletes the files in a folder in `refreshing` that are in `segments` as well, moves all else there, and removes
  /// the folder. Does nothing if there is none.
  ///
  /// - Parameter copied: the inodes of those that were copied, if this is the old folder; nil if that is not known.
  func removeOld(_ folder: Int, copied: [SegmentIdentifier: ino_t]?) throws(Errno) {
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
    // An exchange that a kill followed may not be durable yet.
    if copied == nil { try change { () throws(Errno) in try flushAfterExchange() } }
    var hasMoved = false
    for name in try Directory.names(in: old, of: directory) {
      let (from, to) = (Self.path(old, name), Self.path(place, name))
      switch try fate(of: name, in: folder, copied) {
      case .isInPlace:
        try change { () throws(Errno) in try systemCall { unsafe unlinkat(directory.number, from, 0) } }
        continue
      case .replaces:
        try change { () throws(Errno) in
          try systemCall { unsafe renameat(directory.number, from, directory.number, to) }
        }
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

  /// What becomes of a name in a folder in `refreshing`.
  private enum Fate {
    /// The file is in `segments` as well.
    case isInPlace
    /// The file in `segments` is a part of it, or older.
    case replaces
    /// There is none in `segments`, or it is not the vault's.
    case moves
  }

  private func fate(
    of name: [UInt8], in folder: Int, _ copied: [SegmentIdentifier: ino_t]?
  ) throws(Errno) -> Fate {
    guard let identifier = SegmentIdentifier(name: name), identifier.folder == folder,
      let found = try status(of: newPath(folder) + "/" + identifier.description), found.st_mode & S_IFMT == S_IFREG,
      let other = try status(of: path(folder) + "/" + identifier.description), other.st_mode & S_IFMT == S_IFREG
    else { return .moves }
    let hasCome = copied.map { $0[identifier] != found.st_ino } ?? false
    return hasCome || found.st_size > other.st_size ? .replaces : .isInPlace
  }

  /// Makes an exchange durable, and resets the times that it changed.
  private func flushAfterExchange() throws(Errno) {
    try VaultFile.setTimes(of: root)
    try systemCall { fsync(root.number) }
    try flush(Self.place)
  }
}
