import FaultyStorage
import SystemPackage
import TestSupport
import Testing

@testable import Vault

/// A full disk loses nothing, and other failures end writing.
@Suite struct LogFullDiskTests {
  let test = TestSpace()

  func some(_ version: Int, _ pages: ClosedRange<UInt32>) -> [UInt32: [UInt8]] {
    Dictionary(uniqueKeysWithValues: pages.map { ($0, page($0, version: version)) })
  }

  /// Commits until there is no room, and gives the version that the last commit had.
  private func commitUntilFull(_ pages: ClosedRange<UInt32>) throws -> Int {
    for version in 2..<1000 {
      do {
        try test.space.commit(some(version, pages), pageCount: pages.upperBound)
      } catch VaultError.noSpace {
        return version - 1
      }
    }
    Issue.record("the disk was not full")
    return 0
  }

  @Test func aCommitThatIsRefusedIsTriedAgain() throws {
    try test.space.commit(some(1, 1...4), pageCount: 4)
    try test.space.sync()
    test.storage.fill()
    // The held reserve takes what deleting needs; then nothing more fits.
    let version = try commitUntilFull(1...100)
    #expect(version > 1)
    // Three segments are left, and less than a fourth: a file takes a little more than its content.
    let held = test.space.heldReserve
    #expect((3 * test.space.segmentSize..<4 * test.space.segmentSize).contains(held), "\(held)")
    #expect(test.space.roomState == .reserveOnly)
    #expect(throws: VaultError.noSpace) { try test.space.append(randomBytes(500_000, seed: 1)) }
    #expect(test.space.gate.reason == nil)
    // Nothing of what was refused counts.
    for number in [UInt32(1), 50, 100] {
      #expect(try test.space.pageBytes(number) == page(number, version: version))
    }
    #expect(throws: VaultError.noSpace) { try test.space.commit(some(900, 1...100), pageCount: 100) }
    // What was given a place of it is written all the same.
    try test.space.sync()

    test.storage.setLimit(.max)
    try test.space.commit(some(900, 1...100), pageCount: 100)
    let piece = try #require(try test.space.append(randomBytes(9000, seed: 5)).first)
    try test.space.commit([8: page(8, version: 901)], pageCount: 100)
    try test.space.sync()
    try test.reopenAfterKill()
    #expect(test.space.gate.reason == nil)
    #expect(try test.space.pageBytes(100) == page(100, version: 900))
    #expect(try test.space.pageBytes(8) == page(8, version: 901))
    #expect(try test.space.bytes(piece) == randomBytes(9000, seed: 5))
    #expect(test.space.verify(readData: true) == [])
  }

  /// A commit whose first records got their place before the next segment could not be created.
  @Test func aCommitThatIsCutByAFullDiskDoesNotHideLaterOnes() throws {
    try test.space.commit(some(1, 1...4), pageCount: 4)
    try test.space.sync()
    test.storage.fill()
    _ = try commitUntilFull(1...30)
    let before = test.space.endSegment
    #expect(throws: VaultError.noSpace) { try test.space.commit(some(1000, 1...200), pageCount: 200) }
    #expect(test.space.endSegment == before)
    test.storage.setLimit(.max)
    try test.space.commit(some(1000, 1...200), pageCount: 200)
    try test.space.commit([1: page(1, version: 1001)], pageCount: 200)
    try test.space.sync()
    try test.reopenAfterKill()
    #expect(test.space.gate.reason == nil)
    #expect(try test.space.pageBytes(200) == page(200, version: 1000))
    #expect(try test.space.pageBytes(1) == page(1, version: 1001))
  }

  /// A commit whose first records got their place while the reserve was still held.
  @Test func aCommitThatCrossesIntoTheNextSegmentTakesItsRoomFromTheReserve() throws {
    try test.space.commit(some(1, 1...4), pageCount: 4)
    try test.space.sync()
    test.storage.fill()
    var rounds = Rounds(until: "the segment is nearly full")
    while test.space.segmentSize - test.space.end > 600_000 {
      try rounds.begin()
      _ = try test.space.append(randomBytes(100_000, seed: 3))
    }
    let held = test.space.heldReserve
    #expect(held > 0)
    let before = test.space.endSegment
    try test.space.commit(some(2, 1...200), pageCount: 200)
    #expect(test.space.endSegment > before)
    #expect(test.space.heldReserve < held)
    try test.space.sync()
    try test.reopenAfterKill()
    #expect(try test.space.pageBytes(200) == page(200, version: 2))
    #expect(test.space.verify(readData: true) == [])
  }

  @Test func appendedDataThatFoundNoRoomIsThereAfterwards() throws {
    var pieces: [(UInt64, ExtentPiece)] = []
    try test.space.commitDurably(version: 1)
    test.storage.fill()
    for seed in UInt64(1)...2000 {
      guard let made = try? test.space.append(randomBytes(60_000, seed: seed)) else { break }
      pieces += made.map { (seed, $0) }
    }
    #expect(pieces.count < 2000, "the disk was not full")
    for (seed, piece) in pieces {
      #expect(try test.space.bytes(piece) == piece.part(of: randomBytes(60_000, seed: seed)))
    }
    test.storage.setLimit(.max)
    try test.space.commitAndClose(version: 2)
    let space = try test.vault.openSpace(test.body)
    for (seed, piece) in pieces { #expect(try space.bytes(piece) == piece.part(of: randomBytes(60_000, seed: seed))) }
    #expect(try space.pageBytes(1) == page(1, version: 2))
  }

  /// A head of several records of which the disk takes only the first: the log goes on in the epoch before, and flushes
  /// go on there too.
  @Test func aHeadThatIsCutByAFullDiskDoesNotMakeLaterFlushesEmpty() throws {
    // A page map of 1.6 MB needs two segments of 1 MiB.
    try test.space.commit(some(1, 1...1), pageCount: 200_000)
    try test.space.sync()
    // The disk fills up at each operation in turn, until the head's first segment got its bytes and the second did not.
    let keys = SpaceKeys(test.body)
    let endSegment = test.space.endSegment
    var isCut = false
    var operation = 0
    while !isCut, operation < 8 {
      operation += 1
      test.storage.inject(.errors(.noSpace, from: test.storage.operationCount + operation))
      #expect(throws: VaultError.noSpace) { try test.space.advanceEpoch() }
      let highest = test.space.highestEpoch
      isCut = highest > endSegment.epoch && !test.storage.content(keys.headIdentifier(highest)).isEmpty
    }
    try #require(isCut, "no head was cut")
    test.storage.inject(nil)
    #expect(test.space.endSegment == endSegment)
    #expect(test.space.gate.reason == nil)
    // A barrier right after must not take the torn head for the end of the log.
    try test.space.sync()
    try test.space.commit([2: page(2, version: 2)], pageCount: 200_000)
    try test.space.sync()
    for seed in UInt64(1)...8 {
      let storage = test.storage.powerCut(seed: seed)
      let space = try test.vault(over: storage).openSpace(test.body)
      #expect(try space.pageBytes(2) == page(2, version: 2))
    }
  }

  @Test(arguments: [Errno.ioError, Errno.readOnlyFileSystem])
  func aFailedFlushEndsWriting(error: Errno) throws {
    try test.space.commit(some(1, 1...2), pageCount: 2)
    try test.space.sync()
    try test.space.commit([1: page(1, version: 2)], pageCount: 2)
    test.storage.inject(.error(error, at: test.storage.operationCount + 1))
    #expect(throws: VaultError.self) { try test.space.sync() }
    #expect(test.space.isReadOnly)
    test.storage.inject(nil)
    #expect(throws: VaultError.self) { try test.space.sync() }
    #expect(throws: VaultError.self) { try test.space.commit([1: page(1, version: 3)], pageCount: 2) }
    #expect(throws: VaultError.self) { try test.space.append([1]) }
    #expect(try test.space.pageBytes(2) == page(2, version: 1))
  }

  @Test func aFailedWriteEndsWriting() throws {
    try test.space.commit(some(1, 1...2), pageCount: 2)
    try test.space.sync()
    test.storage.inject(.error(.ioError, at: test.storage.operationCount + 1))
    #expect(throws: VaultError.self) { try test.space.commit([1: page(1, version: 2)], pageCount: 2) }
    #expect(test.space.isReadOnly)
    try test.reopenAfterKill()
    #expect(test.space.gate.reason == nil)
    #expect(try test.space.pageBytes(1) == page(1, version: 1))
  }
}
