internal import Storage
internal import System

/// One epoch whose segments still exist.
struct EpochEntry: Equatable {
  var branch: [UInt8]
  /// Bit n: segment n is there.
  var present: UInt64
}

/// A head that is kept with all that it needs, so that a copy that began under it is complete.
struct KeptHead: Equatable {
  var epoch: EpochNumber
  /// Seconds since 1970 when it was written.
  var time: Int64
}

/// What a head says: the whole state of the log, so that nothing before it needs to be read.
struct HeadState: Equatable {
  static let version: UInt32 = 1
  /// Bytes before the lists.
  static let fixedSize = 104
  /// Bytes of the state in one record.
  static let partSize = 60 << 10

  var epoch: EpochNumber
  /// Seconds since 1970.
  var time: Int64
  /// What the head's own file was; a copy of the vault has others.
  var identity: SegmentIdentity
  /// Where the epoch before ended, and the chain value there; position 0 when there is none.
  var previousEnd: LogPosition
  var previousChain: [UInt8]
  var sequence: UInt64
  /// Kept heads, oldest first; the last is this one.
  var heads: [KeptHead]
  /// Epochs with segments, this one included.
  var epochs: [EpochNumber: EpochEntry]
  /// Segments that hold nothing any more, and the first head that says so.
  var retired: [SegmentNumber: EpochNumber]
  /// Position of each database page, in order; 0 where there is none.
  var pages: [UInt64]
  /// Writes that are in the log's commits and not in the database, encoded.
  var intents: [UInt8] = []

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(Self.version)
    writer.append(epoch.rawValue)
    writer.append(time)
    writer.append(identity.inode)
    writer.append(identity.bornSeconds)
    writer.append(identity.bornNanoseconds)
    writer.append(UInt32(0))
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
    writer.append(intents)
    return writer.bytes
  }
}

extension HeadState {
  /// Decodes what `encoded` made.
  ///
  /// - Throws: when the bytes end early or the version is another.
  init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    guard try reader.read(UInt32.self) == Self.version else { throw ByteReader.Malformed() }
    epoch = EpochNumber(rawValue: try reader.read())
    time = try reader.read()
    identity = SegmentIdentity(
      inode: try reader.read(), bornSeconds: try reader.read(), bornNanoseconds: try reader.read())
    _ = try reader.read(UInt32.self)
    previousEnd = LogPosition(rawValue: try reader.read())
    previousChain = try reader.readBytes(SpaceKeys.chainSize)
    sequence = try reader.read()
    let headCount = try reader.read(UInt32.self)
    let epochCount = try reader.read(UInt32.self)
    let retiredCount = try reader.read(UInt32.self)
    let pageCount = Int(try reader.read(UInt32.self))
    heads = []
    for _ in 0..<headCount {
      heads.append(KeptHead(epoch: EpochNumber(rawValue: try reader.read()), time: try reader.read()))
    }
    epochs = [:]
    for _ in 0..<epochCount {
      let epoch = EpochNumber(rawValue: try reader.read())
      epochs[epoch] = EpochEntry(branch: try reader.readBytes(SpaceKeys.branchSize), present: try reader.read())
    }
    retired = [:]
    for _ in 0..<retiredCount {
      let segment = SegmentNumber(rawValue: try reader.read())
      retired[segment] = EpochNumber(rawValue: try reader.read())
    }
    guard reader.remaining >= pageCount * 8 else { throw ByteReader.Malformed() }
    pages = []
    pages.reserveCapacity(pageCount)
    for _ in 0..<pageCount { pages.append(try reader.read()) }
    intents = try reader.readBytes(reader.remaining)
  }
}
