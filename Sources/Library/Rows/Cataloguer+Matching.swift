// Matching finds which files of a directory belong together, as stacks and as photos with their sidecars, and which
// file is the directory's cover.

internal import Albums
internal import Catalog
internal import Index
internal import Media
internal import System
internal import SystemPackage
internal import Vault

/// The known facts about the files of a directory.
private struct DirectoryContent {
  /// The result for a photo when the directory was last matched.
  struct Known {
    var sidecars: [Int64]
    var stack: StackMembership?
    var isEdited: Bool
    var isCover: Bool
    /// Whether the file's own metadata states that it is edited.
    var saysEdited: Bool
    var stackWord: String?
  }

  var candidates: [StackCandidate] = []
  var known: [UInt64: Known] = [:]
  var sidecars: [SidecarFile] = []
  /// Sidecars that were read, but not yet merged into the photos next to them.
  var fresh: Set<UInt64> = []
  /// The cover in the directory's attribute.
  var cover: AlbumCover?
  /// The file of the cover. It may have another name than when it was chosen.
  var coverInode: UInt64? {
    guard let cover else { return nil }
    return candidates.first { $0.name == cover.name }?.inode ?? cover.inode
  }

  mutating func add(_ row: ItemRecord, _ item: MediaItem, _ directory: InodeNumber) throws(IndexError) {
    var candidate = StackCandidate(inode: item.inode, directory: directory.rawValue, name: row.name, kind: item.kind)
    candidate.taken = item.taken
    candidate.camera = item.camera.name
    candidate.contentIdentifier = item.links.contentIdentifier
    candidate.burstIdentifier = item.links.burstIdentifier
    candidate.duration = item.video.duration
    candidates.append(candidate)
    let packed = PackedRecord(packed: row.record)
    known[item.inode] = Known(
      sidecars: packed?.sidecars ?? [], stack: item.links.stack, isEdited: item.links.isEdited,
      isCover: item.words.isCover, saysEdited: (try? FactList(decoding: row.found))?.saysEdited ?? false,
      stackWord: packed?.stackWord)
  }
}

extension Cataloguer {
  /// Rows and names that are read while the lock is held once.
  private static let batch = 512

  func match(_ directory: InodeNumber) throws(Errno) {
    try begin(directory)
    defer {
      fileSystem.locked { files in
        files.catalog.matching = nil
        files.signals[.sinkDone].broadcast()
      }
    }
    let content = try read(directory)
    fileSystem.locked { $0.catalog.note(directory, photos: content.candidates.count) }
    let matched = Sidecars.match(content.sidecars, to: content.candidates)
    let stacks = StackRules.stacks(of: content.candidates, decisions: decisions(content))
    var memberships: [UInt64: StackMembership] = [:]
    for stack in stacks.list {
      for member in stack.members {
        memberships[member] = StackMembership(stack: stack.cover, kind: stack.kind, isCover: member == stack.cover)
      }
    }
    let cover = content.coverInode
    var changes: [(inode: UInt64, known: DirectoryContent.Known, reads: Bool)] = []
    for candidate in content.candidates {
      guard let old = content.known[candidate.inode] else { continue }
      var new = old
      let sidecars = matched.ofMedia[candidate.inode] ?? [:]
      new.sidecars = SidecarFile.Kind.allCases.compactMap { sidecars[$0].map { Int64(bitPattern: $0) } }
      new.stack = memberships[candidate.inode]
      new.isEdited = stacks.edited.contains(candidate.inode) || old.saysEdited
      new.isCover = candidate.inode == cover
      let reads =
        new.sidecars != old.sidecars || new.sidecars.contains { content.fresh.contains(UInt64(bitPattern: $0)) }
      if reads || new.stack != old.stack || new.isEdited != old.isEdited || new.isCover != old.isCover {
        changes.append((candidate.inode, new, reads))
      }
    }
    for start in stride(from: 0, to: changes.count, by: Self.batch) {
      try store(changes[start..<min(start + Self.batch, changes.count)])
    }
    try end(directory, content.fresh)
  }

  private func decisions(_ content: DirectoryContent) -> StackDecisions {
    var decisions = StackDecisions()
    var groups: [String: Set<UInt64>] = [:]
    for (inode, known) in content.known {
      guard let word = known.stackWord else { continue }
      if word == UserWord.apart { decisions.alone.insert(inode) } else { groups[word, default: []].insert(inode) }
    }
    decisions.together = groups.values.filter { $0.count > 1 }.sorted { ($0.min() ?? 0) < ($1.min() ?? 0) }
    return decisions
  }

  /// Marks the directory, so that changes from now on cause another match.
  private func begin(_ directory: InodeNumber) throws(Errno) {
    try change { files throws(Errno) in
      // Each of the two waits releases the lock.
      repeat {
        files.catalogUpdates.waitForMatching()
        try files.waitToChange()
      } while files.catalog.matching != nil
      try files.withIndex { index throws(IndexError) in
        try index.catalog.addStale(directory, .matching)
        try index.catalog.removeStale(directory, .match)
      }
      files.catalog.matching = directory
    }
  }

  private func end(_ directory: InodeNumber, _ fresh: Set<UInt64>) throws(Errno) {
    try change { files throws(Errno) in
      try files.withSavepoint { index throws(IndexError) in
        for sidecar in fresh {
          let number = InodeNumber(rawValue: sidecar)
          guard let known = try index.catalog.sidecar(number) else { continue }
          try index.catalog.setSidecar(number, version: abs(known.version), found: known.found)
        }
        try index.catalog.removeStale(directory, .matching)
      }
    }
  }

  private func store(_ changes: ArraySlice<(inode: UInt64, known: DirectoryContent.Known, reads: Bool)>) throws(Errno) {
    try change { files throws(Errno) in
      try files.withSavepoint { index throws(IndexError) in
        for (inode, known, reads) in changes {
          let number = InodeNumber(rawValue: inode)
          guard var row = try index.catalog.item(number), var packed = PackedRecord(packed: row.record) else {
            continue
          }
          packed.sidecars = known.sidecars
          packed.stackKind = known.stack?.kind
          row.stack = known.stack.map { InodeNumber(rawValue: $0.stack) }
          row.record = packed.packed
          row.flags = ItemFlags(rawValue: row.flags).with(known.stack, isEdited: known.isEdited, isCover: known.isCover)
          try index.catalog.updateItem(row)
          if reads { try index.catalog.addStaleItem(number) }
        }
      }
    }
  }

  /// As `changing`, for the catalog: it does not wait for room.
  private func change(_ body: (inout LockedFileSystem) throws(Errno) -> Void) throws(Errno) {
    try fileSystem.locked { files throws(Errno) in
      try files.waitToChange()
      try body(&files)
      files.noteChange()
    }
  }

  private func read(_ directory: InodeNumber) throws(Errno) -> DirectoryContent {
    var content = DirectoryContent()
    var lookups = ItemLookups()
    var last: [UInt8] = []
    var isAtEnd = false
    while !isAtEnd {
      try fileSystem.locked { files throws(Errno) in
        try files.withIndex { index throws(IndexError) in
          let rows = try index.catalog.items(inAlbum: directory, after: last, limit: Self.batch)
          // A file of several names belongs to the directory of its first name.
          for (row, name) in rows where row.album == directory && row.name == name {
            try content.add(row, try index.catalog.mediaItem(row, &lookups), directory)
          }
          last = rows.last?.name ?? last
          isAtEnd = rows.count < Self.batch
        }
      }
    }
    if content.candidates.isEmpty { return content }
    try readNames(of: directory, &content)
    return content
  }

  /// Finds the sidecars and the attribute that names the cover.
  private func readNames(of directory: InodeNumber, _ content: inout DirectoryContent) throws(Errno) {
    var cookie: UInt64 = 2
    var isAtEnd = false
    while !isAtEnd {
      try change { files throws(Errno) in
        var count = 0
        var found: [(InodeNumber, [UInt8])] = []
        try files.withIndex { index throws(IndexError) in
          try index.forEachDentry(parent: directory, after: cookie) { entry in
            cookie = entry.cookie
            count += 1
            if entry.kind == UInt8(FileKind.regular >> 12), SidecarFile.kind(ofName: entry.name.bytes) != nil {
              found.append((entry.inode, entry.name.bytes))
            }
            return count < Self.batch
          }
        }
        isAtEnd = count < Self.batch
        try files.withSavepoint { index throws(IndexError) in
          for (inode, name) in found {
            var sidecar = SidecarFile(inode: inode.rawValue, directory: directory.rawValue, name: name)
            if let known = try index.catalog.sidecar(inode), abs(known.version) == Int64(MediaItem.factsVersion) {
              if known.version < 0 { content.fresh.insert(inode.rawValue) }
              let list = try? FactList(decoding: known.found)
              sidecar.title = list?.mediaName
              sidecar.ending = list?.mediaEnding
            } else {
              try index.catalog.addStale(inode, .read)
            }
            content.sidecars.append(sidecar)
          }
        }
      }
    }
    try fileSystem.locked { files throws(Errno) in
      guard let inode = try? files.inode(directory), inode.record.hasExtendedAttributes else { return }
      let value = try files.result(of: files.index.attributes.value(named: UserWord.cover.name, of: directory))
      content.cover = value.map { AlbumCover($0) }
    }
    if !content.sidecars.isEmpty { fileSystem.locked { $0.signals[.sinkWork].signal() } }
  }
}

extension ItemFlags {
  /// These flags as they are stored, after replacing those that depend on the directory.
  fileprivate func with(_ stack: StackMembership?, isEdited: Bool, isCover: Bool) -> Int64 {
    var flags = subtracting([.stacked, .live, .burst, .stackCover, .edited, .cover])
    if stack != nil { flags.insert(.stacked) }
    if stack?.kind == .live { flags.insert(.live) }
    if stack?.kind == .burst { flags.insert(.burst) }
    if stack?.isCover == true { flags.insert(.stackCover) }
    if isEdited { flags.insert(.edited) }
    if isCover { flags.insert(.cover) }
    return flags.rawValue
  }
}

extension FactList {
  fileprivate var saysEdited: Bool { facts.contains { $0.value == .edited(true) } }
}
