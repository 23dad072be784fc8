internal import Crypto
internal import Storage
internal import System

/// The subkeys of a space. They yield the names and keys of segments, and the chain over the log. Also holds the format
/// of its extents and heads. While a new space key replaces another, epochs before a boundary use the subkeys of the
/// old one.
final class SpaceKeys: Sendable {
  /// Bytes of the random value that distinguishes two branches of one epoch.
  static let branchSize = 16
  /// The branch of a head that cannot be read.
  static let unknownBranch = [UInt8](repeating: 0, count: branchSize)
  /// Bytes of a chain value.
  static let chainSize = 32

  let suite: CipherSuite
  let extents: ExtentFormat
  private let logKey: SecretBytes
  private let identifierKey: SecretBytes
  private let chainKey: SecretBytes
  private let coverKey: SecretBytes
  /// The key for hashes of file contents.
  let contentKey: SecretBytes
  /// The key for checkpoint records, which a machine may keep outside the vault.
  let recordKey: SecretBytes
  /// The lease token that every process takes to open the space.
  let leaseToken: LeaseToken
  /// The keys of the epochs before `boundary`; nil if there are none.
  let previous: SpaceKeys?
  /// The first epoch that has these keys; 0 if all have them.
  let boundary: EpochNumber

  init(_ body: SlotBody) {
    let spaceKey = body.spaceKey
    boundary = body.rekeying?.boundary ?? EpochNumber(rawValue: 0)
    previous = body.beforeRekeying.map(SpaceKeys.init)
    suite = body.suite
    extents = body.extents
    logKey = KeyedHash.subkey(of: spaceKey, context: "agonyfs log")
    identifierKey = KeyedHash.subkey(of: spaceKey, context: "agonyfs identifier")
    chainKey = KeyedHash.subkey(of: spaceKey, context: "agonyfs chain")
    coverKey = KeyedHash.subkey(of: spaceKey, context: "agonyfs cover")
    contentKey = body.contentKey
    recordKey = body.recordKey
    let lease = KeyedHash.identifier(of: spaceKey, context: "agonyfs lease", data: [], count: 16)
    leaseToken = .space(lease[..<4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
  }

  /// The keys of an epoch.
  func keys(of epoch: EpochNumber) -> SpaceKeys {
    if let previous, epoch < boundary { return previous }
    return self
  }

  /// The mark that this space's key replaced another: PRF(chain key, "successor").
  var successorMark: [UInt8] {
    KeyedHash.identifier(of: chainKey, context: "successor", data: [], count: OwnerTable.markSize)
  }

  /// The name of an epoch's head: PRF(identifier key, "epoch", epoch).
  func headIdentifier(_ epoch: EpochNumber) -> SegmentIdentifier {
    let identifierKey = keys(of: epoch).identifierKey
    var data = ByteWriter()
    data.append(UInt64(epoch.rawValue))
    return SegmentIdentifier(of: identifierKey, context: "epoch", data: data.bytes)
  }

  /// The name of a segment: the head's name for index 0, otherwise PRF(identifier key, "segment", epoch, branch,
  /// index).
  func identifier(_ segment: SegmentNumber, branch: [UInt8]) -> SegmentIdentifier {
    if segment.index == 0 { return headIdentifier(segment.epoch) }
    var data = ByteWriter()
    data.append(UInt64(segment.epoch.rawValue))
    data.append(branch)
    data.append(UInt32(segment.index))
    return SegmentIdentifier(of: keys(of: segment.epoch).identifierKey, context: "segment", data: data.bytes)
  }

  /// The name of a cover file: PRF(identifier key, "cover", branch, counter).
  func coverIdentifier(_ file: CoverFile) -> SegmentIdentifier {
    var data = ByteWriter()
    data.append(file.branch)
    data.append(file.counter)
    let keys = file.isPrevious ? previous ?? self : self
    return SegmentIdentifier(of: keys.identifierKey, context: "cover", data: data.bytes)
  }

  /// The bytes of part `part` of the cover file with this name. Each part of `CoverFile.partSize` bytes has a separate
  /// key. Writing the same file again gives the same bytes.
  func fillCover(_ name: SegmentIdentifier, part: Int, _ bytes: UnsafeMutableRawBufferPointer) {
    var data = ByteWriter()
    data.append(name.bytes)
    data.append(UInt32(part))
    unsafe Sodium.fillStream(bytes, key: KeyedHash.subkey(of: coverKey, context: "cover", data: data.bytes))
  }

  /// The key of the segment that begins with `salt`: keyed BLAKE2b(log key, salt).
  func segmentKey(salt: [UInt8]) -> SealingKey {
    SealingKey(suite: suite, key: KeyedHash.subkey(of: logKey, context: "segment", data: salt))
  }

  /// The chain value after a record of an epoch whose sealed header ends with `tag`.
  func chain(after value: [UInt8], tag: [UInt8], in epoch: EpochNumber) -> [UInt8] {
    KeyedHash.identifier(of: keys(of: epoch).chainKey, context: "record", data: value + tag, count: Self.chainSize)
  }
}

extension SegmentIdentifier {
  /// The name that a key gives to a context and data.
  init(of key: SecretBytes, context: String, data: [UInt8] = []) {
    self.init(bytes: KeyedHash.identifier(of: key, context: context, data: data, count: Self.size))
  }
}
