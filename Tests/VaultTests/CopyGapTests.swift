import FaultyStorage
import Testing

@testable import Vault

/// Gaps in the log of a space that owns cover, in a copy of its vault: from a crash before the copying, or from a file
/// that an earlier version overwrote while it was copied.
@Suite struct CopyGapTests {
  private let test: TestSpace

  init() throws {
    test = TestSpace(ownFiles: Int64(TestSpace.ownFiles), copyWindow: 86_400)
    try test.space.cover.restoreFileCount()
    try test.space.commitDurably(version: 1)
  }

  /// Appends data and commits page 1 behind it. Gives where the data begins.
  private func write(_ version: Int) throws -> LogPosition {
    let place = LogPosition(segment: test.space.endSegment, offset: test.space.end)
    _ = try test.space.append(randomBytes(50_000, seed: UInt64(version)))
    try test.space.commit([1: page(1, version: version)], pageCount: 1)
    return place
  }

  /// The files with other bytes where a record begins, as a crash leaves them or as a copy program got them.
  private func files(without place: LogPosition) throws -> FaultyStorage {
    let storage = test.storage.after(.keepsAll)
    storage.tamper(try test.space.identifier(of: place.segment)) { content in
      content[..<place.offset] + randomBytes(4096, seed: 9) + content[(place.offset + 4096)...]
    }
    return storage
  }

  /// Expects that a storage counts as a copy which has to be made once more, and shows the first state.
  private func expectUnfinished(_ storage: FaultyStorage) throws {
    let copy = try test.vault(over: storage).openSpace(test.body)
    #expect(copy.origin.isUnfinishedCopy && !copy.gate.isOpen)
    #expect(try copy.pageBytes(1) == page(1, version: 1))
  }

  /// What was never durable is not missed: neither in the original nor in a copy, as also a refresh makes one. The
  /// space stays writable.
  @Test func whatACrashNeverWroteIsNotMissed() throws {
    let crashed = try files(without: write(2))
    try test.vault(over: crashed).completeShortFiles()
    for storage in [crashed.after(.keepsAll), crashed.copy()] {
      let vault = test.vault(over: storage)
      let space = try vault.openSpace(test.body, copyWindow: 0)
      #expect(space.origin.warning == nil && space.gate.reason == nil)
      #expect(try space.pageBytes(1) == page(1, version: 1))
      #expect(storage.names.count == TestSpace.ownFiles)
      try space.commitAndClose(version: 3)
      #expect(storage.names.count == TestSpace.ownFiles)
      #expect(try vault.openSpace(test.body).pageBytes(1) == page(1, version: 3))
      #expect(try test.vault(over: storage.copy()).openSpace(test.body).gate.reason == nil)
    }
  }

  /// What was durable when the log went on is missed: in a copy, which has to be made once more, and in the original,
  /// which is damaged.
  @Test func whatWasDurableIsMissed() throws {
    let place = try write(2)
    try test.space.sync()
    _ = try write(3)
    let storage = try files(without: place)
    try expectUnfinished(storage.copy())
    let original = try test.vault(over: storage).openSpace(test.body)
    #expect(try original.pageBytes(1) == page(1, version: 3) && original.origin.warning == nil)
  }

  /// The same if the commit that says so stands behind another gap, in another segment.
  @Test func whatWasDurableIsMissedBehindTwoGaps() throws {
    let first = try write(2)
    try test.space.sync()
    for version in 3...4 { for _ in 0..<6 { _ = try write(version) } }
    _ = try test.space.append(randomBytes(1 << 20, seed: 5))
    let second = try write(6)
    _ = try write(7)
    #expect(second.segment > first.segment)
    let storage = try files(without: first)
    for index in 0..<second.segment.index {
      // All commits of the segments before the last.
      let number = SegmentNumber(epoch: first.segment.epoch, index: index)
      storage.tamper(try test.space.identifier(of: number)) { content in
        let end = index == first.segment.index ? first.offset : SegmentFormat.recordsStart
        return content[..<end] + randomBytes(content.count - end, seed: 8)
      }
    }
    try expectUnfinished(storage.copy())
  }

  /// Nothing states the end of a segment if what followed it is retired and was not copied.
  @Test func aSegmentWhoseEndIsNotStatedIsWholeIfNothingStandsBehindAGap() throws {
    let place = try write(2)
    try test.space.sync()
    _ = try write(3)
    func beginEpoch() throws -> SegmentNumber {
      try test.space.log.locked { log throws(VaultError) in try log.beginEpoch() }
      return test.space.endSegment
    }
    let between = try beginEpoch()
    _ = try beginEpoch()
    try test.space.retire([between])
    _ = try beginEpoch()
    _ = try write(4)
    try test.space.sync()
    let head = test.space.keys.headIdentifier(between.epoch)
    let whole = test.storage.copy()
    whole.tamper(head) { _ in nil }
    let good = try test.vault(over: whole).openSpace(test.body)
    #expect(good.origin.isCopy && good.origin.warning == nil)
    #expect(try good.pageBytes(1) == page(1, version: 4))
    let torn = try files(without: place).copy()
    torn.tamper(head) { _ in nil }
    try expectUnfinished(torn)
  }
}
