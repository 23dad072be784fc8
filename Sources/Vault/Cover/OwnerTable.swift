package import Crypto
package import Storage
internal import System

/// The part of a space's heads about files that its log does not name, and about its vault.
package struct OwnerTable: Equatable, Sendable {
  /// The number of all files of the space: slots, segments and cover. It stays the same no matter how much the space
  /// stores. 0 if the space owns no cover.
  package internal(set) var fileCount: UInt64 = 0
  /// The slot files of the passwords that open the space.
  package var slots: [SegmentIdentifier] = []
  /// The key derivations that the vault had when the space was last written.
  package var derivations: [PasswordDerivation] = []
  /// Cover that was never used, in the order of use.
  var cover: [CoverRange] = []
  /// How far a new space key has replaced the previous one.
  var rekeying = Rekeying.none

  /// How far a new space key has replaced the previous one.
  enum Rekeying: Equatable, Sendable {
    /// There is one key.
    case none
    /// The log continues under another key, with this mark. This head is the last one under its own key.
    case left(successor: [UInt8])
    /// Files may still be under the previous key, such as this cover that was never used.
    case begun(previousCover: [CoverRange])
  }

  /// Bytes of `SpaceKeys.successorMark`.
  static let markSize = 16

  /// The table of a new space with `ownFiles` files, all of which are cover.
  init(ownFiles: UInt64 = 0) {
    fileCount = ownFiles
    if ownFiles > 0 {
      cover = [CoverRange(branch: Sodium.randomBytes(SpaceKeys.branchSize), first: 0, end: ownFiles)]
    }
  }

  /// Bytes of the encoding.
  var encodedSize: Int {
    20 + SegmentIdentifier.size * slots.count + Self.derivationSize * derivations.count + CoverRange.encodedSize
      * cover.count + rekeying.encodedSize
  }

  private static let derivationSize = 16 + PasswordDerivation.saltSize

  /// Appends the number of files (8), then three lists, each with its length (4): slots, derivations, cover. While the
  /// key is being replaced, appends also a 1 (4) and the successor's mark, or a 2 (4) and another list of cover.
  func encode(to writer: inout ByteWriter) {
    writer.append(fileCount)
    writer.append(UInt32(slots.count))
    for slot in slots { writer.append(slot.bytes) }
    writer.append(UInt32(derivations.count))
    for derivation in derivations {
      writer.append(derivation.operations)
      writer.append(derivation.memory)
      writer.append(derivation.salt)
    }
    encode(cover, to: &writer)
    switch rekeying {
    case .none: break
    case .left(let successor):
      writer.append(UInt32(1))
      writer.append(successor)
    case .begun(let previousCover):
      writer.append(UInt32(2))
      encode(previousCover, to: &writer)
    }
  }

  private func encode(_ ranges: [CoverRange], to writer: inout ByteWriter) {
    writer.append(UInt32(ranges.count))
    for range in ranges {
      writer.append(range.branch)
      writer.append(range.first)
      writer.append(range.end)
    }
  }

  /// Decodes the result of `encode(to:)`.
  init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    fileCount = try reader.read()
    for _ in 0..<(try reader.read(UInt32.self)) {
      slots.append(SegmentIdentifier(bytes: try reader.readBytes(SegmentIdentifier.size)))
    }
    for _ in 0..<(try reader.read(UInt32.self)) {
      derivations.append(
        PasswordDerivation(
          recordedOperations: try reader.read(), memory: try reader.read(),
          salt: try reader.readBytes(PasswordDerivation.saltSize)))
    }
    cover = try Self.decodeRanges(&reader)
    if reader.remaining > 0 {
      switch try reader.read(UInt32.self) {
      case 1: rekeying = .left(successor: try reader.readBytes(Self.markSize))
      case 2: rekeying = .begun(previousCover: try Self.decodeRanges(&reader))
      default: throw ByteReader.Malformed()
      }
    }
    guard fileCount <= Self.mostFiles, coverCount <= Int(fileCount) else { throw ByteReader.Malformed() }
    try reader.finish()
  }

  private static func decodeRanges(_ reader: inout ByteReader) throws(ByteReader.Malformed) -> [CoverRange] {
    var ranges: [CoverRange] = []
    for _ in 0..<(try reader.read(UInt32.self)) {
      let branch = try reader.readBytes(SpaceKeys.branchSize)
      ranges.append(CoverRange(branch: branch, first: try reader.read(), end: try reader.read()))
    }
    guard ranges.allSatisfy({ $0.first <= $0.end && $0.end <= mostFiles }),
      ranges.reduce(0, { $0 + $1.end }) <= mostFiles
    else { throw ByteReader.Malformed() }
    return ranges
  }

  /// The number of cover files that were never used.
  var coverCount: Int { (cover + previousCover).reduce(0) { $0 + Int($1.count) } }

  /// All cover that the table names, used or not.
  var allCover: [CoverFile] {
    [(cover, false), (previousCover, true)].flatMap { ranges, isPrevious in
      ranges.flatMap { range in
        (0..<range.end).map { CoverFile(branch: range.branch, counter: $0, isPrevious: isPrevious) }
      }
    }
  }

  /// Cover under the previous key that was never used.
  var previousCover: [CoverRange] {
    get { if case .begun(let ranges) = rekeying { ranges } else { [] } }
    set { rekeying = .begun(previousCover: newValue) }
  }

  /// Takes the next cover file in the order of use, those under the previous key first; nil if there is none.
  mutating func takeCover() -> CoverFile? {
    if let file = takePreviousCover() { return file }
    guard let index = cover.firstIndex(where: { $0.count > 0 }) else { return nil }
    defer { cover[index].first += 1 }
    return CoverFile(branch: cover[index].branch, counter: cover[index].first)
  }

  /// Puts all cover under the previous key. All cover under the new key is one batch whose branch follows from the key,
  /// so a crash leaves no file of the batch that the table does not name.
  mutating func beginRekeying(branch: [UInt8]) {
    rekeying = .begun(previousCover: cover)
    cover = fileCount == 0 ? [] : [CoverRange(branch: branch, first: fileCount, end: fileCount)]
  }

  /// Takes the next cover file under the previous key; nil if there is none.
  mutating func takePreviousCover() -> CoverFile? {
    var ranges = previousCover
    guard let index = ranges.firstIndex(where: { $0.count > 0 }) else { return nil }
    let file = CoverFile(branch: ranges[index].branch, counter: ranges[index].first, isPrevious: true)
    ranges[index].first += 1
    previousCover = ranges
    return file
  }

  /// Counts the last `count` files as unused, and those before as used. If there are fewer files, adds a batch.
  mutating func setCover(count: Int, newBranch: () -> [UInt8]) {
    var left = UInt64(count)
    for index in cover.indices.reversed() {
      let kept = min(left, cover[index].end)
      cover[index].first = cover[index].end - kept
      left -= kept
    }
    if left > 0 { cover.append(CoverRange(branch: newBranch(), first: 0, end: left)) }
  }

  /// Gives up cover that was never used: the last `count` files in the order of use. The remaining table equals that of
  /// a space that never had them.
  mutating func giveUpCover(_ count: Int) -> [CoverFile] {
    var given: [CoverFile] = []
    for index in cover.indices.reversed() {
      let end = cover[index].end
      cover[index].end -= min(UInt64(count - given.count), cover[index].count)
      given += (cover[index].end..<end).map { CoverFile(branch: cover[index].branch, counter: $0) }
    }
    cover.removeAll { $0.end == 0 }
    fileCount -= UInt64(given.count)
    return given
  }

  /// Counts cover as used if it counts as used in `other`.
  mutating func noteUse(as other: OwnerTable?) {
    let used = (other?.cover ?? []) + (other?.previousCover ?? [])
    let noted = { (range: CoverRange) in
      var range = range
      for other in used where other.branch == range.branch {
        range.first = min(range.end, max(range.first, other.first))
      }
      return range
    }
    cover = cover.map(noted)
    if case .begun(let ranges) = rekeying { rekeying = .begun(previousCover: ranges.map(noted)) }
  }

  /// The most files of a space, and the most that each list of its ranges names. With this limit the names fit into
  /// memory, and sums do not overflow.
  static let mostFiles: UInt64 = 1 << 24
}

extension OwnerTable.Rekeying {
  /// Bytes of the encoding.
  fileprivate var encodedSize: Int {
    switch self {
    case .none: 0
    case .left: 4 + OwnerTable.markSize
    case .begun(let previousCover): 8 + CoverRange.encodedSize * previousCover.count
    }
  }
}

/// Cover files of one batch, by their counters.
struct CoverRange: Equatable, Sendable {
  static let encodedSize = SpaceKeys.branchSize + 16

  /// Random bytes, drawn for each batch.
  var branch: [UInt8]
  /// The first file that was not used.
  var first: UInt64
  /// One more than the last.
  var end: UInt64

  var count: UInt64 { end - first }
}

/// One file of cover.
struct CoverFile: Hashable, Sendable {
  /// Bytes of each part of a file. Each part has a separate key.
  static let partSize = 256 << 10

  /// The branch of its batch.
  var branch: [UInt8]
  /// Its place in the batch, from 0.
  var counter: UInt64
  /// Whether it is under the previous key.
  var isPrevious = false
}
