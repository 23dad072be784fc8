internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// Renewing a file, and removing a folder of a tree that is not needed.
extension DirectoryRefresh {
  /// Copies a file, has the copy take its name, and links it into the second tree. Does nothing if it is gone.
  func renew(_ name: SegmentIdentifier) throws(Errno) {
    let (old, new) = (StorageNames.segments + "/" + name.path, Self.place + "/" + name.path)
    action = "renewing \(old)"
    let inode: ino_t
    do throws(Errno) {
      do throws(Errno) {
        inode = try copy(old, to: new)
      } catch .noSpace {
        // Some file systems free the room of deleted files only some time later.
        unsafe unlinkat(directory.number, new, 0)
        try systemCall { agonyfs_flush_file_system(root.number) }
        inode = try copy(old, to: new)
      }
      try change { () throws(Errno) in
        try exchange(new, old)
        if try status(of: new)?.st_ino == inode { return }
        // Another program has put a file there meanwhile.
        try exchange(new, old)
        throw .changedByOthers
      }
    } catch .noSuchFileOrDirectory {
      // Deleted by another program.
      unsafe unlinkat(directory.number, new, 0)
      return
    }
    try change { () throws(Errno) in
      try systemCall { unsafe unlinkat(directory.number, new, 0) }
      do throws(Errno) {
        try systemCall { unsafe linkat(directory.number, old, directory.number, new, 0) }
        renewed[name] = try status(of: new)?.st_ino
      } catch .noSuchFileOrDirectory {
        return
      }
    }
  }

  private func copy(_ old: String, to new: String) throws(Errno) -> ino_t {
    guard mayChange() else { throw .ioError }
    return try fileCopy.copy(old, to: new, in: directory)
  }

  /// Deletes the files in a folder in `refreshing` that are in `segments` as well, moves all else there, and removes
  /// the folder. Does nothing if there is none.
  ///
  /// - Parameter tree: which tree is in `refreshing`.
  func removeFolder(_ folder: Int, of tree: Tree) throws(Errno) {
    let (place, old) = (path(folder), newPath(folder))
    guard let found = try status(of: old), found.st_mode & S_IFMT == S_IFDIR else { return }
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
      switch try fate(of: name, in: folder, of: tree) {
      case .isInPlace:
        try change { () throws(Errno) in try systemCall { unsafe unlinkat(directory.number, from, 0) } }
        continue
      case .replaces(let file, let inode):
        try change { () throws(Errno) in try replace("\(place)/\(file)", by: "\(old)/\(file)", ifStill: inode) }
      case .moves: try move(from, to: to)
      }
      hasMoved = true
    }
    try change { () throws(Errno) in
      do throws(Errno) {
        try systemCall { unsafe unlinkat(directory.number, old, AT_REMOVEDIR) }
      } catch .directoryNotEmpty {
        // With what could not be moved.
      }
      try owner.setTimes(of: place, in: directory)
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

  /// Moves what is not a renewed file to `segments`. Where its name is taken by now, it gets another one.
  private func move(_ from: [CChar], to: [CChar]) throws(Errno) {
    try change { () throws(Errno) in
      do throws(Errno) {
        try systemCall { unsafe agonyfs_rename_if_absent(directory.number, from, to) }
      } catch .fileExists {
        for number in 1...99 {
          let other = to.dropLast() + ".old\(number)".utf8CString
          if unsafe agonyfs_rename_if_absent(directory.number, from, Array(other)) == 0 { return }
        }
      }
    }
  }

  /// Which tree is in `refreshing`.
  enum Tree {
    /// The new one, which is not complete.
    case new
    /// The old one, after the new one had these inodes.
    case old([SegmentIdentifier: ino_t])
    /// One of them: a kill left it.
    case unknown
  }

  /// What becomes of a name in a folder in `refreshing`.
  private enum Fate {
    /// The file is in `segments` as well, perhaps under another name, or was deleted there.
    case isInPlace
    /// The file in `segments`, which has this inode, is a part of it, or older.
    case replaces(SegmentIdentifier, ino_t)
    /// There is none in `segments`, or it is not the vault's.
    case moves
  }

  private func fate(of name: [UInt8], in folder: Int, of tree: Tree) throws(Errno) -> Fate {
    guard let identifier = SegmentIdentifier(name: name), identifier.folder == folder,
      let found = try status(of: newPath(folder) + "/" + identifier.description), found.st_mode & S_IFMT == S_IFREG
    else { return .moves }
    if case .old(let renewed) = tree, renewed[identifier] == found.st_ino { return .isInPlace }
    guard let other = try status(of: path(folder) + "/" + identifier.description) else {
      switch tree {
      case .new: return .isInPlace
      case .old: return .moves
      case .unknown: return try hasOtherName(found) ? .isInPlace : .moves
      }
    }
    guard other.st_mode & S_IFMT == S_IFREG else { return .moves }
    // Of two links one may go. A rename would leave both.
    if found.st_ino == other.st_ino { return .isInPlace }
    var isOlder = found.st_size > other.st_size
    if case .old(let renewed) = tree { isOlder = renewed[identifier] == other.st_ino }
    return isOlder ? .replaces(identifier, other.st_ino) : .isInPlace
  }

  /// Moves names in `refreshing` that are not the vault's to `segments`, where the old tree had them.
  func moveStrangers(of tree: Tree) throws(Errno) {
    var own = Self.ownNames + Self.probes
    if case .unknown = tree { own += Self.earlierNames + Self.earlierProbes }
    for name in try Directory.names(in: Self.place, of: directory) where folder(named: name) == nil {
      if own.contains(String(decoding: name, as: UTF8.self)) { continue }
      try move(Self.path(Self.place, name), to: Self.path(StorageNames.segments, name))
    }
  }

  /// Makes an exchange durable, and resets the times that it changed.
  func flushAfterExchange() throws(Errno) {
    try owner.setTimes(of: ".", in: root)
    try systemCall { fsync(root.number) }
    try flush(Self.place)
    try flush(".")
  }
}
