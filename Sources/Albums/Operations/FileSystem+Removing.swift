package import Index
package import SystemPackage
package import Vault

/// Removes and renames.
extension FileSystem {
  /// Removes a name of an inode other than a directory, and returns the inode.
  ///
  /// - Throws: `ENOENT`, `EISDIR`, `ENOTDIR`, `EROFS`.
  @discardableResult
  package func unlink(_ name: FileName, in parent: InodeNumber) throws(Errno) -> InodeNumber {
    try changing { files throws(Errno) in try files.remove(name, in: parent, isDirectory: false) }
  }

  /// Removes an empty directory and returns its inode number.
  ///
  /// - Throws: `ENOENT`, `ENOTDIR`, `ENOTEMPTY`, `EROFS`; `EINVAL` for "." and `ENOTEMPTY` for "..", as on Linux.
  @discardableResult
  package func removeDirectory(_ name: FileName, in parent: InodeNumber) throws(Errno) -> InodeNumber {
    try changing { files throws(Errno) in
      if name.isDotOrDotDot { throw name.count == 1 ? .invalidArgument : .directoryNotEmpty }
      return try files.remove(name, in: parent, isDirectory: true)
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
    try changing { files throws(ChangeError) in
      let move = try ChangeError.result(of: files.move(name, in: parent, to: newName, in: newParent, flags))
      if move.replaced == nil, move.exchanged == nil { try files.requireRoom() }
      try ChangeError.result(of: files.perform(move))
    }
  }
}

/// A rename. At most one of `replaced` and `exchanged` is set.
package struct Move {
  /// The old name, and its directory.
  package let name: FileName
  package let source: Inode
  /// The new name, and its directory.
  package let newName: FileName
  package let target: Inode
  let entry: DentryRecord
  /// The moved inode.
  package let inode: Inode
  /// The inode that loses the new name; nil if nothing has it.
  package let replaced: Inode?
  /// The inode that gets the old name in exchange for the new one.
  package let exchanged: Inode?
}

extension LockedFileSystem {
  /// The inodes and entries of a rename.
  fileprivate func move(
    _ name: FileName, in parent: InodeNumber, to newName: FileName, in newParent: InodeNumber, _ flags: RenameFlags
  ) throws(Errno) -> Move {
    let source = try directory(parent)
    let target = try directory(newParent)
    guard let (entry, inode) = try find(name, in: parent) else { throw .noSuchFileOrDirectory }
    let existing = try find(newName, in: newParent)
    if existing != nil && flags.contains(.noReplace) { throw .fileExists }
    if existing == nil && flags.contains(.exchange) { throw .noSuchFileOrDirectory }
    guard target.record.links > 0 else { throw .noSuchFileOrDirectory }
    if inode.isDirectory { try requireOutside(target, inode) }
    let exchanged = flags.contains(.exchange) ? existing?.inode : nil
    if let exchanged, exchanged.isDirectory { try requireOutside(source, exchanged) }
    return Move(
      name: name, source: source, newName: newName, target: target, entry: entry, inode: inode,
      replaced: exchanged == nil ? existing?.inode : nil, exchanged: exchanged)
  }

  @discardableResult
  func remove(_ name: FileName, in parent: InodeNumber, isDirectory: Bool) throws(Errno) -> InodeNumber {
    let directory = try directory(parent)
    guard let (_, inode) = try find(name, in: parent) else { throw .noSuchFileOrDirectory }
    guard inode.isDirectory == isDirectory else { throw isDirectory ? .notDirectory : .isDirectory }
    if isDirectory { try requireEmpty(inode) }
    _ = try result(of: index.deleteDentry(parent: parent, name: name))
    let now = Timestamp.now()
    if isDirectory { directory.record.removeLink() }
    touch(directory, now)
    loseName(inode, now)
    changeSink.noteName(name, .removed, in: parent, of: inode, self)
    return inode.number
  }

  /// - Throws: `ENOTEMPTY`.
  private func requireEmpty(_ directory: Inode) throws(Errno) {
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
      // Directories on the way are not brought into memory, because a path may be very deep.
      let parent =
        if let known = inodes[current] { known.record.parent } else {
          try result(of: index.inode(current))?.parent
        }
      guard let parent else { return }
      current = parent
    }
    if ancestor.number == .root { throw .invalidArgument }
  }

  fileprivate func perform(_ move: Move) throws(Errno) {
    let inode = move.inode
    if move.replaced === inode || move.exchanged === inode { return }
    if let existing = move.replaced {
      if inode.isDirectory {
        guard existing.isDirectory else { throw .notDirectory }
        try requireEmpty(existing)
      } else if existing.isDirectory {
        throw .isDirectory
      }
    }
    // Within a directory an entry keeps its cookie. Otherwise a program that renames while it lists might never end.
    let keepsCookie = move.source === move.target && move.exchanged == nil
    let entry = DentryRecord(
      name: move.newName, inode: inode.number, kind: inode.record.kind,
      cookie: keepsCookie ? move.entry.cookie : index.nextCookie())
    try withSavepoint { index throws(IndexError) in
      try index.deleteDentry(parent: move.source.number, name: move.name)
      try index.replaceDentry(parent: move.target.number, entry)
      if let existing = move.exchanged {
        let back = DentryRecord(
          name: move.name, inode: existing.number, kind: existing.record.kind, cookie: index.nextCookie())
        try index.insertDentry(parent: move.source.number, back)
      }
    }
    let now = Timestamp.now()
    if let existing = move.exchanged, existing.isDirectory { reparent(existing, from: move.target, to: move.source) }
    if let existing = move.replaced {
      if existing.isDirectory { move.target.record.removeLink() }
      loseName(existing, now)
    }
    if inode.isDirectory { reparent(inode, from: move.source, to: move.target) }
    let moved: [Inode?] = [inode, move.exchanged]
    for case let inode? in moved {
      inode.record.changed = now
      markChanged(inode)
    }
    changeSink.noteMove(move, self)
    touch(move.source, now)
    touch(move.target, now)
  }

  private func reparent(_ inode: Inode, from source: Inode, to target: Inode) {
    guard source !== target else { return }
    source.record.removeLink()
    target.record.addLink()
    inode.record.parent = target.number
  }
}
