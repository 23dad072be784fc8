package import Crypto
package import Storage
internal import System

/// What a space states in its heads beside its log: the files that no log names, and what it knows of its vault.
package struct OwnerTable: Equatable, Sendable {
  /// Files of the space in all: slots, segments and cover. It stays the same whatever the space stores. 0 if the space
  /// owns no cover.
  package internal(set) var fileCount: UInt64 = 0
  /// The slot files of the passwords that open the space.
  package var slots: [SegmentIdentifier] = []
  /// The key derivations that the vault had when the space was last written.
  package var derivations: [PasswordDerivation] = []
  /// Cover that was never used, in the order of use.
  var cover: [CoverRange] = []

  /// The table of a new space with so many files. All of them are cover.
  init(ownFiles: UInt64 = 0) {
    fileCount = ownFiles
    if ownFiles > 0 {
      cover = [CoverRange(branch: Sodium.randomBytes(SpaceKeys.branchSize), first: 0, end: ownFiles)]
    }
  }

  /// Bytes of the encoding.
  var encodedSize: Int {
    20 + SegmentIdentifier.size * slots.count + Self.derivationSize * derivations.count + CoverRange.encodedSize
      * cover.count
  }

  private static let derivationSize = 16 + PasswordDerivation.saltSize

  /// Appends: number of files (8), then three lists, each with its length (4): slots, derivations, cover.
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
    writer.append(UInt32(cover.count))
    for range in cover {
      writer.append(range.branch)
      writer.append(range.first)
      writer.append(range.end)
    }
  }

  /// Decodes what `encode(to:)` wrote.
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
    for _ in 0..<(try reader.read(UInt32.self)) {
      let branch = try reader.readBytes(SpaceKeys.branchSize)
      cover.append(CoverRange(branch: branch, first: try reader.read(), end: try reader.read()))
    }
    guard fileCount <= Self.most, cover.allSatisfy({ $0.first <= $0.end && $0.end <= Self.most }) else {
      throw ByteReader.Malformed()
    }
    try reader.finish()
  }

  /// How many files of cover there are that were never used.
  var coverCount: Int { cover.reduce(0) { $0 + Int($1.count) } }

  /// Takes the next cover file in the order of use; nil if there is none.
  mutating func takeCover() -> CoverFile? {
    guard let index = cover.firstIndex(where: { $0.count > 0 }) else { return nil }
    defer { cover[index].first += 1 }
    return CoverFile(branch: cover[index].branch, counter: cover[index].first)
  }

  /// Has the last `count` files count as unused, and those before as used. If there are not as many, adds a batch.
  mutating func setCover(count: Int, newBranch: () -> [UInt8]) {
    var left = UInt64(count)
    for index in cover.indices.reversed() {
      let kept = min(left, cover[index].end)
      cover[index].first = cover[index].end - kept
      left -= kept
    }
    if left > 0 { cover.append(CoverRange(branch: newBranch(), first: 0, end: left)) }
  }

  /// More files than any space has. Sums of so few numbers below it do not overflow.
  private static let most: UInt64 = 1 << 38
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
  /// Bytes of a file that have a key of their own.
  static let partSize = 256 << 10

  /// That of its batch.
  var branch: [UInt8]
  /// Its place in the batch, from 0.
  var counter: UInt64
}
