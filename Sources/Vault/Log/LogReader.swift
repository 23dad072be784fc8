internal import Crypto
internal import Storage
internal import System
internal import SystemPackage

/// Reads the records of one epoch in order. It reads only headers; callers ask for bodies. `nextBehindGap` continues
/// after a header that does not authenticate.
struct LogReader {
  /// A record in the log.
  struct Record {
    let header: RecordHeader
    let handle: SegmentHandle
    /// Where the record begins.
    let position: LogPosition
    /// The chain value before the record; nil if a header since the last known value could not be read.
    let chainBefore: [UInt8]?
    /// The tag of the record's header. The chain value after the record depends on it.
    let tag: [UInt8]
    /// The start of the unreadable part of the log right before this record; nil if there is none.
    let gap: LogPosition?

    var bodyOffset: Int { position.offset + RecordHeader.sealedSize }
    /// Where the next record of the segment would begin.
    var end: LogPosition {
      LogPosition(segment: position.segment, offset: position.offset + header.recordLength)
    }
  }

  private static let windowSize = 32 << 10
  fileprivate static let reading = "reading the log"

  private let context: LogContext
  private var handle: SegmentHandle
  private var offset = SegmentFormat.recordsStart
  /// The chain value at `offset`; nil after a gap.
  private(set) var chain: [UInt8]?
  private var window: [UInt8] = []
  private var windowStart = 0
  /// Whether reading ends with the segment. `advance` and `skipToNextSegment` replace the reader by one without this
  /// flag, but a reader that has the flag calls neither.
  var staysInSegment = false

  /// Begins at the first record of a segment.
  init(_ context: LogContext, _ handle: SegmentHandle) {
    self.context = context
    self.handle = handle
    chain = handle.header.chain
  }

  /// The branch of the epoch.
  var branch: [UInt8] { handle.header.branch }

  /// Where the next record would begin.
  var position: LogPosition { LogPosition(segment: handle.number, offset: offset) }

  /// The next record; nil when nothing that authenticates follows.
  mutating func next() throws(VaultError) -> Record? {
    while true {
      if let record = try record(at: offset, gap: nil) { return take(record) }
      guard !staysInSegment, try advance() else { return nil }
    }
  }

  /// The next record after one that does not authenticate; nil when there is none. It tries every aligned offset in the
  /// rest of the segment, then the following segments. Call it when `next` has returned nil.
  mutating func nextBehindGap() throws(VaultError) -> Record? {
    let gap = position
    if let record = try nextInSegment(behindGapFrom: gap) { return record }
    return try nextInFollowingSegments(behindGapFrom: gap)
  }

  /// The first of the two steps of `nextBehindGap`: searches the rest of the segment. The gap began at `gap`.
  mutating func nextInSegment(behindGapFrom gap: LogPosition) throws(VaultError) -> Record? {
    let size = min(context.segmentSize, try attempt(Self.reading) { () throws(Errno) in try handle.reader.size() })
    while offset + RecordHeader.sealedSize <= size {
      if let record = try record(at: offset, gap: gap) { return take(record) }
      offset += SegmentFormat.alignment
      chain = nil
    }
    return nil
  }

  /// The second step, after the first has returned nil.
  mutating func nextInFollowingSegments(behindGapFrom gap: LogPosition) throws(VaultError) -> Record? {
    while !staysInSegment, try skipToNextSegment() {
      if let record = try nextInSegment(behindGapFrom: gap) { return record }
    }
    return nil
  }

  /// Whether the file of the current segment is short, or the next one is missing. A copy that was made during writes
  /// to the log may end like this.
  func isCutOff() throws(VaultError) -> Bool {
    try attempt(Self.reading) { () throws(Errno) in
      if try handle.reader.size() < context.segmentSize { return true }
      guard handle.number.index + 1 < SegmentNumber.perEpoch else { return false }
      let next = SegmentNumber(epoch: handle.number.epoch, index: handle.number.index + 1)
      return try !context.storage.exists(context.keys.identifier(next, branch: branch))
    }
  }

  /// Sets the chain value before the last record to the one that the record states.
  mutating func adopt(chain value: [UInt8], before record: Record) {
    chain = context.keys.chain(after: value, tag: record.tag, in: handle.number.epoch)
  }

  private mutating func take(_ record: Record) -> Record {
    chain = record.chainBefore.map { context.keys.chain(after: $0, tag: record.tag, in: handle.number.epoch) }
    offset += record.header.recordLength
    return record
  }

  /// The record at `offset` of the current segment; nil when none authenticates there.
  private mutating func record(at offset: Int, gap: LogPosition?) throws(VaultError) -> Record? {
    guard offset + RecordHeader.sealedSize <= context.segmentSize,
      let sealed = try bytes(at: offset, count: RecordHeader.sealedSize),
      let plaintext = handle.key.open(sealed, at: offset, kind: BlobKind.recordHeader),
      let header = RecordHeader(decoding: plaintext),
      offset + header.recordLength <= context.segmentSize
    else { return nil }
    return Record(
      header: header, handle: handle, position: LogPosition(segment: handle.number, offset: offset),
      chainBefore: chain, tag: Array(sealed.suffix(CipherSuite.tagSize)), gap: gap)
  }

  /// Goes to the next segment of the epoch, if its header says that it continues the log from here.
  private mutating func advance() throws(VaultError) -> Bool {
    guard let next = try context.segment(after: handle.number, branch: branch),
      next.header.previousEnd == offset, next.header.chain == chain ?? next.header.chain
    else { return false }
    self = LogReader(context, next)
    return true
  }

  /// Goes to the next segment of the epoch that can be opened, across a gap.
  private mutating func skipToNextSegment() throws(VaultError) -> Bool {
    for index in handle.number.index + 1..<SegmentNumber.perEpoch {
      let before = SegmentNumber(epoch: handle.number.epoch, index: index - 1)
      guard let next = try context.segment(after: before, branch: branch) else { continue }
      self = LogReader(context, next)
      return true
    }
    return false
  }

  /// Bytes of the current segment, through a buffer; nil when the file ends earlier.
  private mutating func bytes(at offset: Int, count: Int) throws(VaultError) -> [UInt8]? {
    if offset < windowStart || offset + count > windowStart + window.count {
      window = try attempt(Self.reading) { () throws(Errno) in
        try handle.reader.bytes(at: offset, count: Self.windowSize)
      }
      windowStart = offset
    }
    guard offset + count <= windowStart + window.count else { return nil }
    return Array(window[offset - windowStart..<offset - windowStart + count])
  }
}

extension LogContext {
  /// Opens the segment after `number` in its epoch; nil when there is none, or it does not open.
  func segment(after number: SegmentNumber, branch: [UInt8]) throws(VaultError) -> SegmentHandle? {
    guard number.index + 1 < SegmentNumber.perEpoch else { return nil }
    let next = SegmentNumber(epoch: number.epoch, index: number.index + 1)
    do throws(Errno) {
      let handle = try SegmentHandle.open(storage.open(keys.identifier(next, branch: branch)), keys: keys)
      return handle.flatMap { $0.number == next && $0.header.branch == branch ? $0 : nil }
    } catch .noSuchFileOrDirectory, .notRegularFile {
      return nil
    } catch {
      throw .system(error, LogReader.reading)
    }
  }
}

extension LogReader.Record {
  /// Reads and opens one blob of the body; nil when it does not authenticate.
  func blob(at offset: Int, sealedLength: Int, kind: UInt8) -> [UInt8]? {
    guard let sealed = try? handle.reader.bytes(at: offset, count: sealedLength), sealed.count == sealedLength else {
      return nil
    }
    return handle.key.open(sealed, at: offset, kind: kind)
  }

  /// The body of a commit; nil for other records, and when it does not authenticate.
  func commit() -> CommitBody? {
    guard header.kind == .commit, header.bodyLength >= CommitBody.size + CipherSuite.tagSize,
      let plaintext = blob(at: bodyOffset, sealedLength: header.bodyLength, kind: BlobKind.commit)
    else { return nil }
    return try? CommitBody(decoding: plaintext, flags: header.flags)
  }

  /// One part of a head's state.
  func headPart() -> [UInt8]? {
    guard header.kind == .head else { return nil }
    return blob(at: bodyOffset, sealedLength: header.bodyLength, kind: BlobKind.head)
  }

  /// The numbers and positions of the pages in a pages record; nil when the list does not authenticate.
  func pages() -> [(PageNumber, LogPosition)]? {
    let count = Int(clamping: header.first)
    guard header.kind == .pages, count <= PagesFormat.pagesPerRecord,
      header.bodyLength == PagesFormat.bodyLength(count),
      let list = blob(at: bodyOffset, sealedLength: 4 * count + CipherSuite.tagSize, kind: BlobKind.pageNumbers)
    else { return nil }
    var reader = ByteReader(list)
    var pages: [(PageNumber, LogPosition)] = []
    for index in 0..<count {
      guard let number = try? reader.read(UInt32.self) else { return nil }
      let offset = bodyOffset + 4 * count + CipherSuite.tagSize + index * PagesFormat.sealedPageSize
      pages.append((PageNumber(rawValue: number), LogPosition(segment: position.segment, offset: offset)))
    }
    return pages
  }

  /// Whether every blob of the body authenticates. `format` is the extent format of the space.
  func authenticates(_ format: ExtentFormat) -> Bool {
    switch header.kind {
    case .commit: return commit() != nil
    case .head: return headPart() != nil
    case .pages:
      guard let pages = pages() else { return false }
      return pages.allSatisfy { page in
        blob(at: page.1.offset, sealedLength: PagesFormat.sealedPageSize, kind: BlobKind.databasePage) != nil
      }
    case .extent:
      let length = Int(clamping: header.third)
      guard length <= header.bodyLength, header.bodyLength == format.bodyLength(length) else { return false }
      var offset = bodyOffset
      let bodyEnd = offset + header.bodyLength
      while offset < bodyEnd {
        let sealedLength = min(format.sealedPageSize, bodyEnd - offset)
        guard blob(at: offset, sealedLength: sealedLength, kind: BlobKind.filePage) != nil else { return false }
        offset += sealedLength
      }
      return true
    }
  }
}
