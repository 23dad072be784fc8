import FaultyStorage
import TestSupport
import Testing

@testable import Vault

/// What the log takes beside what is in it.
@Suite struct LogOverheadTests {
  let test = TestSpace()

  private func commitFilledPages(_ count: Int, version: Int) throws {
    let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: version), count: Space.databasePageSize)
    try test.space.commit(
      Dictionary(uniqueKeysWithValues: (1...UInt32(count)).map { ($0, bytes) }), pageCount: UInt32(count))
  }

  /// Writes of every size and a commit now and then, over two epochs: a write goes on in another segment, and in
  /// another epoch, only where there is no room for another block.
  @Test func everySegmentIsFilled() throws {
    var generator = SeededGenerator(seed: 7)
    let block = generator.bytes(Space.maximumExtentLength)
    try commitFilledPages(1, version: 0)
    var crossings = 0
    var rounds = Rounds(until: "the third epoch began", limit: 1_000_000)
    while test.space.endSegment.epoch.rawValue < 3 {
      try rounds.begin()
      var (segment, end) = (test.space.endSegment, test.space.end)
      for piece in try test.space.append(Array(block[..<Int.random(in: 1...block.count, using: &generator)])) {
        if piece.position.segment != segment {
          crossings += 1
          #expect(TestSpace.segmentSize - end < ExtentFormat.preferred.leastRoom(for: block.count))
          let isFullEpoch = segment.index == SegmentNumber.perEpoch - 1
          #expect(piece.position.segment.epoch == segment.epoch || isFullEpoch)
        }
        segment = piece.position.segment
        end =
          piece.position.offset + RecordHeader.recordLength(bodyLength: ExtentFormat.preferred.bodyLength(piece.length))
      }
      if Int.random(in: 1...20, using: &generator) == 1 { try commitFilledPages(100, version: crossings) }
    }
    #expect(crossings > 100)
  }

  /// Commits of every size that begin anywhere in the last two segments of an epoch: each lies in one epoch and is read
  /// again.
  @Test func commitsAtTheEndOfAnEpochAreWhole() throws {
    var generator = SeededGenerator(seed: 8)
    let block = generator.bytes(Space.maximumExtentLength)
    for version in 1...10 {
      var rounds = Rounds(until: "the next epoch began", limit: 1_000_000)
      while test.space.endSegment.index < SegmentNumber.perEpoch - 2 {
        try rounds.begin()
        _ = try test.space.append(block)
      }
      let goal = Int.random(in: 1...TestSpace.segmentSize, using: &generator)
      while test.space.endSegment.index < SegmentNumber.perEpoch - 2 + version % 2, test.space.end < goal {
        try rounds.begin()
        _ = try test.space.append(Array(block[..<Int.random(in: 1...60_000, using: &generator)]))
      }
      let epoch = test.space.endSegment.epoch
      while test.space.endSegment.epoch == epoch {
        try rounds.begin()
        let count = Int.random(in: 1...(version % 3 == 0 ? 300 : 20), using: &generator)
        try commitFilledPages(count, version: version)
        let wanted = [UInt8](repeating: UInt8(version), count: Space.databasePageSize)
        #expect(try test.space.pageBytes(1) == wanted && test.space.pageBytes(UInt32(count)) == wanted)
      }
      try test.space.retire(test.space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
      if version.isMultiple(of: 4) {
        try test.reopenAfterKill()
        #expect(test.space.gate.reason == nil)
      }
    }
    #expect(test.space.verify(readData: true) == [])
  }
}
