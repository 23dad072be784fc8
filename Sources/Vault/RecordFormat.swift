// The layout of segments and records. Every number here is in the format article; changing one is a new format.
//
// A segment:  salt (32) · sealed segment header (64 + 16) · records … · random bytes to the end
// A record:   sealed record header (32 + 16) · body · random bytes up to a multiple of 16
//
// Invariants
// 1. Nonce of a blob = its byte offset in the segment; associated data = its kind; so no blob can stand for another.
// 2. Records never span segments; every record begins at a multiple of 16, so that a search for headers need not try every byte.

internal import Crypto
internal import System

/// What a sealed blob is; its associated data.
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
  /// Where the first record begins.
  static let recordsStart = saltSize + headerSize + CipherSuite.tagSize
  static let alignment = 16
  static let sizeRange = (1 << 20)...(64 << 20)
  static let defaultSize = 4 << 20
}

/// The sealed header of a segment.
struct SegmentHeader: Equatable {
  var number: SegmentNumber
  var branch: [UInt8]
  /// Where the segment before, of the same epoch, ended; 0 in a head.
  var previousEnd: Int
  /// The chain value where this segment begins.
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

  init(number: SegmentNumber, branch: [UInt8], previousEnd: Int, chain: [UInt8]) {
    self.number = number
    self.branch = branch
    self.previousEnd = previousEnd
    self.chain = chain
  }

  init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    let epoch = try reader.read(UInt32.self)
    let index = try reader.read(UInt32.self)
    number = SegmentNumber(epoch: EpochNumber(rawValue: epoch), index: Int(index & 63))
    branch = try reader.readBytes(SpaceKeys.branchSize)
    previousEnd = Int(try reader.read(UInt32.self))
    _ = try reader.read(UInt32.self)
    chain = try reader.readBytes(SpaceKeys.chainSize)
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
  /// Set on the last commit before the log was closed: nothing follows.
  static let closedFlag: UInt8 = 1
  /// Set on a commit that says something of intents.
  static let intentsFlag: UInt8 = 2

  var kind: RecordKind
  var flags: UInt8 = 0
  /// Bytes after the sealed header that belong to the record, without the alignment.
  var bodyLength: Int
  /// Extent: inode. Pages: number of pages. Commit: sequence number. Head: number of the part.
  var first: UInt64
  /// Extent: offset in the file. Head: bytes of the whole state.
  var second: UInt64 = 0
  /// Extent: plaintext bytes. Head: bytes in this part.
  var third: UInt64 = 0

  /// Bytes of the whole record in the segment.
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

  init(kind: RecordKind, flags: UInt8 = 0, bodyLength: Int, first: UInt64, second: UInt64 = 0, third: UInt64 = 0) {
    self.kind = kind
    self.flags = flags
    self.bodyLength = bodyLength
    self.first = first
    self.second = second
    self.third = third
  }

  /// Nil for a kind that this program does not know.
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

/// The pages that an extent record's plaintext is cut into, each sealed by itself. Their size is one for a space, in its slot.
struct ExtentFormat: Equatable, Sendable {
  /// The page size of new spaces: large enough that what a page costs beyond its bytes is a small part of opening it, and small enough
  /// that a read of 4 KiB opens little that nobody asked for.
  static let preferred = ExtentFormat(uncheckedPageSize: 8 << 10)
  /// Page sizes that a space may have: powers of two.
  static let allowedPageSizes = 4 << 10...64 << 10
  /// Where a write is cut when a segment ends: so that file offsets stay aligned to the blocks that programs use.
  static let splitAlignment = 4096

  /// Plaintext bytes of a page; the last page of a record may be shorter.
  let pageSize: Int

  private init(uncheckedPageSize: Int) { pageSize = uncheckedPageSize }

  /// Nil for a page size that no space has.
  init?(pageSize: Int) {
    guard Self.allowedPageSizes.contains(pageSize), pageSize.nonzeroBitCount == 1 else { return nil }
    self.init(uncheckedPageSize: pageSize)
  }

  var sealedPageSize: Int { pageSize + CipherSuite.tagSize }

  /// Body bytes for `length` bytes of plaintext.
  func bodyLength(_ length: Int) -> Int {
    length + (length + pageSize - 1) / pageSize * CipherSuite.tagSize
  }

  /// The least room that is worth a record of the first bytes of `length`.
  func leastRoom(for length: Int) -> Int {
    let least = RecordHeader.sealedSize + SegmentFormat.alignment + Self.splitAlignment + CipherSuite.tagSize
    return min(RecordHeader.recordLength(bodyLength: bodyLength(length)), least)
  }

  /// The most plaintext whose record fits into `room` bytes, `length` at most; 0 when it is not worth a record.
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
  /// Pages in one record; larger commits take several records.
  static let pagesPerRecord = 64

  static func bodyLength(_ count: Int) -> Int { 4 * count + CipherSuite.tagSize + count * sealedPageSize }

  /// The most pages whose record fits into `room` bytes, `count` at most.
  static func fitting(_ count: Int, room: Int) -> Int {
    let body = room / SegmentFormat.alignment * SegmentFormat.alignment - RecordHeader.sealedSize - CipherSuite.tagSize
    return max(0, min(count, pagesPerRecord, body / (4 + sealedPageSize)))
  }

  /// Bytes that suffice for the records of `count` pages and of a commit that takes `commitLength`, wherever in a segment they begin.
  static func room(for count: Int, commitLength: Int, segmentSize: Int) -> Int {
    let records = count / pagesPerRecord + 1
    let size = count * (4 + sealedPageSize) + records * recordOverhead + commitLength
    // Where a segment ends there may be room for not quite a page, or not quite for the commit; and what is cut becomes one more record.
    let loss = 4 + sealedPageSize + 2 * recordOverhead
    return size + (size / (segmentSize - SegmentFormat.recordsStart - loss) + 1) * loss + commitLength
  }

  /// Bytes of a record beside its pages, at most.
  private static let recordOverhead = RecordHeader.sealedSize + CipherSuite.tagSize + SegmentFormat.alignment
}

/// What a commit says.
struct CommitBody: Equatable {
  /// Bytes without intents.
  static let size = 56
  /// Bytes before the intents, where there is something to say of them.
  private static let intentsSize = 8
  /// How many pages records since the commit before belong to this one.
  var recordCount: UInt32
  /// Pages of the database.
  var pageCount: UInt32
  var sequence: UInt64
  /// Everything before was durable when this was written.
  var flushedThrough: LogPosition
  /// The chain value before this record.
  var chain: [UInt8]
  /// What becomes of the intents.
  var intents: IntentChange

  /// Bytes of the sealed body.
  static func bodyLength(_ intents: IntentChange) -> Int { size + intentsLength(intents) + CipherSuite.tagSize }

  private static func intentsLength(_ intents: IntentChange) -> Int {
    intents == .none ? 0 : intentsSize + intents.bytes.count
  }

  /// What the record's header says of the body.
  var flags: UInt8 { intents == .none ? 0 : RecordHeader.intentsFlag }

  /// Whether anything but its number is new with this commit.
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

  init(
    recordCount: Int, pageCount: UInt32, sequence: UInt64, flushedThrough: LogPosition, chain: [UInt8],
    intents: IntentChange = .none
  ) {
    self.recordCount = UInt32(recordCount)
    self.pageCount = pageCount
    self.sequence = sequence
    self.flushedThrough = flushedThrough
    self.chain = chain
    self.intents = intents
  }

  /// `flags` are those of the record's header.
  init(decoding bytes: [UInt8], flags: UInt8) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    recordCount = try reader.read()
    pageCount = try reader.read()
    sequence = try reader.read()
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
