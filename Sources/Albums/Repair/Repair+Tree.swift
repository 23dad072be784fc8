internal import Index
internal import Vault

/// Gives everything a place in the tree.
extension Repair {
  func keepOneName(of inode: InodeNumber, _ index: Index) throws(IndexError) -> Bool {
    let names = try index.names(of: [inode])
    let parent = try index.inode(inode)?.parent
    guard names.count > 1, let kept = names.firstIndex(where: { $0.parent == parent }) ?? names.indices.first else {
      return false
    }
    for (place, name) in names.enumerated() where place != kept {
      try index.deleteDentry(parent: name.parent, name: name.name)
    }
    return true
  }

  /// Sets the parent of each directory to the one that holds its name. Only directories have one.
  func setParent(of inode: InodeNumber, _ index: Index) throws(IndexError) -> Bool {
    guard let record = try index.inode(inode) else { return false }
    var parent: InodeNumber?
    if record.kind == Checker.directoryKind {
      let names = try index.names(of: [inode])
      // Another step removes one of several names first.
      guard names.count < 2 || names.contains(where: { $0.parent == record.parent }) else { return false }
      parent = inode == .root ? .root : names.count == 1 ? names[0].parent : record.parent
      // Without a name and a parent it goes to `lost+found`.
      if parent == nil { parent = try lostAndFoundDirectory(index) }
    }
    if parent == record.parent { return false }
    try change(inode, index) { $0.parent = parent }
    return true
  }

  func giveName(to inode: InodeNumber, _ index: Index) throws(IndexError) -> Bool {
    guard let record = try index.inode(inode), try index.names(of: [inode]).isEmpty else { return false }
    let directory = try lostAndFoundDirectory(index)
    var name = "#\(inode.rawValue)"
    while try index.dentry(parent: directory, name: try Self.name(name)) != nil { name += "+" }
    try index.insertDentry(
      parent: directory,
      DentryRecord(name: try Self.name(name), inode: inode, kind: record.kind, cookie: index.nextCookie()))
    if record.kind == Checker.directoryKind {
      try change(inode, index) { $0.parent = directory }
      try change(directory, index) { $0.addLink() }
    }
    return true
  }

  func moveToLostAndFound(_ inode: InodeNumber, _ index: Index) throws(IndexError) -> Bool {
    if try isReachable(inode, index) { return false }
    for name in try index.names(of: [inode]) {
      try index.deleteDentry(parent: name.parent, name: name.name)
      try change(name.parent, index) { $0.links -= $0.links > 2 ? 1 : 0 }
    }
    return try giveName(to: inode, index)
  }

  private func isReachable(_ inode: InodeNumber, _ index: Index) throws(IndexError) -> Bool {
    var seen: Set<InodeNumber> = []
    var current = inode
    while current != .root {
      guard seen.insert(current).inserted, let parent = try index.inode(current)?.parent,
        try index.entry(ofDirectory: current) != nil
      else { return false }
      current = parent
    }
    return true
  }

  /// `lost+found` in the root, created when it is first needed. It gets another name if something other than a
  /// directory has this one.
  private func lostAndFoundDirectory(_ index: Index) throws(IndexError) -> InodeNumber {
    if let lostAndFound { return lostAndFound }
    var name = "lost+found"
    while let entry = try index.dentry(parent: .root, name: try Self.name(name)) {
      if entry.kind == Checker.directoryKind, try index.inode(entry.inode)?.kind == Checker.directoryKind {
        lostAndFound = entry.inode
        return entry.inode
      }
      name += "+"
    }
    guard let root = try index.inode(.root) else { throw .damaged }
    let directory = InodeRecord(
      number: index.nextInodeNumber(), mode: FileKind.directory | 0o700, links: 2, owner: root.owner,
      group: root.group, time: .now(), parent: .root)
    try index.insert(directory)
    try index.insertDentry(
      parent: .root,
      DentryRecord(
        name: try Self.name(name), inode: directory.number, kind: directory.kind, cookie: index.nextCookie()))
    try change(.root, index) { $0.addLink() }
    lostAndFound = directory.number
    return directory.number
  }

  private static func name(_ text: String) throws(IndexError) -> FileName {
    guard let name = FileName(text) else { throw .damaged }
    return name
  }
}
