internal import Crypto
internal import Storage
internal import System

/// One epoch whose segments still exist.
struct EpochEntry: Equatable {
  var branch: [UInt8]
  /// Bit n is set if segment n exists.
  var present: UInt64
}

/// A kept head. Everything it needs is kept with it, so a copy of the vault that began under this head is complete.
struct KeptHead: Equatable {
  var epoch: EpochNumber
  /// Seconds since 1970 when it was written.
  var time: Int64
}

/// The content of a head: the whole state of the log. Recovery reads nothing before the newest head.
struct HeadState: Equatable {
  /// The versions without and with an owner table.
  private static let version: UInt32 = 1
  private static let versionWithOwner: UInt32 = 2
  /// Bytes before the lists.
  static let fixedSize = 104
  /// Bytes of the state in one record.
  static let partSize = 60 << 10
  /// The most bytes of a state, which are those that fit into half of an epoch.
  static func mostBytes(segmentSize: Int) -> Int {
    let part = RecordHeader.recordLength(bodyLength: partSize + CipherSuite.tagSize)
    return SegmentNumber.perEpoch / 2 * ((segmentSize - SegmentFormat.recordsStart) / part) * partSize
  }

  var epoch: EpochNumber
  /// Seconds since 1970.
  var time: Int64
  /// The birth of the head's own file. The file has another birth in a copy of the vault.
  var birth: FileBirth
  /// Where the previous epoch ended, and the chain value there. Position 0 in the first epoch.
  var previousEnd: LogPosition
  var previousChain: [UInt8]
  var sequence: UInt64
  /// Kept heads, oldest first; the last is this one.
  var heads: [KeptHead]
  /// Epochs with segments, this one included.
  var epochs: [EpochNumber: EpochEntry]
  /// Segments that are no longer needed, and the first head that says so.
  var retired: [SegmentNumber: EpochNumber]
  /// Position of each database page, in order; 0 for a page that does not exist.
  var pages: [UInt64]
  /// The owner table of the space; nil in a space that was created before there were owner tables.
  var owner: OwnerTable?
  /// Encoded writes that commits state but the database does not contain.
  var intents: [UInt8] = []

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(owner == nil ? Self.version : Self.versionWithOwner)
    writer.append(epoch.rawValue)
    writer.append(time)
    // Once the inode number of the file. The number would store how many files others create.
    writer.append(UInt64(0))
    writer.append(birth.seconds)
    writer.append(birth.nanoseconds)
    writer.append(UInt32(owner?.encodedSize ?? 0))
    writer.append(previousEnd.rawValue)
    writer.append(previousChain)
    writer.append(sequence)
    writer.append(UInt32(heads.count))
    writer.append(UInt32(epochs.count))
    writer.append(UInt32(retired.count))
    writer.append(UInt32(pages.count))
    for head in heads {
      writer.append(head.epoch.rawValue)
      writer.append(head.time)
    }
    for (epoch, entry) in epochs.sorted(by: { $0.key < $1.key }) {
      writer.append(epoch.rawValue)
      writer.append(entry.branch)
      writer.append(entry.present)
    }
    for (segment, died) in retired.sorted(by: { $0.key < $1.key }) {
      writer.append(segment.rawValue)
      writer.append(died.rawValue)
    }
    for page in pages { writer.append(page) }
    owner?.encode(to: &writer)
    writer.append(intents)
    return writer.bytes
  }
}

extension HeadState {
  /// Decodes a state.
  ///
  /// - Throws: when the bytes end early, have another version, or state values that no version writes.
  init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    let version = try reader.read(UInt32.self)
    guard version == Self.version || version == Self.versionWithOwner else { throw ByteReader.Malformed() }
    epoch = try reader.readEpoch()
    time = try reader.read()
    _ = try reader.read(UInt64.self)
    birth = FileBirth(seconds: try reader.read(), nanoseconds: try reader.read())
    let ownerSize = Int(try reader.read(UInt32.self))
    previousEnd = LogPosition(rawValue: try reader.read())
    previousChain = try reader.readBytes(SpaceKeys.chainSize)
    sequence = try reader.readSequence()
    let headCount = try reader.read(UInt32.self)
    let epochCount = try reader.read(UInt32.self)
    let retiredCount = try reader.read(UInt32.self)
    let pageCount = Int(try reader.read(UInt32.self))
    heads = []
    for _ in 0..<headCount {
      heads.append(KeptHead(epoch: try reader.readEpoch(), time: try reader.read()))
    }
    epochs = [:]
    for _ in 0..<epochCount {
      let epoch = try reader.readEpoch()
      epochs[epoch] = EpochEntry(branch: try reader.readBytes(SpaceKeys.branchSize), present: try reader.read())
    }
    retired = [:]
    for _ in 0..<retiredCount {
      let segment = SegmentNumber(rawValue: try reader.read())
      retired[segment] = try reader.readEpoch()
    }
    guard reader.remaining >= pageCount * 8 else { throw ByteReader.Malformed() }
    pages = []
    pages.reserveCapacity(pageCount)
    for _ in 0..<pageCount { pages.append(try reader.read()) }
    if version == Self.versionWithOwner { owner = try OwnerTable(decoding: try reader.readBytes(ownerSize)) }
    intents = try reader.readBytes(reader.remaining)
    // A head names nothing newer than itself.
    guard heads.allSatisfy({ $0.epoch <= epoch }), epochs.keys.allSatisfy({ $0 <= epoch }),
      retired.allSatisfy({ $0.key.epoch <= epoch && $0.value <= epoch })
    else { throw ByteReader.Malformed() }
  }
}
