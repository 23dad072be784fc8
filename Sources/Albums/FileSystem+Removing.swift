package import Index
package import SystemPackage
package import Vault

/// Removing and renaming.
extension FileSystem {
  /// Removes a name of anything but a directory, and returns its inode.
  ///
  /// - Throws: `ENOENT`, `EISDIR`, `ENOTDIR`, `EROFS`.
  @discardableResult
  package func unlink(_ name: FileName, in parent: InodeNumber) throws(Errno) -> InodeNumber {
    try changing { files throws(Errno) in
      let directory = try files.directory(parent)
      guard let (_, inode) = try files.find(name, in: parent) else { throw .noSuchFileOrDirectory }
      guard !inode.isDirectory else { throw .isDirectory }
      _ = try files.result(of: files.index.deleteDentry(parent: parent, name: name))
      let now = Timestamp.now()
      files.touch(directory, now)
      files.loseName(inode, now)
      return inode.number
    }
  }

  /// Removes an empty directory and returns its inode number.
  ///
  /// - Throws: `ENOENT`, `ENOTDIR`, `ENOTEMPTY`, `EROFS`; `EINVAL` for "." and `ENOTEMPTY` for "..", as Linux has it.
  @discardableResult
  package func removeDirectory(_ name: FileName, in parent: InodeNumber) throws(Errno) -> InodeNumber {
    try changing { files throws(Errno) in
      if name.isDotOrDotDot { throw name.count == 1 ? .invalidArgument : .directoryNotEmpty }
      let directory = try files.directory(parent)
      guard let (_, inode) = try files.find(name, in: parent) else { throw .noSuchFileOrDirectory }
      guard inode.isDirectory else { throw .notDirectory }
      try files.requireEmpty(inode)
      _ = try files.result(of: files.index.deleteDentry(parent: parent, name: name))
      let now = Timestamp.now()
      directory.record.removeLink()
      files.touch(directory, now)
      files.loseName(inode, now)
      return inode.number
    }
  }

  /// Renames, or exchanges two names.
  ///
  /// - Throws: `ENOENT`, `EEXIST` (with `noReplace`), `EISDIR`, `ENOTDIR`, `ENOTEMPTY`; `EINVAL` when a directory would
  ///   become its own descendant, or for unknown flags; `ENOSPC`, `EROFS`.
  package func rename(
    _ name: FileName, in parent: InodeNumber, to newName: FileName, in newParent: InodeNumber, flags: RenameFlags
  ) throws(Errno) {
    guard flags.isSubset(of: [.noReplace, .exchange]), flags != [.noReplace, .exchange] else { throw .invalidArgument }
    if name.isDotOrDotDot || newName.isDotOrDotDot { throw .resourceBusy }
    try changing { files throws(Errno) in
      let source = try files.directory(parent)
      let target = try files.directory(newParent)
      guard let (entry, inode) = try files.find(name, in: parent) else { throw .noSuchFileOrDirectory }
      let existing = try files.find(newName, in: newParent)
      if existing != nil && flags.contains(.noReplace) { throw .fileExists }
      if existing == nil && flags.contains(.exchange) { throw .noSuchFileOrDirectory }
      guard target.record.links > 0 else { throw .noSuchFileOrDirectory }
      if inode.isDirectory { try files.requireOutside(target, inode) }
      var move = Move(name: name, source: source, newName: newName, target: target, entry: entry, inode: inode)
      move.existing = existing
      if flags.contains(.exchange) {
        if let existing, existing.inode.isDirectory { try files.requireOutside(source, existing.inode) }
        try files.exchange(move)
      } else {
        try files.perform(move)
      }
    }
  }
}

/// A rename.
private struct Move {
  let name: FileName
  let source: Inode
  let newName: FileName
  let target: Inode
  let entry: DentryRecord
  let inode: Inode
  var existing: (entry: DentryRecord, inode: Inode)?
}

extension LockedFileSystem {
  /// - Throws: `ENOTEMPTY`.
  func requireEmpty(_ directory: Inode) throws(Errno) {
    guard try result(of: index.isDirectoryEmpty(directory.number)) else {
      throw .directoryNotEmpty
    }
  }

  /// Notes that an inode lost a name, which for a directory was its only one.
  func loseName(_ inode: Inode, _ time: Timestamp) {
    if inode.isDirectory { inode.record.links = 0 } else { inode.record.removeLink() }
    inode.record.changed = time
    markChanged(inode)
    if inode.record.links == 0 { inodes.noteOrphaned(inode) }
  }

  /// - Throws: `EINVAL` when `directory` is `ancestor` or below it.
  fileprivate func requireOutside(_ directory: Inode, _ ancestor: Inode) throws(Errno) {
    var current = directory.number
    while current != .root {
      if current == ancestor.number { throw .invalidArgument }
      // Directories on the way are not brought into memory: a path may be very deep.
      let parent =
        if let known = inodes.table[current] { known.record.parent } else {
          try result(of: index.inode(current))?.parent
        }
      guard let parent else { return }
      current = parent
    }
    if ancestor.number == .root { throw .invalidArgument }
  }

  fileprivate func perform(_ move: Move) throws(Errno) {
    let inode = move.inode
    if let existing = move.existing?.inode {
      if existing === inode { return }
      if inode.isDirectory {
        guard existing.isDirectory else { throw .notDirectory }
        try requireEmpty(existing)
      } else if existing.isDirectory {
        throw .isDirectory
      }
    } else {
      try requireRoom()
    }
    // Within a directory an entry keeps its cookie. Otherwise a program that renames while it lists might never end.
    let cookie = move.source === move.target ? move.entry.cookie : index.nextCookie()
    let entry = DentryRecord(name: move.newName, inode: inode.number, kind: inode.record.kind, cookie: cookie)
    try withSavepoint { index throws(IndexError) in
      try index.deleteDentry(parent: move.source.number, name: move.name)
      try index.replaceDentry(parent: move.target.number, entry)
    }
    let now = Timestamp.now()
    if let existing = move.existing?.inode {
      if existing.isDirectory { move.target.record.removeLink() }
      loseName(existing, now)
    }
    if inode.isDirectory { reparent(inode, from: move.source, to: move.target) }
    if move.name.isHidden != move.newName.isHidden { noteName(move.newName, of: inode) }
    finish(move, [inode], now)
  }

  fileprivate func exchange(_ move: Move) throws(Errno) {
    guard let existing = move.existing, existing.inode !== move.inode else { return }
    let forward = DentryRecord(
      name: move.newName, inode: move.inode.number, kind: move.inode.record.kind, cookie: index.nextCookie())
    let back = DentryRecord(
      name: move.name, inode: existing.inode.number, kind: existing.inode.record.kind, cookie: index.nextCookie())
    try withSavepoint { index throws(IndexError) in
      try index.replaceDentry(parent: move.target.number, forward)
      try index.replaceDentry(parent: move.source.number, back)
    }
    if move.inode.isDirectory { reparent(move.inode, from: move.source, to: move.target) }
    if existing.inode.isDirectory { reparent(existing.inode, from: move.target, to: move.source) }
    if move.name.isHidden != move.newName.isHidden {
      noteName(move.newName, of: move.inode)
      noteName(move.name, of: existing.inode)
    }
    finish(move, [move.inode, existing.inode], .now())
  }

  private func reparent(_ inode: Inode, from source: Inode, to target: Inode) {
    guard source !== target else { return }
    source.record.removeLink()
    target.record.addLink()
    inode.record.parent = target.number
  }

  private func finish(_ move: Move, _ moved: [Inode], _ now: Timestamp) {
    for inode in moved {
      inode.record.changed = now
      markChanged(inode)
    }
    touch(move.source, now)
    touch(move.target, now)
  }
}
