import FaultyStorage
import Storage
import TestSupport
import Testing

/// Files that are overwritten in pieces which end anywhere in a page.
@Suite struct PageConformanceTests {
  @Test(arguments: StorageKind.allCases)
  func piecesOfAnySizeFollowEachOther(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let (old, new) = (SegmentIdentifier.numbered(1), SegmentIdentifier.numbered(2))
    let size = 300_000
    var generator = SeededGenerator(seed: 7)
    for round in 0..<4 as Range<UInt64> {
      try subject.storage.put(old, randomBytes(size, seed: round))
      let content = randomBytes(size, seed: 100 + round)
      let writer = try subject.storage.reuse(old, as: new, size: size)
      var end = 0
      while end < size {
        let count = min([1, 16, 700, 4096, 5000, 90_000].randomElement(using: &generator) ?? 1, size - end)
        try writer.put(Array(content[end..<end + count]), at: end)
        end += count
        let least = try writer.size()
        #expect(least >= end && least < size || end == size, "\(end)")
        #expect(try subject.opened().open(new).bytes(at: 0, count: end) == Array(content[..<end]), "\(end)")
      }
      try writer.finish()
      try writer.flush()
      #expect(try subject.opened().content(of: new) == content)
      try subject.storage.delete(new)
    }
  }

  /// What failed is written again, over what it left.
  @Test(arguments: StorageKind.allCases)
  func theSameBytesMayBeWrittenTwice(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let old = SegmentIdentifier.numbered(1)
    try subject.storage.put(old, randomBytes(20_000))
    let content = randomBytes(10_000, seed: 2)
    let writer = try subject.storage.reuse(old, as: nil, size: 20_000)
    for _ in 0..<2 { try writer.put(Array(content[..<5000]), at: 0) }
    for _ in 0..<2 { try writer.put(Array(content[5000...]), at: 5000) }
    #expect(try subject.opened().open(old).bytes(at: 0, count: 10_000) == content)
  }
}
