internal import Index
internal import Vault

/// Checks whether the directories make one tree, and whether inodes describe themselves correctly.
extension Checker {
  /// Looks at one inode by itself, and keeps the data that later checks need.
  mutating func noteForLater(_ inode: InodeRecord) {
    if inode.hasExtendedAttributes { withAttributes.insert(inode.number) }
    if inode.isDistorted { note(inode.number, "its size or a time is impossible", .straighten(inode.number)) }
    let isDirectory = inode.kind == Self.directoryKind
    if isDirectory != (inode.parent != nil) {
      note(inode.number, "only a directory has a parent directory", .setParent(inode.number))
    }
    if isDirectory { directories[inode.number] = inode.links > 0 ? inode.parent : .root }
    let isLink = inode.mode & FileKind.mask == FileKind.symbolicLink
    if isLink != (inode.target != nil) || (isLink && inode.size != Int64(inode.target?.count ?? 0)) {
      note(inode.number, "the target of the symbolic link does not match its inode", .setTarget(inode.number))
    }
  }

  /// Compares every entry with its inode, and follows every directory up to the root.
  mutating func checkTree() throws(IndexError) {
    try forEachRow(index.dentries(after:limit:), by: \.self) { checkEntry($0) }
    var reached: Set<InodeNumber> = [.root]
    for directory in directories.keys.sorted() {
      var path: Set<InodeNumber> = []
      var current = directory
      // The directory that has to move so that the others can be reached, too.
      var highest = directory
      while !reached.contains(current) {
        guard path.insert(current).inserted, let parent = directories[current] else {
          note(
            directory, "the directory cannot be reached from the root",
            .moveToLostAndFound(path.contains(current) && directories[current] != nil ? current : highest))
          break
        }
        highest = current
        current = parent
      }
      reached.formUnion(path)
    }
  }

  private mutating func checkEntry(_ located: LocatedDentry) {
    let inode = located.entry.inode
    let parent = directories[inode]
    if directories[located.parent] == nil {
      note(inode, "it has a name in an inode that is not a directory", .dropName(located.parent, located.entry.name))
    }
    if (parent != nil) != (located.entry.kind == Self.directoryKind) {
      note(inode, "the type of a name differs from the type of the inode", .setKind(located.parent, located.entry.name))
    }
    if let parent, parent != located.parent { note(inode, "the directory records another parent", .setParent(inode)) }
  }

  /// Compares the inodes that should have extended attributes with those that have them.
  mutating func checkAttributes() throws(IndexError) {
    try forEachRow(index.inodesWithAttributes(after:limit:), by: \.self) { owner in
      if withAttributes.remove(owner) != nil { return }
      note(owner, "its inode does not record that it has extended attributes", .setHasAttributes(owner, true))
    }
    for inode in withAttributes.sorted() {
      note(inode, "its extended attributes are missing", .setHasAttributes(inode, false))
    }
  }
}
