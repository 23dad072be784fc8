internal import Crypto
internal import System

/// One record of a run: its sealed header, and the plaintext of its body.
@safe struct RunRecord {
  @safe enum Body {
    case extent(UnsafeRawBufferPointer, ExtentFormat)
    case pages([DatabasePage])
    case blob([UInt8], kind: UInt8)
  }
  /// The record's offset in its segment.
  let offset: Int
  let sealedHeader: [UInt8]
  let body: Body
  let bodyLength: Int
}

/// A part of a segment that is reserved and written in one piece. Any thread may seal and write it: the memory that its
/// records point to stays unchanged until all runs of its layout are written.
struct Run: @unchecked Sendable {
  let segment: OpenSegment
  let offset: Int
  var length: Int
  /// Runs are written in the order of their tickets.
  let ticket: UInt64
  /// The previous segment and the end of its records, if it has to be padded before this run is written.
  let completes: (segment: OpenSegment, end: Int)?
  /// Whether the run begins with the segment's salt and header.
  let startsSegment: Bool
  var records: [RunRecord] = []

  /// Seals everything into `buffer`, which has `length` bytes.
  func seal(into buffer: UnsafeMutableRawBufferPointer) {
    if startsSegment { unsafe copy(segment.start, into: buffer, at: 0) }
    SealingContext.with { context in
      for record in records {
        let start = record.offset - offset
        unsafe copy(record.sealedHeader, into: buffer, at: start)
        let bodyStart = start + RecordHeader.sealedSize
        switch record.body {
        case .extent(let plaintext, let format):
          unsafe sealExtent(plaintext, format, into: buffer, at: bodyStart, context)
        case .pages(let pages):
          unsafe sealPages(pages, into: buffer, at: bodyStart, context)
        case .blob(let plaintext, let kind):
          unsafe plaintext.withUnsafeBytes { plaintext in
            unsafe sealBlob(plaintext, kind: kind, into: buffer, at: bodyStart, context)
          }
        }
        let bodyEnd = bodyStart + record.bodyLength
        let recordEnd = start + RecordHeader.recordLength(bodyLength: record.bodyLength)
        if recordEnd > bodyEnd {
          unsafe Sodium.fillRandom(UnsafeMutableRawBufferPointer(rebasing: buffer[bodyEnd..<recordEnd]))
        }
      }
    }
  }

  private func sealExtent(
    _ plaintext: UnsafeRawBufferPointer, _ format: ExtentFormat, into buffer: UnsafeMutableRawBufferPointer,
    at start: Int, _ context: borrowing SealingContext
  ) {
    var source = 0
    var target = start
    while source < plaintext.count {
      let count = min(format.pageSize, plaintext.count - source)
      let page = unsafe UnsafeRawBufferPointer(rebasing: plaintext[source..<source + count])
      unsafe sealBlob(page, kind: BlobKind.filePage, into: buffer, at: target, context)
      source += count
      target += count + CipherSuite.tagSize
    }
  }

  private func sealPages(
    _ pages: [DatabasePage], into buffer: UnsafeMutableRawBufferPointer, at start: Int,
    _ context: borrowing SealingContext
  ) {
    var numbers = ByteWriter()
    for page in pages { numbers.append(page.number.rawValue) }
    unsafe numbers.bytes.withUnsafeBytes { numbers in
      unsafe sealBlob(numbers, kind: BlobKind.pageNumbers, into: buffer, at: start, context)
    }
    var target = start + numbers.bytes.count + CipherSuite.tagSize
    for page in pages {
      unsafe sealBlob(page.image.bytes, kind: BlobKind.databasePage, into: buffer, at: target, context)
      target += PagesFormat.sealedPageSize
    }
  }

  private func sealBlob(
    _ plaintext: UnsafeRawBufferPointer, kind: UInt8, into buffer: UnsafeMutableRawBufferPointer, at start: Int,
    _ context: borrowing SealingContext
  ) {
    let target = unsafe UnsafeMutableRawBufferPointer(
      rebasing: buffer[start..<start + plaintext.count + CipherSuite.tagSize])
    unsafe segment.key.seal(plaintext, at: UInt64(offset + start), kind: kind, into: target, context)
  }

  private func copy(_ bytes: [UInt8], into buffer: UnsafeMutableRawBufferPointer, at start: Int) {
    unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + bytes.count]).copyBytes(from: bytes)
  }
}

/// A page of the database that a run writes to the log.
struct DatabasePage {
  let number: PageNumber
  let image: PageImage
}

/// The result of a reservation.
struct RunLayout {
  var runs: [Run] = []
  var pieces: [ExtentPiece] = []
  var pagePositions: [(PageNumber, LogPosition)] = []
  /// The number of pages records.
  var pagesRecordCount: UInt32 = 0

  /// Whether a segment was begun.
  var beginsSegment: Bool { runs.contains(where: \.startsSegment) }
}
