import FaultyStorage
import Storage
import SystemPackage
import TestSupport
import Testing

/// Files that are overwritten in pieces which end anywhere in a page.
@Suite struct PageConformanceTests {
  @Test(arguments: StorageKind.lasting)
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
  @Test(arguments: StorageKind.lasting)
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

  /// What was flushed is read past the host's memory as well, from any place, to the end of the file and not beyond.
  @Test(arguments: StorageKind.allCases)
  func whatIsFlushedIsReadPastMemory(_ kind: StorageKind) throws {
    let subject = try kind.make()
    let identifier = SegmentIdentifier.numbered(1)
    let content = randomBytes(2_500_003)
    let writer = try subject.storage.create(identifier)
    try writer.put(content, at: 0)
    try writer.flush()
    let reader = try subject.storage.openPastMemory(identifier)
    #expect(try reader.size() == content.count)
    for (offset, count) in [
      (0, 10), (4095, 3), (1 << 20, 5000), (1_048_570, 20), (1000, 2_400_000), (2_500_000, 100), (2_500_003, 10),
      (0, 2_500_003), (1_700_001, 300_000),
    ] {
      let wanted = content.dropFirst(offset).prefix(count)
      #expect(try reader.bytes(at: offset, count: count) == Array(wanted), "\(offset), \(count)")
    }
    #expect(throws: Errno.noSuchFileOrDirectory) {
      _ = try subject.storage.openPastMemory(.numbered(2))
    }
  }
}
