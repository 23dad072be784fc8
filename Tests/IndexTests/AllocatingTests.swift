import Index
import Testing
import Vault

/// Unwritten extents where a model of single bytes does not reach. The others are among `ExtentTests`.
@Suite struct AllocatingTests {
  /// The longest request is a few rows, and a write into the middle of one leaves the rest unwritten.
  @Test func longRanges() throws {
    let (index, store) = try makeIndex()
    let length = 5 << 40
    #expect(try index.extents.allocate(FileOffset(4096)..<FileOffset(4096 + length), of: .root) == Int64(length))
    #expect(try index.extents.allocate(FileOffset(0)..<FileOffset(8192), of: .root) == 4096)
    #expect(try index.extents.rows(after: nil, limit: .max).count == 6)
    #expect(index.extents.unwrittenBytes == Int64(length + 4096) && index.totalLiveBytes == 0)
    let place = LogPosition(segment: SegmentNumber(rawValue: 64), offset: 100)
    let written = ExtentRecord(offset: FileOffset(1 << 41), length: 1000, position: place, recordLength: 1000)
    #expect(try index.extents.replaceExtents(of: .root, with: [written]).allSatisfy(\.isUnwritten))
    try index.commit(to: store)
    let again = try Index(space: store)
    #expect(again.extents.unwrittenBytes == Int64(length + 4096 - 1000) && again.totalLiveBytes == 1000)
    #expect(try again.extents.nextDataOffset(of: .root, from: .zero) == written.offset)
    #expect(try again.extents.nextHoleOffset(of: .root, from: written.offset) == written.end)
    #expect(
      try again.extents.unwritten(in: written.offset + -5..<written.end + 5, of: .root) == [
        written.offset + -5..<written.offset, written.end..<written.end + 5,
      ])
    // No segment of the log has these.
    #expect(try again.extents.rows(in: SegmentNumber(rawValue: 64), limit: 9).map(\.extent) == [written])
    try again.extents.removeExtents(of: .root, in: .zero..<FileOffset(rawValue: .max), limit: .max)
    #expect(again.extents.unwrittenBytes == 0 && again.totalLiveBytes == 0)
    try again.commit(to: store)
    try expectClean(again)
  }

  /// What looks like an unwritten extent and is none is refused, and what a rollback takes back is not counted.
  @Test func contradictions() throws {
    let (index, _) = try makeIndex()
    for (position, record, skip) in [(0, 10, 0), (0, 0, 1), (5, 10, 0), (5, 0, 0)] {
      let extent = ExtentRecord(
        offset: .zero, length: 10, position: LogPosition(rawValue: UInt64(position)), recordLength: record, skip: skip)
      #expect(!extent.isPossible)
    }
    for length in [0, -1, (1 << 40) + 1] {
      let extent = ExtentRecord(offset: .zero, length: length, position: .unwritten, recordLength: 0)
      #expect(!extent.isPossible)
      #expect(throws: IndexError.damaged) { try index.extents.insertExtent(extent, of: .root) }
    }
    #expect(index.extents.unwrittenBytes == 0)
    #expect(try index.extents.rows(after: nil, limit: 9).isEmpty)
  }
}
