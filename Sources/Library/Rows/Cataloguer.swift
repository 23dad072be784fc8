// Merging combines the facts from the decoder, the sidecars, the user and the file system into one row.
//
// Invariants
// 1. A row describes the present content: a change of content removes the row in the same operation.
// 2. Everything that a row depends on marks the row in `stale` when it changes, in the same operation, and the next
//    question to the catalog merges stale rows first. So an answer shows the state of the files when it was asked.
//    The one exception: while photos are being examined, the stacks, sidecars and cover of a large directory may be
//    out of date.
// 3. Merging needs only the index and tables in memory, so it waits neither for the decoder nor for a file. A row
//    that needs zone rules that were not read yet stays stale until they are.
// 4. Rows never take room that a commit of users' writes may need: if new data would be refused, rows wait.

internal import Albums
internal import Catalog
internal import Crypto
internal import Index
internal import Media
internal import System
package import SystemPackage
internal import Vault

/// Maintains the rows of a file system's catalog.
package struct Cataloguer: Sendable {
  let fileSystem: FileSystem
  /// Merges all stale rows and matches the directories in which something changed, as far as this does not need the
  /// decoder. Does nothing on a file system that may not be changed.
  ///
  /// - Parameter end: when to stop, on the monotonic clock.
  package func settle(until end: UInt64 = .max) throws(Errno) {
    if !fileSystem.locked({
      $0.catalogUpdates.mayMerge && ($0.catalogUpdates.hasStaleItems || $0.catalog.matching != nil)
    }) {
      return
    }
    var isOver: Bool { end != .max && monotonicTime() >= end }
    while !isOver, fileSystem.locked({ $0.catalogUpdates.mergeStaleItems() }) {}
    // A directory changes with each photo that the decoder examines, so directories are matched after all rows are
    // merged.
    for _ in 0..<Self.matchings {
      var last: InodeNumber?
      while !isOver, let directory = try nextDirectory(after: last) {
        guard matchOrPassOver(directory) else { break }
        last = directory
        while !isOver, fileSystem.locked({ $0.catalogUpdates.mergeStaleItems() }) {}
      }
      if isOver || last == nil { break }
    }
    if isOver { return }
    // A match that another thread has begun.
    fileSystem.locked { files in
      if let directory = files.catalog.matching, !files.catalogUpdates.leavesToBackground(directory) {
        files.catalogUpdates.waitForMatching()
      }
    }
    while fileSystem.locked({ $0.catalogUpdates.mergeStaleItems() }) {}
  }

  /// A directory is matched at most this often: for the changes, for sidecars found by that, and for the times in
  /// those.
  private static let matchings = 3

  private func nextDirectory(after last: InodeNumber?) throws(Errno) -> InodeNumber? {
    try fileSystem.locked { files throws(Errno) in
      guard files.catalogUpdates.mayMerge else { return nil }
      var last = last
      while let directory = try files.result(of: files.index.catalog.stale(for: .match, after: last, limit: 1)).first?
        .inode
      {
        if !files.catalogUpdates.leavesToBackground(directory) { return directory }
        last = directory
      }
      return nil
    }
  }

  /// Reads the table of towns, because a merge may need it, or waits while another thread reads it.
  func loadPlaces() {
    let isKnown = fileSystem.locked { files -> Bool in
      while files.catalog.isReadingPlaces { files.wait(for: .sinkDone) }
      if files.catalog.gazetteer != nil { return true }
      files.catalog.isReadingPlaces = true
      return false
    }
    if isKnown { return }
    let gazetteer = fileSystem.library.options.places.gazetteer()
    fileSystem.locked { files in
      files.catalog.keep(gazetteer)
      files.signals[.sinkDone].broadcast()
    }
  }

  /// Reads the table of towns, and the rules of the zones in which the photo may have been taken. If a merge meets
  /// another zone, because a sidecar or the user gave the position, the row is merged again.
  func loadPlaces(of found: FactList) {
    loadPlaces()
    guard let gazetteer = fileSystem.locked({ $0.catalog.towns }) else { return }
    let zones = found.facts.compactMap { fact -> String? in
      if case .position(let position) = fact.value { gazetteer.zone(at: position) } else { nil }
    }
    fileSystem.locked { files in
      for zone in zones { _ = files.catalog.rules(ofZone: zone) }
    }
    loadZones()
  }

  /// Reads the rules of the zones that rows wait for.
  func loadZones() {
    let wanted = fileSystem.locked { $0.catalog.wantedZones }
    if wanted.isEmpty { return }
    var rules: [String: ZoneRules?] = [:]
    for name in wanted { rules[name] = .some(fileSystem.library.options.places.rules(ofZone: name)) }
    fileSystem.locked { $0.catalog.keep(rules) }
  }
}

extension CatalogUpdates {
  /// Rows that are merged while the lock is held once.
  private static let batch = 32

  /// Whether work waits that does not need the decoder.
  var hasStaleItems: Bool {
    (try? files.index.catalog.stale(for: [.merge, .match], limit: 1))?.isEmpty == false
  }

  /// The free room that a few rows with everything that belongs to them require, in bytes.
  static let roomForCatalog: Int64 = 64 << 10

  /// Whether rows may be brought up to date.
  var mayMerge: Bool { files.refusal == nil && hasRoomForCatalog }

  /// Whether there is room for another row.
  var hasRoomForCatalog: Bool { files.admits(Self.roomForCatalog) }

  mutating func waitForMatching() {
    while files.catalog.matching != nil { files.wait(for: .sinkDone) }
  }

  /// Whether the match of a directory is left to the background: it is large, and changes with each photo that is
  /// examined. One of the examining threads matches it when nothing else is left to do.
  func leavesToBackground(_ directory: InodeNumber) -> Bool {
    guard files.catalog.largeDirectories.contains(directory), !files.catalog.isGivenUp,
      let settings = files.library.options.thumbnails,
      !files.thumbnails.isEnding, files.thumbnails.unavailable == nil
    else { return false }
    if !settings.isLazy, (try? files.index.media.inodes(in: .pending, after: nil, limit: 1))?.isEmpty == false {
      return true
    }
    return (try? files.index.catalog.stale(for: [.look, .read], limit: 1))?.isEmpty == false
  }

  /// Merges some rows; false if none is stale, or none can be merged. In that case the lock stays held, so that no
  /// signal is lost between this and the wait for one.
  mutating func mergeStaleItems() -> Bool {
    guard let waiting = try? files.index.catalog.stale(for: .merge, limit: Self.batch), !waiting.isEmpty, mayMerge
    else { return false }
    if files.isInCriticalPart {
      files.waitForCriticalPart()
      return true
    }
    if files.catalog.gazetteer == nil {
      files.unlocked { $0.cataloguer.loadPlaces() }
      return true
    }
    if !files.catalog.wantedZones.isEmpty {
      files.unlocked { $0.cataloguer.loadZones() }
      return true
    }
    for entry in waiting {
      do throws(Errno) {
        try mergeItem(entry.inode)
      } catch {
        // The row makes no sense, so the file is examined again.
        do throws(Errno) {
          try files.withSavepoint { index throws(IndexError) in
            try index.catalog.removeStale(entry.inode, .merge)
            try index.catalog.forgetItem(entry.inode)
            try index.catalog.addStale(entry.inode, .look)
          }
        } catch {
          return false
        }
      }
    }
    files.noteChange()
    return true
  }

  /// Merges the row of a file that a decoder has examined; a file that is neither photo nor video loses its row.
  func noteLookedAt(_ inode: Inode, _ state: MediaRecord.State, _ found: FactList?) throws(Errno) {
    guard files.index.hasCatalog else { return }
    try mergeItem(inode.number, found: found)
    // A separate job asks the decoder for facts if it gave none, or could not make a thumbnail.
    if state == .known || state == .failed, found == nil,
      try files.result(of: files.index.catalog.item(inode.number))?.version ?? 0 == 0
    {
      try files.result(of: files.index.catalog.addStale(inode.number, .look))
    }
  }

  /// Called when a file has the same content as another, `twin`. The facts that the decoder found there count here
  /// too, and the user's attributes are copied unless this file has some of its own.
  func catalogTwin(_ twin: InodeNumber, of inode: Inode) throws(Errno) -> FactList? {
    guard files.index.hasCatalog else { return nil }
    let other = try files.result(of: files.index.catalog.item(twin))
    if try files.result(of: files.index.catalog.item(inode.number)) == nil { try copyWords(from: twin, to: inode) }
    guard let other, other.version == Int64(MediaItem.factsVersion) else { return nil }
    return try? FactList(decoding: other.found)
  }

  private func copyWords(from twin: InodeNumber, to inode: Inode) throws(Errno) {
    // Attributes of one user must not appear on the file of another.
    guard let source = try? files.inode(twin), source.record.hasExtendedAttributes,
      source.record.owner == inode.record.owner
    else { return }
    var words: [(name: [UInt8], value: [UInt8])] = []
    for name in UserWord.copied.map(\.name) {
      if inode.record.hasExtendedAttributes,
        try files.result(of: files.index.attributes.value(named: name, of: inode.number)) != nil
      {
        return
      }
      if let value = try files.result(of: files.index.attributes.value(named: name, of: twin)) {
        words.append((name, value))
      }
    }
    if words.isEmpty { return }
    try files.withSavepoint { index throws(IndexError) in
      for word in words { try index.attributes.set(named: word.name, of: inode.number, to: word.value) }
    }
    inode.record.hasExtendedAttributes = true
    files.markChanged(inode)
  }

  /// Names of a file that its row counts, at most.
  private static let mostNames = 65_536

  /// Brings the row of a file up to date. A file that is neither a photo nor a video, or that only has names that no
  /// photo has, loses its row. `found` holds new facts from the decoder; without it the stored facts are used.
  func mergeItem(_ number: InodeNumber, found new: FactList? = nil) throws(Errno) {
    guard files.index.hasCatalog else { return }
    let old = try files.result(of: files.index.catalog.item(number))
    let row = try files.result(of: files.index.media.row(number))
    let inode = try? files.inode(number)
    let names = try files.result(of: files.index.catalog.names(of: number, limit: Self.mostNames))
      .filter { !$0.name.isNoPhoto }.map { ($0.parent, $0.name.bytes) }
    guard let inode, let row, inode.isRegular, !names.isEmpty, row.state == .known || row.state == .failed,
      let kind = MediaKind(rawValue: UInt8(truncatingIfNeeded: row.kind))
        ?? old.flatMap({ MediaKind(rawValue: UInt8(truncatingIfNeeded: $0.kind)) }) ?? new?.kind,
      kind.isPhotoOrVideo
    else {
      return try files.withSavepoint { index throws(IndexError) in
        try Self.dropItem(number, in: index)
        try index.catalog.removeStale(number, .merge)
      }
    }
    let packed = old.flatMap { PackedRecord(packed: $0.record) }
    let found = new ?? old.flatMap { try? FactList(decoding: $0.found) } ?? FactList()

    var item = MediaItem(inode: number.rawValue, kind: kind)
    item.size = UInt64(clamping: inode.record.size)
    item.modified = inode.record.modified.seconds
    (item.width, item.height) = (Int(clamping: row.width), Int(clamping: row.height))
    var said = [found]
    for sidecar in packed?.sidecars ?? [] {
      let sidecar = InodeNumber(rawValue: UInt64(bitPattern: sidecar))
      guard let known = try files.result(of: files.index.catalog.sidecar(sidecar)), try speaks(sidecar, for: inode),
        let facts = try? FactList(decoding: known.found)
      else { continue }
      said.append(facts)
    }
    let modified = inode.record.modified
    let (times, stackWord, isDistinct) = item.offer(
      said, name: names.first?.1, modified: WallTime(seconds: modified.seconds, nanoseconds: modified.nanoseconds),
      attributes: try words(of: inode))
    let isSettled = settle(&item, times)
    let isUnsettled = if item.taken?.zoneSource == .universal { lacksHomeRules() } else { false }

    // The directory's part is set again when the directory is matched.
    let flags = ItemFlags(rawValue: old?.flags ?? 0)
    item.links.isEdited = item.links.isEdited || flags.contains(.edited)
    item.words.isCover = flags.contains(.cover)
    if let stack = old?.stack, let kind = packed?.stackKind {
      item.links.stack = StackMembership(stack: stack.rawValue, kind: kind, isCover: flags.contains(.stackCover))
    }
    item.pixelHash = new == nil ? old?.pixels : nil
    let twins = try twins(of: number, row.hash, item)
    item.links.isDuplicate = !isDistinct && !twins.isEmpty

    let hasList = inode.record.hasExtendedAttributes
    let rights = ItemRights(
      mode: inode.record.mode, owner: inode.record.owner, group: inode.record.group, mayHaveList: hasList)
    let version = new == nil ? old?.version ?? 0 : Int64(MediaItem.factsVersion)
    try files.withSavepoint { index throws(IndexError) in
      try index.catalog.setMediaItem(
        item, at: ItemPlace(names: names, rights: rights), found: found.encoded, version: version,
        sidecars: packed?.sidecars ?? [], stackWord: stackWord)
      if isSettled { try index.catalog.removeStale(number, .merge) } else { try index.catalog.addStale(number, .merge) }
      if isUnsettled, try index.metaInteger(Self.unsettledKey) != 1 { try index.setMeta(Self.unsettledKey, to: 1) }
      // The directories that the photo entered, left, or changed in.
      for directory in Set([old?.album, names.first?.0].compactMap(\.self)) {
        if old == nil || new != nil || old?.album != names.first?.0 || old?.name != names.first?.1
          || packed?.stackWord != stackWord || old?.taken != item.taken?.wall.seconds
        {
          try index.catalog.addStale(directory, .match)
        }
      }
      // A twin whose row does not show a duplicate yet.
      if old == nil || new != nil { for twin in twins.prefix(8) { try index.catalog.addStaleItem(twin) } }
    }
  }

  /// Removes a row, and marks the rows that depend on it as stale.
  static func dropItem(_ number: InodeNumber, in index: Index) throws(IndexError) {
    guard index.hasCatalog, let old = try index.catalog.item(number) else { return }
    try index.catalog.deleteMediaItem(number)
    if let album = old.album { try index.catalog.addStale(album, .match) }
    if let hash = try index.media.row(number)?.hash {
      for twin in try index.catalog.inodes(withHash: hash, limit: 8) where twin != number {
        try index.catalog.addStaleItem(twin)
      }
    }
  }

  /// Whether a sidecar counts for a photo: both have the same owner, and every user who may read the photo may read
  /// the sidecar.
  private func speaks(_ sidecar: InodeNumber, for inode: Inode) throws(Errno) -> Bool {
    guard let record = try files.rights.presentRecord(sidecar), record.owner == inode.record.owner else { return false }
    let lists = try (photo: accessList(of: inode.record), sidecar: accessList(of: record))
    var wanted = inode.record.mode & 0o444
    if lists.photo != lists.sidecar || record.group != inode.record.group {
      // Group membership may differ, so the sidecar must be readable by all, or the photo by its owner only.
      if lists.sidecar != nil, wanted & 0o044 != 0 { return false }
      if lists.photo != nil || wanted & 0o044 != 0 { wanted |= 0o044 }
    }
    return record.mode & wanted == wanted
  }

  private func accessList(of record: InodeRecord) throws(Errno) -> [UInt8]? {
    guard record.hasExtendedAttributes else { return nil }
    return try files.result(of: files.index.attributes.value(named: AccessControlList.accessName, of: record.number))
  }

  /// Other files with the same content or the same pixels.
  private func twins(of number: InodeNumber, _ hash: [UInt8]?, _ item: MediaItem) throws(Errno) -> [InodeNumber] {
    var twins: [InodeNumber] = []
    if let hash { twins = try files.result(of: files.index.catalog.inodes(withHash: hash, limit: 9)) }
    if let pixels = item.pixelHash, let look = item.perceptualHash {
      twins += try files.result(of: files.index.catalog.items(withLook: Int64(bitPattern: look), limit: 64))
        .filter { $0.pixels == pixels }.map(\.inode)
    }
    return twins.filter { $0 != number }
  }

  /// The texts of the user's attributes of a photo.
  private func words(of inode: Inode) throws(Errno) -> [UserWord: String] {
    guard inode.record.hasExtendedAttributes else { return [:] }
    var texts: [UserWord: String] = [:]
    for word in UserWord.ofFiles {
      if let value = try files.result(of: files.index.attributes.value(named: word.name, of: inode.number)) {
        texts[word] = String(decoding: value, as: UTF8.self)
      }
    }
    return texts
  }

  /// Sets the place and the time; false if the rules of the place's zone must be read first.
  private func settle(_ item: inout MediaItem, _ times: [TimeCandidate]) -> Bool {
    let (towns, home) = (files.catalog.towns, files.catalog.homeRules)
    var isSettled = true
    item.settle(times: times, gazetteer: towns, home: home) { name in
      if let known = files.catalog.rules(ofZone: name) { return known }
      isSettled = false
      return nil
    }
    return isSettled
  }
}
