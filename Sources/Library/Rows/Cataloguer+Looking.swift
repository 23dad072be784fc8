// Background questions of the catalog to the decoder: facts of this version for photos that lack them, and sidecars.
//
// Invariants
// 1. Facts are stored only if the content has not changed since.
// 2. A file that cannot be examined now is passed over until another mount; other files go on.
// 3. No other thread looks at a photo or video while it is examined, so `isMediaPending` is reliable for it.
// 4. An examined file is not examined again, even if it got no row: a file without a name, or with a name that no
//    photo has, never gets one.

internal import Albums
internal import Catalog
internal import Index
internal import Media
internal import System
internal import SystemPackage
internal import Vault

extension CatalogUpdates {
  /// Work on the catalog that may need the decoder.
  enum CatalogJob {
    /// Extract the facts of a photo or video.
    case look(InodeNumber)
    /// As `look`, for one that was never asked for facts of this version. All files before it were asked.
    case ask(InodeNumber)
    /// Read a sidecar.
    case read(InodeNumber)
    /// Match a directory.
    case match(InodeNumber)
    /// Some photos and videos were compared with the catalog, and there are more.
    case goOn
    /// All photos and videos were compared with it.
    case noteFilled
    /// Mark some photos for merging with another table of towns or another home zone; there may be more.
    case settleAgain

    /// The photo or video that is examined.
    var photo: InodeNumber? {
      switch self {
      case .look(let inode), .ask(let inode): inode
      case .read, .match, .goOn, .noteFilled, .settleAgain: nil
      }
    }
  }

  /// The next job of the catalog; nil without one, with the time when a file is due. The lock stays held.
  mutating func nextCatalogJob(_ settings: ThumbnailOptions) -> (job: CatalogJob?, due: UInt64?) {
    guard files.index.hasCatalog, !files.catalog.isGivenUp else { return (nil, nil) }
    do throws(Errno) {
      var due: UInt64?
      if hasRoomForCatalog {
        let waiting: CatalogJob?
        (waiting, due) = try nextQuiet(settings)
        if let waiting { return (waiting, nil) }
        if let next = try nextUnasked() { return (next, nil) }
        if try isUnsettled() { return (.settleAgain, nil) }
      } else {
        due = monotonicTime() + ThumbnailState.retryDelays.upperBound
      }
      // Last, because any other job may require a directory to be matched again. So may a file that another thread
      // looks at; matching waits until that is done.
      guard files.thumbnails.underWay.isEmpty else { return (nil, due) }
      let directory = try files.result(of: files.index.catalog.stale(for: .match, limit: 1)).first
      return (directory.map { .match($0.inode) }, due)
    } catch {
      return (nil, monotonicTime() + ThumbnailState.retryDelays.upperBound)
    }
  }

  /// Files to go through in search of one that is not being written.
  private static let lookLimit = 256

  private func nextQuiet(_ settings: ThumbnailOptions) throws(Errno) -> (job: CatalogJob?, due: UInt64?) {
    let quiet = UInt64(settings.quietTime * 1e9)
    let now = monotonicTime()
    var due: UInt64?
    for entry in try files.result(
      of: files.index.catalog.stale(for: [.look, .read], limit: Self.lookLimit + files.catalog.passedOver.count))
    where !files.catalog.passedOver.contains(entry.inode) && files.thumbnails.underWay.isFree(entry.inode) {
      if let inode = files.known(entry.inode), inode.contentChanged > 0, inode.contentChanged + quiet > now {
        due = min(due ?? .max, inode.contentChanged + quiet)
        continue
      }
      return (entry.reason.contains(.look) ? .look(entry.inode) : .read(entry.inode), nil)
    }
    return (nil, due)
  }

  /// Rows of `media` that one step compares with the catalog.
  private static let fillStep = 1024

  /// A photo or video that was never asked for facts of this version. The lock stays held, so that no signal is lost
  /// between this and the wait for one.
  private mutating func nextUnasked() throws(Errno) -> CatalogJob? {
    let version = Int64(MediaItem.factsVersion)
    if files.catalog.filled == .notBegun {
      let asked = try files.result(of: files.index.metaInteger(Self.filledKey))
      files.catalog.filled = asked == version ? .done : .after(nil)
      // Another version of the program, which may not know home zones, has used the space since.
      if let asked, abs(asked) != version { files.catalog.settled = .after(nil) }
    }
    guard case .after(let last) = files.catalog.filled else { return nil }
    let batch = try files.result(
      of: files.index.catalog.mediaWithoutItem(after: last, version: version, limit: Self.fillStep))
    guard let batch else {
      if last != nil { return .noteFilled }
      // Nothing needs examining; a mount of an empty space must not write.
      files.catalog.filled = .done
      return nil
    }
    if let next = batch.inodes.first(where: { !files.catalog.passedOver.contains($0) }) {
      // Files are asked in order. The thread that looks at this one finds it again.
      return files.thumbnails.underWay.isFree(next) ? .ask(next) : nil
    }
    files.catalog.filled = .after(batch.last)
    return .goOn
  }

  /// Records that all photos and videos were asked, and whether some must still be merged. This record alone shows
  /// the next mount that another version of the program has used the space.
  fileprivate mutating func noteFilled() {
    files.waitForCriticalPart()
    files.catalog.filled = .done
    guard files.refusal == nil else { return }
    let version = Int64(MediaItem.factsVersion)
    let asked = files.catalog.passedOver.isEmpty ? version : -version
    let isUnsettled = files.catalog.settled.isUnderWay
    do throws(Errno) {
      if try files.result(of: files.index.metaInteger(Self.filledKey)) == asked { return }
      try files.withSavepoint { index throws(IndexError) in
        if isUnsettled { try index.setMeta(Self.unsettledKey, to: 1) }
        try index.setMeta(Self.filledKey, to: asked)
      }
      files.noteChange()
    } catch {
      // The next mount asks for them again.
    }
  }

  /// The key in `meta` of the version that all photos and videos were asked for; negative if some were passed over,
  /// so that the next mount asks those.
  static let filledKey = "catalog"

  /// Whether photos have places from another table of towns than the chosen one, or times of another home zone.
  private mutating func isUnsettled() throws(Errno) -> Bool {
    if files.catalog.settled == .notBegun {
      let known = try files.result(of: files.index.metaInteger(Self.placesKey))
      let isOther = files.library.options.places.identity.map { $0 != known } ?? false
      var isUnsettled = try files.result(of: files.index.metaInteger(Self.unsettledKey)) == 1
      // Without rules the merge would change nothing, at every mount.
      if isUnsettled, lacksHomeRules() { isUnsettled = false }
      files.catalog.settled = isOther || isUnsettled ? .after(nil) : .done
    }
    return files.catalog.settled != .done
  }

  /// Marks some photos for merging; the last step records that all were marked.
  mutating func settleAgain() throws(Errno) {
    try files.waitToChange()
    guard case .after(let last) = files.catalog.settled else { return }
    if let next = try files.result(
      of: files.index.catalog.addStalePlaces(orFlags: ItemFlags.zone.rawValue, after: last, limit: Self.fillStep))
    {
      files.catalog.settled = .after(next)
    } else {
      files.catalog.settled = .done
      // A mount of an empty space must not write.
      if last == nil { return }
      let identity = files.library.options.places.identity
      let lacksRules = lacksHomeRules()
      try files.withSavepoint { index throws(IndexError) in
        if let identity { try index.setMeta(Self.placesKey, to: identity) }
        if !lacksRules, try index.metaInteger(Self.unsettledKey) == 1 { try index.setMeta(Self.unsettledKey, to: 0) }
      }
    }
    files.noteChange()
  }

  /// The key in `meta` for the identity of the user's own table of towns.
  private static let placesKey = "places"
}

extension Cataloguer {
  /// The largest sidecar that is read, in bytes.
  private static let mostSidecarBytes = 1 << 20

  /// Runs a job. A file that fails is left to another mount.
  func run(_ job: CatalogUpdates.CatalogJob, _ settings: ThumbnailOptions) {
    do throws(Errno) {
      switch job {
      case .look(let inode): _ = try look(at: inode, settings)
      case .ask(let inode):
        if try look(at: inode, settings) { fileSystem.locked { $0.catalog.filled = .after(inode) } }
      case .read(let inode): try readSidecar(inode, settings)
      case .match(let directory): matchOrPassOver(directory)
      case .goOn: break
      case .noteFilled: fileSystem.locked { $0.catalogUpdates.noteFilled() }
      case .settleAgain: try fileSystem.locked { files throws(Errno) in try files.catalogUpdates.settleAgain() }
      }
    } catch {
      switch job {
      case .look(let inode), .ask(let inode), .read(let inode): passOver(inode)
      case .settleAgain: fileSystem.locked { $0.catalog.settled = .done }
      case .match, .goOn, .noteFilled: break
      }
    }
  }

  /// Matches a directory. One that cannot be read is tried again only after something changes in it. Returns false if
  /// not even that could be recorded.
  @discardableResult
  func matchOrPassOver(_ directory: InodeNumber) -> Bool {
    do throws(Errno) {
      try match(directory)
      return true
    } catch {
      return fileSystem.locked { files in
        files.waitForCriticalPart()
        defer { files.noteChange() }
        guard files.refusal == nil else { return false }
        do throws(IndexError) {
          try files.index.catalog.removeStale(directory, [.match, .matching])
          return true
        } catch {
          files.catalog.isGivenUp = true
          return false
        }
      }
    }
  }

  /// Extracts the facts of a photo or video. Returns false if it must be asked again, because the decoder is
  /// unavailable.
  private func look(at number: InodeNumber, _ settings: ThumbnailOptions) throws(Errno) -> Bool {
    let attempt = fileSystem.locked { $0.thumbnails.pauses }
    guard let (inode, row) = try hold(number) else { return true }
    defer { letGo(inode) }
    let small = row.small.flatMap { try? fileSystem.wholeContent(of: $0, limit: Self.mostSidecarBytes) }
    let source = FileSource(fileSystem: fileSystem, inode: number, size: inode.size)
    var found: FactList?
    do throws(DecoderError) {
      let bytes = try settings.maker.facts(of: source, small: small)
      found = try? FactList(decoding: bytes)
    } catch {
      switch error {
      case .unavailable(let reason):
        fileSystem.thumbnailer.pause(reason, of: attempt)
        return false
      case .killed, .source:
        passOver(number)
        return true
      default: break
      }
    }
    // If the decoder fails, the facts found before stay.
    let before = fileSystem.locked { try? $0.index.catalog.item(number)?.found }.flatMap { try? FactList(decoding: $0) }
    try keep(found ?? before ?? FactList(), of: inode.object)
    return true
  }

  private func keep(_ found: FactList, of inode: Inode) throws(Errno) {
    if found.hasPosition { loadPlaces(of: found) }
    try fileSystem.locked { files throws(Errno) in
      try files.waitToChange()
      if inode.isMediaPending || inode.record.links == 0 { return }
      try files.catalogUpdates.mergeItem(inode.number, found: found)
      try files.result(of: files.index.catalog.removeStale(inode.number, .look))
      files.noteChange()
    }
  }

  private func readSidecar(_ number: InodeNumber, _ settings: ThumbnailOptions) throws(Errno) {
    let (names, changed, attempt) = try fileSystem.locked { files throws(Errno) in
      (
        try files.result(of: files.index.catalog.names(of: number, limit: 16)), files.known(number)?.contentChanged,
        files.thumbnails.pauses
      )
    }
    var found = FactList()
    if let kind = names.lazy.compactMap({ SidecarFile.kind(ofName: $0.name.bytes) }).first,
      let content = try? fileSystem.wholeContent(of: number, limit: Self.mostSidecarBytes)
    {
      do throws(DecoderError) {
        let bytes = try settings.maker.sidecar(SidecarKind(kind), content: content)
        found = (try? FactList(decoding: bytes)) ?? found
      } catch {
        switch error {
        case .unavailable(let reason): return fileSystem.thumbnailer.pause(reason, of: attempt)
        case .killed: return passOver(number)
        default: break
        }
      }
    }
    if found.hasPosition { loadPlaces() }
    try fileSystem.locked { files throws(Errno) in
      try files.waitToChange()
      // The sidecar was written since; it stays marked as unread.
      if files.known(number)?.contentChanged ?? 0 != changed ?? 0 { return }
      files.known(number)?.isReadPending = false
      try files.withSavepoint { index throws(IndexError) in
        if !names.isEmpty {
          // A negative version marks it as fresh until the photos next to it are merged.
          try index.catalog.setSidecar(number, version: -Int64(MediaItem.factsVersion), found: found.encoded)
        }
        try index.catalog.removeStale(number, .read)
        for name in names { try index.catalog.addStale(name.parent, .match) }
      }
      files.noteChange()
    }
  }

  private func passOver(_ number: InodeNumber) {
    fileSystem.locked { files in
      // If so many files fail, the cause is not in the files.
      if files.catalog.passedOver.count >= ThumbnailState.lookLimit { files.catalog.isGivenUp = true }
      files.catalog.passedOver.insert(number)
    }
  }

  /// A file that stays in memory while a decoder reads it.
  struct HeldInode {
    let object: Inode
    let size: Int64
    /// The time of the last change of its content.
    let changed: UInt64
  }

  /// Keeps an inode in memory while it is examined; nil if it no longer needs examining.
  private func hold(_ number: InodeNumber) throws(Errno) -> (HeldInode, MediaRecord)? {
    try fileSystem.locked { files throws(Errno) -> (HeldInode, MediaRecord)? in
      files.waitForCriticalPart()
      guard files.refusal == nil else { throw .readOnlyFileSystem }
      let inode = try? files.inode(number)
      let row = try files.result(of: files.index.media.row(number))
      guard let inode, let row, inode.isRegular, inode.record.links > 0, row.state == .known || row.state == .failed
      else {
        try files.result(of: files.index.catalog.removeStale(number, .look))
        try files.catalogUpdates.mergeItem(number)
        files.noteChange()
        return nil
      }
      files.hold(inode)
      return (HeldInode(object: inode, size: inode.record.size, changed: inode.contentChanged), row)
    }
  }

  /// As above, without the row.
  func holdForLook(at number: InodeNumber) throws(Errno) -> HeldInode? { try hold(number)?.0 }

  /// Ends the hold.
  func letGo(_ held: HeldInode) {
    fileSystem.locked { $0.letGo(held.object) }
  }
}

extension FactList {
  /// Whether it states a position, from which a place may follow.
  var hasPosition: Bool { facts.contains { if case .position = $0.value { true } else { false } } }
}
