internal import Index
internal import Vault

/// Applies single steps to the index.
extension Repair {
  /// Applies a step; false when nothing is left to do.
  func apply(_ step: RepairStep, to index: Index) throws(IndexError) -> Bool {
    switch step {
    case .makeHole(let inode, let range): return try makeHole(range, in: inode, index)
    case .dropExtent(let inode, let offset):
      try index.extents.dropExtent(of: inode, at: offset)
      try forgetHash(of: inode, index)
    case .dropDerivative(let inode): try dropDerivative(inode, index)
    case .dropExtents(let inode): try index.extents.dropExtents(of: inode)
    case .dropMedia(let inode):
      let row = try index.media.row(inode)
      try index.media.deleteMedia(inode)
      try freeUnused([row?.small, row?.large].compactMap(\.self), index)
    case .dropNames(let inode):
      for name in try index.names(of: [inode]) { try index.deleteDentry(parent: name.parent, name: name.name) }
    case .dropName(let parent, let name):
      if try index.inode(parent)?.kind == Checker.directoryKind { return false }
      return try index.deleteDentry(parent: parent, name: name)
    case .keepOneName(let inode): return try keepOneName(of: inode, index)
    case .giveName(let inode): return try giveName(to: inode, index)
    case .moveToLostAndFound(let inode): return try moveToLostAndFound(inode, index)
    case .setKind(let parent, let name):
      guard var entry = try index.dentry(parent: parent, name: name), let record = try index.inode(entry.inode),
        entry.kind != record.kind
      else { return false }
      entry.kind = record.kind
      try index.replaceDentry(parent: parent, entry)
    case .setParent(let inode): return try setParent(of: inode, index)
    case .setHasAttributes(let inode, let has):
      guard try index.inode(inode) != nil else {
        try index.attributes.removeAll(of: inode)
        return true
      }
      try change(inode, index) { $0.hasExtendedAttributes = has }
    case .setTarget(let inode):
      try change(inode, index) { record in
        let isLink = record.mode & FileKind.mask == FileKind.symbolicLink
        // A symbolic link whose target is lost keeps its name and points nowhere.
        record.target = isLink ? record.target ?? Array("lost".utf8) : nil
        if isLink { record.size = Int64(record.target?.count ?? 0) }
      }
    case .straighten(let inode): try change(inode, index) { $0.isDistorted = false }
    case .keep(let inode): try index.removeOrphan(inode)
    case .setLinks(let inode, let links): try change(inode, index) { $0.links = links }
    // The row exists already; the step only reports it.
    case .replaceInode: break
    case .loseData(let inode, _, let bytes):
      try change(inode, index) { $0.allocated = bytes }
      try forgetHash(of: inode, index)
    case .setAllocated(let inode, let bytes): try change(inode, index) { $0.allocated = bytes }
    case .setLiveBytes(let segment, let bytes): try index.setLiveBytes(in: segment, to: bytes)
    case .setTotals(let inodes, let bytes): try index.setTotals(inodes: inodes, liveBytes: bytes)
    }
    return true
  }

  /// Changes the record of an inode, if there is one.
  func change(_ inode: InodeNumber, _ index: Index, _ body: (inout InodeRecord) -> Void) throws(IndexError) {
    guard var record = try index.inode(inode) else { return }
    body(&record)
    try index.update(record)
  }

  private func makeHole(_ range: Range<FileOffset>, in inode: InodeNumber, _ index: Index) throws(IndexError) -> Bool {
    let pieces = try index.extents.removeExtents(of: inode, in: range, limit: .max)
    if pieces.isEmpty { return false }
    try change(inode, index) { record in record.allocated -= pieces.reduce(0) { $0 + Int64($1.length) } }
    try forgetHash(of: inode, index)
    return true
  }

  /// The thumbnail of a file that lost bytes stays, because it may be the best that is left of the file. The content
  /// changed, so its hash is forgotten.
  private func forgetHash(of inode: InodeNumber, _ index: Index) throws(IndexError) {
    guard var media = try index.media.row(inode), media.hash != nil else { return }
    media.hash = nil
    try index.media.setMedia(media)
  }

  private func dropDerivative(_ derivative: InodeNumber, _ index: Index) throws(IndexError) {
    var unused: [InodeNumber] = [derivative]
    try forEachRow(index.media.derivatives(after:limit:), by: \.inode) { entry throws(IndexError) in
      guard entry.derivatives.contains(derivative) else { return }
      unused += entry.derivatives
      try index.media.setMedia(MediaRecord(inode: entry.inode, state: .pending))
    }
    try freeUnused(unused, index)
  }

  /// Deletes derivatives to which no file points.
  private func freeUnused(_ derivatives: [InodeNumber], _ index: Index) throws(IndexError) {
    var unused = Set(derivatives)
    if unused.isEmpty { return }
    try forEachRow(index.media.derivatives(after:limit:), by: \.inode) { unused.subtract($0.derivatives) }
    for derivative in unused { try free(derivative, index) }
  }

  /// Deletes an inode and all that belongs to it.
  private func free(_ inode: InodeNumber, _ index: Index) throws(IndexError) {
    try index.extents.removeExtents(of: inode, in: .zero..<FileOffset(rawValue: .max), limit: .max)
    try index.attributes.removeAll(of: inode)
    try index.deleteInode(inode)
    try index.removeOrphan(inode)
  }

  /// Deletes inodes without a name that were marked as deleted.
  func freeOrphans(_ index: Index) throws(IndexError) {
    for orphan in try index.orphans(limit: .max) {
      let media = try index.media.row(orphan)
      try index.media.deleteMedia(orphan)
      try free(orphan, index)
      try freeUnused([media?.small, media?.large].compactMap(\.self), index)
    }
  }

  /// How many extents are copied between two queries of the index.
  private static let step = 32

  /// Copies the parts of a segment that files and the index need to the end of the log, and points them at the copy.
  /// Unreadable parts must be given up before the call.
  func evacuate(_ segment: SegmentNumber, _ index: Index) throws(VaultError) {
    var copies: [ExtentRecord: [ExtentRecord]] = [:]
    var last: [LocatedExtent] = []
    while true {
      let batch = try VaultError.ofIndex { () throws(IndexError) in
        try index.extents.rows(in: segment, limit: Self.step)
      }
      if batch.isEmpty { return }
      if batch == last { throw .damaged("parts of files cannot be moved, because the index has wrong places for them") }
      last = batch
      let moved = try space.copy(batch, &copies) { _, error throws(VaultError) in throw error }
      try VaultError.ofIndex { () throws(IndexError) in
        for (old, new) in moved { _ = try index.extents.replaceExtent(old.extent, of: old.inode, with: new) }
      }
    }
  }
}
