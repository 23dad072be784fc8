// The names that a run may give to files.
//
// Invariants
// 1. A name that a file of the run is going to get is taken for all other files, from its choice until the file is
//    named or failed.
// 2. All names of a group get the same number, and never one that puts a companion next to a photo that it does not
//    belong to.
// 3. The cached listings of albums are bounded. A listing that was dropped is read again.

internal import HostFiles
internal import Media
internal import System
internal import SystemPackage

/// A file that needs a name.
struct NameCandidate {
  let status: FileStatus
  /// The album, from the root of the space.
  let album: [[UInt8]]
  let name: WantedName
  /// The hash of its first bytes; nil if they cannot be read, or not yet.
  let beginning: () -> UInt64?
  /// The mark of the Takeout JSON that describes it (`TakeoutDescription.mark`).
  var description: Int?
}

/// The names in albums: existing ones, and those that the run is going to give.
struct NameReservations {
  /// Paths of the run's files that are not named yet.
  private var reserved: Set<[UInt8]> = []
  /// Names by album and group key.
  private var albums: [[UInt8]: [[UInt8]: [[UInt8]]]] = [:]
  private var count = 0
  private static let most = 1 << 18

  static func path(_ album: [[UInt8]], _ name: [UInt8]) -> [UInt8] { Array((album + [name]).joined(separator: [0x2F])) }

  func isReserved(_ path: [UInt8]) -> Bool { reserved.contains(path) }

  mutating func reserve(_ album: [[UInt8]], _ name: [UInt8]) {
    reserved.insert(Self.path(album, name))
    note(name, in: album)
  }

  /// Records the name of a file in an album.
  mutating func note(_ name: [UInt8], in album: [[UInt8]]) {
    let key = Companions.key(of: name)
    let album = Array(album.joined(separator: [0x2F]))
    if !(albums[album]?[key] ?? []).contains(name) { albums[album]?[key, default: []].append(name) }
    count += 1
  }

  mutating func release(_ path: [UInt8]) { reserved.remove(path) }

  /// Drops the listings, so that albums are read again.
  mutating func forget() { (albums, count) = ([:], 0) }

  /// The names in an album with this key; `list` reads all existing names.
  mutating func names(in album: [[UInt8]], key: [UInt8], list: () -> [[UInt8]]) -> [[UInt8]] {
    let path = Array(album.joined(separator: [0x2F]))
    if let known = albums[path] { return known[key] ?? [] }
    if count > Self.most { forget() }
    var names: [[UInt8]: [[UInt8]]] = [:]
    for name in list() {
      let parts = Companions.parts(of: name)
      if parts.kind != .other { names[parts.key, default: []].append(name) }
    }
    for taken in reserved {
      let slash = taken.lastIndex(of: 0x2F)
      guard Array(taken[..<(slash ?? 0)]) == path else { continue }
      let name = Array(taken[(slash.map { $0 + 1 } ?? 0)...])
      names[Companions.key(of: name), default: []].append(name)
    }
    count += names.count + 1
    albums[path] = names
    return names[key] ?? []
  }
}

extension Importer {
  /// The first number with which all names of a group are free, or already belong to the same files.
  func firstNumber(_ members: [NameCandidate]) -> Int {
    for number in 1...FreeNames.most {
      let states = members.map { state($0, number) }
      if states.contains(.taken) { continue }
      if states.contains(.same) || !isBesideOthers(members, number) { return number }
    }
    return 1
  }

  private enum NameState {
    case free, same, taken
  }

  private func state(_ member: NameCandidate, _ number: Int) -> NameState {
    let name = member.name.numbered(number)
    let path = NameReservations.path(member.album, name)
    if reservations.isReserved(path) { return .taken }
    guard let album = try? album(member.album), let other = try? calls.status(of: name, in: album.descriptor) else {
      return .free
    }
    guard other.kind == .file, other.size == member.status.size else { return .taken }
    // File systems that round times to two seconds, one second or a hundredth give many files the same time.
    if other.modified == member.status.modified, other.modified.nanoseconds % 10_000_000 != 0 { return .same }
    guard other.modified == member.status.modified || options.skipsDuplicates && other.size > 0 else { return .taken }
    // A file from an archive has no bytes to compare yet; it is compared after it is unpacked.
    guard let own = member.beginning() else { return .same }
    return own == beginning(of: path) ? .same : .taken
  }

  /// Whether this number would put a companion next to a photo that it does not belong to. A group of companions
  /// without a photo keeps its names.
  private func isBesideOthers(_ members: [NameCandidate], _ number: Int) -> Bool {
    let names = members.map { (album: $0.album, name: $0.name.numbered(number)) }
    let kinds = names.map { Companions.kind(of: $0.name) }
    guard kinds.contains(.media) else { return false }
    let hasCompanion = kinds.contains(.companion)
    var seen: [(album: [[UInt8]], key: [UInt8])] = []
    for (album, name) in names {
      let key = Companions.key(of: name)
      if seen.contains(where: { $0.album == album && $0.key == key }) { continue }
      seen.append((album, key))
      let own = names.filter { $0.album == album }.map(\.name)
      let others = reservations.names(in: album, key: key) {
        guard let open = try? self.album(album) else { return [] }
        return (try? calls.names(in: open.descriptor)) ?? []
      }
      let descriptions = members.filter { $0.album == album }.compactMap(\.description)
      for other in others where !own.contains(other) {
        // The other file came with another part of the same Takeout.
        if !descriptions.isEmpty, let mark = descriptionMark(other, in: album), descriptions.contains(mark) { continue }
        if hasCompanion || Companions.kind(of: other) == .companion { return true }
      }
    }
    return false
  }

  /// The mark of the JSON in an album; nil if the file is not a JSON.
  private func descriptionMark(_ name: [UInt8], in album: [[UInt8]]) -> Int? {
    guard TakeoutPlan.Builder.isDescription(name), let open = try? self.album(album),
      let file = try? calls.openFile(name, in: open.descriptor), let status = try? calls.status(of: file),
      status.size <= Int64(Decoder.mostSidecarBytes)
    else { return nil }
    return (try? calls.bytes(of: file, at: 0, count: Int(status.size))).map { TakeoutDescription.mark(of: $0) }
  }
}
