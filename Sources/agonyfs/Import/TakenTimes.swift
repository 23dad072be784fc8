// Albums by day.
//
// Invariants
// 1. The day is the day of the time that the catalog will show: the same functions weigh the same sources, and the same
//    rule matches sidecars to the files of a group.

internal import Catalog
internal import Client
internal import Glibc
internal import HostFiles
internal import Import
internal import Index
internal import Library
internal import Media
internal import Synchronization
internal import System
internal import SystemPackage

/// Chooses albums by the day on which photos were taken.
final class TakenTimes: AlbumSorter {
  private let pattern: DatePattern
  private let movesCompanions: Bool
  private let decoder: Decoder
  private let places: Mutex<Places>
  private let calls = FileCalls()

  /// - Parameter zone: the home zone of the space.
  init(_ pattern: DatePattern, movesCompanions: Bool, zone: SpaceZone, sandbox: SandboxPolicy) throws {
    self.pattern = pattern
    self.movesCompanions = movesCompanions
    places = Mutex(try Places(zone))
    decoder = DecoderProgram.decoder(sandbox)
    // Without a decoder, every photo would be sorted by its name and the file's time.
    try DecoderProgram.start(decoder)
  }

  func stop() { decoder.stop() }

  /// Updates the home zone of the space.
  func goBy(_ zone: SpaceZone) throws { try places.withLock { try $0.goBy(zone) } }

  /// The albums of a group of files: each file's own, or the photo's for all of them.
  func albums(of group: [SortedFile]) -> [SortedAlbum] {
    let files = group.map(read)
    let sidecars = Self.match(files)
    let times = files.indices.map { taken(files[$0], Self.facts(beside: $0, sidecars, in: files)) }
    func rank(_ index: Int) -> Int {
      let file = files[index]
      guard file.isMedia else { return 9 }
      // A picture leads its video, and a file with a known time leads one without.
      return (times[index]?.isKnown ?? false ? 0 : 4) + (file.kind.map { $0.isVideo ? 1 : 0 } ?? 2)
    }
    let lead = files.indices.min { rank($0) < rank($1) }
    return files.indices.map { index in
      let time = times[movesCompanions ? lead ?? index : index]
      return SortedAlbum(album(time), isDatedByFile: files[index].isMedia && time?.isKnown == false)
    }
  }

  /// The album of a time. Nil is a time that the user removed.
  private func album(_ time: CapturedTime?) -> [[UInt8]] {
    guard let wall = time?.wall else { return [Array("undated".utf8)] }
    return pattern.album(year: wall.date.year, month: wall.knownMonth, day: wall.knownDay)
  }
}

// MARK: Reading files

extension TakenTimes {
  /// A file with its parsed facts.
  private struct ReadFile {
    let file: SortedFile
    /// Nil if the catalog would not list it as a photo or video.
    var kind: MediaKind?
    /// Whether it is a photo or video, or has the name of one but cannot be read.
    var isMedia: Bool {
      kind != nil || Companions.kind(of: file.name) == .media && !(FileName(file.name)?.isNoPhoto ?? true)
    }
    /// The facts that a photo, a video or a sidecar states.
    var facts = FactList()
    /// The user's words, which an import keeps.
    var attributes: [UserWord: String] = [:]
  }

  private func read(_ file: SortedFile) -> ReadFile {
    var found = ReadFile(file: file)
    guard file.status.kind == .file, file.status.size > 0, let opened = file.open() else { return found }
    if let kind = SidecarFile.kind(ofName: file.name) {
      guard file.status.size <= Int64(Decoder.mostSidecarBytes),
        let content = try? calls.bytes(of: opened, at: 0, count: Int(file.status.size)),
        let bytes = try? decoder.sidecar(SidecarKind(kind), content: content)
      else { return found }
      found.facts = (try? FactList(decoding: bytes)) ?? found.facts
      return found
    }
    guard !(FileName(file.name)?.isNoPhoto ?? true),
      let bytes = try? decoder.facts(of: OpenSource(file: opened, size: file.status.size), small: nil),
      let list = try? FactList(decoding: bytes), let kind = list.kind, kind.isPhotoOrVideo
    else { return found }
    found.kind = kind
    found.facts = list
    for (name, value) in calls.attributes(of: opened) {
      if let word = UserWord(name: name) { found.attributes[word] = String(decoding: value, as: UTF8.self) }
    }
    return found
  }

  /// Matches sidecars to photos, by their indices.
  private static func match(_ files: [ReadFile]) -> Sidecars {
    var media: [StackCandidate] = []
    var sidecars: [SidecarFile] = []
    for (index, found) in files.enumerated() where found.file.status.kind == .file {
      let (number, name) = (UInt64(index), found.file.name)
      if let kind = found.kind {
        media.append(StackCandidate(inode: number, directory: 0, name: name, kind: kind))
      } else if SidecarFile.kind(ofName: name) != nil {
        sidecars.append(
          SidecarFile(
            inode: number, directory: 0, name: name, title: found.facts.mediaName, ending: found.facts.mediaEnding))
      }
    }
    return Sidecars.match(sidecars, to: media)
  }

  /// The facts of a photo's sidecars. A description from elsewhere (Takeout's JSON) replaces the JSON sidecar.
  private static func facts(beside index: Int, _ sidecars: Sidecars, in files: [ReadFile]) -> [FactList] {
    let photo = files[index].file
    let described = photo.described.flatMap { try? FactList(decoding: $0) }
    var lists = described.map { [$0] } ?? []
    for kind in SidecarFile.Kind.allCases where kind != .json || described == nil {
      guard let place = sidecars.ofMedia[UInt64(index)]?[kind] else { continue }
      let sidecar = files[Int(place)]
      // A sidecar counts only if all users who may read the photo may read it.
      let readers = photo.status.permissions & 0o044
      if sidecar.file.status.permissions & readers == readers { lists.append(sidecar.facts) }
    }
    return lists
  }

  /// The time at which a file was taken.
  private func taken(_ found: ReadFile, _ sidecars: [FactList]) -> CapturedTime? {
    var item = MediaItem(inode: 0, kind: found.kind ?? .jpeg)
    let modified = found.file.status.modified
    let wall = WallTime(seconds: modified.seconds, nanoseconds: UInt32(clamping: modified.nanoseconds))
    // A file that cannot be read as a photo has only the facts of sidecars, its name and its file time.
    let times = item.offer(
      (found.kind == nil ? [] : [found.facts]) + sidecars, name: found.file.name, modified: wall,
      attributes: found.attributes
    ).times
    places.withLock { $0.settle(&item, times) }
    return item.taken
  }
}

/// The tables of places and zones; they are loaded when a photo has a position.
private struct Places {
  private var tables = PlaceTables.debian
  private lazy var gazetteer = tables.gazetteer()
  private lazy var zones = tables.zoneLibrary()
  private let zone: SpaceZone

  init(_ zone: SpaceZone) throws {
    self.zone = zone
    if zone.townsAreHidden {
      throw CommandFailure(
        .failure,
        "The mount uses a table of towns that only its user and root may know; without that table, photos would be "
          + "sorted by other days than agonyfs list shows. Import as that user, or without --by-date.")
    }
    guard let towns = zone.towns else { return }
    tables.towns = FilePath(bytes: towns)
    gazetteer = tables.gazetteer()
    guard gazetteer == nil else { return }
    throw CommandFailure(
      .failure,
      "The mount uses the table of towns \(TerminalText.safe(towns)), which cannot be read here; without that "
        + "table, photos would be sorted by other days than agonyfs list shows. Make it readable, or import without "
        + "--by-date.")
  }

  mutating func goBy(_ zone: SpaceZone) throws {
    if zone != self.zone { self = try Places(zone) }
  }

  mutating func settle(_ item: inout MediaItem, _ times: [TimeCandidate]) {
    let towns = item.position == nil ? nil : gazetteer
    let home = zone.name.flatMap { zones.rules(named: $0) }
    item.settle(times: times, gazetteer: towns, home: home) { zones.rules(named: $0) }
  }
}

private struct OpenSource: MediaSource {
  let file: Descriptor
  let size: Int64

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    try systemCall { unsafe pread(file.number, buffer.baseAddress, buffer.count, off_t(offset)) }
  }
}
