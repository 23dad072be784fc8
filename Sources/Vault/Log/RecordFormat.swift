// The layout of segments and records. Every number here is in the format article; changing one is a new format.
//
// A segment:  salt (32) · sealed segment header (64 + 16) · records … · random bytes to the end
// A record:   sealed record header (32 + 16) · body · random bytes up to a multiple of 16
//
// Invariants
// 1. Nonce of a blob = its byte offset in the segment; associated data = its kind. So no blob can replace another.
// 2. Records never span segments. Every record begins at a multiple of 16, so a search for headers tries only those.

internal import Crypto
internal import System

/// The kind of a sealed blob, and its associated data.
enum BlobKind {
  static let segmentHeader: UInt8 = 1
  static let recordHeader: UInt8 = 2
  static let filePage: UInt8 = 3
  static let pageNumbers: UInt8 = 4
  static let databasePage: UInt8 = 5
  static let commit: UInt8 = 6
  static let head: UInt8 = 7
}

enum SegmentFormat {
  static let saltSize = 32
  static let headerSize = 64
  /// The offset of the first record.
  static let recordsStart = saltSize + headerSize + CipherSuite.tagSize
  static let alignment = 16
  static let sizeRange = (1 << 20)...(64 << 20)
  static let defaultSize = 4 << 20
}

/// The sealed header of a segment.
struct SegmentHeader: Equatable {
  var number: SegmentNumber
  var branch: [UInt8]
  /// The end of the previous segment of the epoch; 0 in a head.
  var previousEnd: Int
  /// The chain value at the start of this segment.
  var chain: [UInt8]

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(number.epoch.rawValue)
    writer.append(UInt32(number.index))
    writer.append(branch)
    writer.append(UInt32(previousEnd))
    writer.append(UInt32(0))
    writer.append(chain)
    return writer.bytes
  }
}

extension SegmentHeader {
  init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    let epoch = try reader.readEpoch()
    let index = try reader.read(UInt32.self)
    guard index < SegmentNumber.perEpoch else { throw ByteReader.Malformed() }
    number = SegmentNumber(epoch: epoch, index: Int(index))
    branch = try reader.readBytes(SpaceKeys.branchSize)
    previousEnd = Int(try reader.read(UInt32.self))
    _ = try reader.read(UInt32.self)
    chain = try reader.readBytes(SpaceKeys.chainSize)
  }
}

/// Reads numbers that are increased later. It limits them so that this cannot overflow.
extension ByteReader {
  /// Reads the number of an epoch.
  mutating func readEpoch() throws(Malformed) -> EpochNumber {
    let epoch = EpochNumber(rawValue: try read())
    guard epoch <= .highest else { throw Malformed() }
    return epoch
  }

  /// Reads the number of a commit.
  mutating func readSequence() throws(Malformed) -> UInt64 {
    let sequence = try read(UInt64.self)
    guard sequence <= CommitBody.highestSequence else { throw Malformed() }
    return sequence
  }
}

enum RecordKind: UInt8 {
  case extent = 1
  case pages = 2
  case commit = 3
  case head = 4
}

/// The sealed header of a record.
struct RecordHeader: Equatable {
  static let size = 32
  static let sealedSize = size + CipherSuite.tagSize
  /// Set on the last commit of a closed log: nothing follows.
  static let closedFlag: UInt8 = 1
  /// Set on a commit that changes intents.
  static let intentsFlag: UInt8 = 2

  var kind: RecordKind
  var flags: UInt8 = 0
  /// Bytes of the body, without the alignment.
  var bodyLength: Int
  /// Extent: inode. Pages: number of pages. Commit: sequence number. Head: number of the part.
  var first: UInt64
  /// Extent: offset in the file. Head: bytes of the whole state.
  var second: UInt64 = 0
  /// Extent: plaintext bytes. Head: bytes in this part.
  var third: UInt64 = 0

  /// Bytes of the whole record, with the alignment.
  var recordLength: Int { RecordHeader.recordLength(bodyLength: bodyLength) }

  static func recordLength(bodyLength: Int) -> Int {
    (sealedSize + bodyLength + SegmentFormat.alignment - 1) & ~(SegmentFormat.alignment - 1)
  }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(kind.rawValue)
    writer.append(flags)
    writer.append(UInt16(0))
    writer.append(UInt32(bodyLength))
    writer.append(first)
    writer.append(second)
    writer.append(third)
    return writer.bytes
  }
}

extension RecordHeader {
  /// Decodes a header; nil for an unknown kind.
  init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    do throws(ByteReader.Malformed) {
      guard let kind = RecordKind(rawValue: try reader.read(UInt8.self)) else { return nil }
      self.kind = kind
      flags = try reader.read(UInt8.self)
      _ = try reader.read(UInt16.self)
      bodyLength = Int(try reader.read(UInt32.self))
      first = try reader.read(UInt64.self)
      second = try reader.read(UInt64.self)
      third = try reader.read(UInt64.self)
    } catch {
      return nil
    }
  }
}

/// How an extent's plaintext is cut into pages. Each page is sealed separately. The page size of a space is in its
/// slot.
struct ExtentFormat: Equatable, Sendable {
  /// The page size of new spaces. Larger pages cost less per byte; smaller ones waste less on a read of 4 KiB.
  static let preferred = ExtentFormat(uncheckedPageSize: 8 << 10)
  /// The allowed page sizes, of which only powers of two are valid.
  static let allowedPageSizes = 4 << 10...64 << 10
  /// A write is cut at a multiple of this when a segment ends, so file offsets stay aligned to common block sizes.
  static let splitAlignment = 4096

  /// Plaintext bytes of a page; the last page of a record may be shorter.
  let pageSize: Int

  private init(uncheckedPageSize: Int) { pageSize = uncheckedPageSize }

  /// Nil for an invalid page size.
  init?(pageSize: Int) {
    guard Self.allowedPageSizes.contains(pageSize), pageSize.nonzeroBitCount == 1 else { return nil }
    self.init(uncheckedPageSize: pageSize)
  }

  var sealedPageSize: Int { pageSize + CipherSuite.tagSize }

  /// Body bytes for `length` bytes of plaintext.
  func bodyLength(_ length: Int) -> Int {
    length + (length + pageSize - 1) / pageSize * CipherSuite.tagSize
  }

  /// The least room, in bytes, in which a record with the first of `length` bytes of plaintext is written.
  func leastRoom(for length: Int) -> Int {
    let least = RecordHeader.sealedSize + SegmentFormat.alignment + Self.splitAlignment + CipherSuite.tagSize
    return min(RecordHeader.recordLength(bodyLength: bodyLength(length)), least)
  }

  /// The most plaintext, up to `length`, whose record fits into `room` bytes; 0 if there is less than the least room.
  func fitting(_ length: Int, room: Int) -> Int {
    if RecordHeader.recordLength(bodyLength: bodyLength(length)) <= room { return length }
    if room < leastRoom(for: length) { return 0 }
    let body = room - RecordHeader.sealedSize - SegmentFormat.alignment
    let pages = body / sealedPageSize
    let rest = max(0, body - pages * sealedPageSize - CipherSuite.tagSize) / Self.splitAlignment * Self.splitAlignment
    return pages * pageSize + rest
  }
}

enum PagesFormat {
  static let pageSize = Space.databasePageSize
  static let sealedPageSize = pageSize + CipherSuite.tagSize
  /// The most pages in one record. Larger commits have several records.
  static let pagesPerRecord = 64

  static func bodyLength(_ count: Int) -> Int { 4 * count + CipherSuite.tagSize + count * sealedPageSize }

  /// The most pages whose record fits into `room` bytes, `count` at most.
  static func fitting(_ count: Int, room: Int) -> Int {
    let body = room / SegmentFormat.alignment * SegmentFormat.alignment - RecordHeader.sealedSize - CipherSuite.tagSize
    return max(0, min(count, pagesPerRecord, body / (4 + sealedPageSize)))
  }

  /// An upper bound, in bytes, for the records of `count` pages and of a commit of `commitLength`, wherever in a
  /// segment they begin.
  static func room(for count: Int, commitLength: Int, segmentSize: Int) -> Int {
    let records = count / pagesPerRecord + 1
    let size = count * (4 + sealedPageSize) + records * recordOverhead + commitLength
    // At the end of a segment, up to a page or a commit of room is lost, and the cut adds a record.
    let loss = 4 + sealedPageSize + 2 * recordOverhead
    return size + (size / (segmentSize - SegmentFormat.recordsStart - loss) + 1) * loss + commitLength
  }

  /// The most bytes of a record in addition to its pages.
  private static let recordOverhead = RecordHeader.sealedSize + CipherSuite.tagSize + SegmentFormat.alignment
}

/// The body of a commit.
struct CommitBody: Equatable {
  /// Bytes without intents.
  static let size = 56
  /// The highest sequence number. A space that has reached it is read-only.
  static let highestSequence = UInt64.max >> 1
  /// Bytes before the intents, in a commit that changes them.
  private static let intentsSize = 8
  /// The number of pages records since the previous commit that belong to this one.
  var recordCount: UInt32
  /// The number of pages of the database.
  var pageCount: UInt32
  var sequence: UInt64
  /// Everything before this position was durable when the commit was written.
  var flushedThrough: LogPosition
  /// The chain value before this record.
  var chain: [UInt8]
  /// The change of the pending intents.
  var intents = IntentChange.none

  /// Bytes of the sealed body.
  static func bodyLength(_ intents: IntentChange) -> Int { size + intentsLength(intents) + CipherSuite.tagSize }

  private static func intentsLength(_ intents: IntentChange) -> Int {
    intents == .none ? 0 : intentsSize + intents.bytes.count
  }

  /// The flags of the record's header for this body.
  var flags: UInt8 { intents == .none ? 0 : RecordHeader.intentsFlag }

  /// Whether the commit changes the database or the intents.
  var changesSomething: Bool { recordCount > 0 || intents != .none }

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: Self.size + Self.intentsLength(intents))
    writer.append(recordCount)
    writer.append(pageCount)
    writer.append(sequence)
    writer.append(flushedThrough.rawValue)
    writer.append(chain)
    if intents != .none {
      writer.append(UInt32(intents.bytes.count))
      writer.append(UInt32(intents.replacesOlder ? 1 : 0))
      writer.append(intents.bytes)
    }
    return writer.bytes
  }
}

extension CommitBody {
  /// Decodes a body; `flags` are the flags of the record's header.
  init(decoding bytes: [UInt8], flags: UInt8) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    recordCount = try reader.read()
    pageCount = try reader.read()
    sequence = try reader.readSequence()
    flushedThrough = LogPosition(rawValue: try reader.read())
    chain = try reader.readBytes(SpaceKeys.chainSize)
    intents = .none
    if flags & RecordHeader.intentsFlag != 0 {
      let count = Int(try reader.read(UInt32.self))
      intents.replacesOlder = try reader.read(UInt32.self) != 0
      intents.bytes = try reader.readBytes(count)
    }
  }
}
