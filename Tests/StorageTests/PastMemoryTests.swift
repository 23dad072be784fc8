import FaultyStorage
import Storage
import SystemPackage
import Testing

/// Reading what the medium has, and not what the host's memory has.
@Suite struct PastMemoryTests {
  /// From any place, to the end of the file and not beyond.
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
    #expect(throws: Errno.noSuchFileOrDirectory) { try subject.storage.openPastMemory(.numbered(2)) }
  }
}
