import Crypto
import FaultyStorage
import Storage
import System
import TestSupport
import Testing

@testable import Vault

@Suite struct SpaceTests {
  private let test = TestSpace()

  @Test(arguments: CipherSuite.allCases)
  func whatIsWrittenIsRead(suite: CipherSuite) throws {
    let test = TestSpace(suite: suite)
    let data = randomBytes(300_001, seed: 1)
    let pieces = try test.space.append(data)
    #expect(pieces.map(\.length).reduce(0, +) == data.count)
    for piece in pieces { #expect(try test.space.bytes(piece) == piece.part(of: data)) }
    let piece = try #require(pieces.first)
    for range in [0..<1, 16_383..<16_385, 5..<40_000, piece.length - 1..<piece.length] {
      #expect(try test.space.bytes(piece, range) == Array(data[range]))
    }
    try test.space.commit([1: page(1, version: 1), 2: page(2, version: 1)], pageCount: 2)
    #expect(try test.space.pageBytes(2) == page(2, version: 1))
    try test.space.close()
    let again = try test.vault.openSpace(test.body)
    #expect(again.databasePageCount == 2)
    #expect(try again.pageBytes(1) == page(1, version: 1))
    #expect(try again.bytes(piece) == Array(data[..<piece.length]))
  }

  /// Also after a power cut, and also a segment whose records were durable before its end was filled up: less than a block
  /// is never split, so what is left at the end of a segment is filled up when the next begins.
  @Test(arguments: [(3000, 1000, false), (700_000, 5, true)])
  func aClosedSpaceHasNoShortFile(size: Int, rounds: Int, commits: Bool) throws {
    for round in 1...rounds {
      _ = try test.space.append(randomBytes(size, seed: UInt64(round)))
      if commits { try test.space.commit([1: page(1, version: round)], pageCount: 1) }
      try test.space.sync()
    }
    if !commits { try test.space.commit([1: page(1, version: 1)], pageCount: 1) }
    try test.space.close()
    for storage in [test.storage, test.storage.after(.losesAll)] {
      #expect(storage.names.count > 3)
      for name in storage.names { #expect(storage.content(name).count == TestSpace.segmentSize) }
    }
  }

  @Test func smallRecordsAreReadFromMemoryAndFromTheLogAlike() throws {
    var generator = SeededGenerator(seed: 3)
    var written: [(piece: ExtentPiece, bytes: [UInt8])] = []
    func expectSame(_ space: Space) throws {
      for (piece, bytes) in written {
        let start = Int.random(in: 0..<bytes.count, using: &generator)
        let range = start..<Int.random(in: start...bytes.count, using: &generator)
        #expect(try space.bytes(piece, range) == Array(bytes[range]))
      }
    }
    for number in 0..<40 {
      let bytes = randomBytes(Int.random(in: 1...6000, using: &generator), seed: UInt64(number))
      written.append((try #require(try test.space.append(bytes).first), bytes))
      try expectSame(test.space)
    }
    try test.space.commitAndClose(version: 1)
    try expectSame(try test.vault.openSpace(test.body))
  }

  @Test func aMountThatWritesNothingCreatesNothing() throws {
    try test.space.commitAndClose(version: 1)
    let before = test.storage.names
    let space = try test.vault.openSpace(test.body)
    _ = try space.pageBytes(1)
    try space.sync()
    try space.advanceEpoch()
    try space.close()
    #expect(test.storage.names == before)
  }

  @Test func aSpaceThatIsLetGoSoonIsWaitedFor() throws {
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    // The look for the head is made again then: closing writes another one.
    let first = test.space
    test.storage.whenRefused { try? first.close() }
    let second = try test.vault.openSpace(test.body)
    #expect(try second.pageBytes(1) == page(1, version: 1))
    try second.commit([1: page(1, version: 2)], pageCount: 1)
    // And one that was killed is gone without closing.
    let storage = test.storage
    storage.whenRefused { storage.killProcess() }
    let third = try test.vault.openSpace(test.body)
    #expect(try third.pageBytes(1) == page(1, version: 2))
    storage.whenRefused(nil)
    try third.close()
  }

  @Test func aSpaceWhoseEndIsAnnouncedIsWaitedForLonger() throws {
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    let first = test.space
    let release = monotonicTime() + 8_000_000_000
    test.storage.whenRefused { if monotonicTime() > release { try? first.close() } }
    // One that is not said to end is given up before that.
    #expect(throws: VaultError.spaceInUse) { try test.vault.openSpace(test.body) }
    let later = monotonicTime() + 1_500_000_000
    test.storage.whenRefused { if monotonicTime() > later { try? first.close() } }
    first.announceEnd()
    try first.advanceEpoch()
    let second = try test.vault.openSpace(test.body)
    #expect(try second.pageBytes(1) == page(1, version: 1))
    try second.close()
  }

  @Test func manyEpochsAreFoundAndOldSegmentsGo() throws {
    for version in 1...300 {
      try test.space.commit([1: page(1, version: version)], pageCount: 1)
      try test.space.retire(test.space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
      try test.space.advanceEpoch()
      if version.isMultiple(of: 37) {
        try test.reopenAfterKill()
        #expect(try test.space.pageBytes(1) == page(1, version: version))
      }
    }
    #expect(test.storage.names.count < 40)
    try test.space.close()
    #expect(try test.vault.openSpace(test.body).pageBytes(1) == page(1, version: 300))
  }

  /// A full disk is worth two epochs only if they free more than they take: what they free is known before.
  @Test func itIsKnownWhatTwoEpochsFree() throws {
    try test.space.commit([1: page(1, version: 0)], pageCount: 1)
    var counts: Set<Int> = []
    for round in 1...150 {
      for _ in 0..<round % 4 { _ = try test.space.append(randomBytes(400_000, seed: UInt64(round))) }
      try test.space.commitDurably(version: round)
      try test.space.retire(test.space.segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number))
      let expected = test.space.segmentsFreedByTwoEpochs
      let before = Set(test.storage.names)
      try test.space.advanceEpoch()
      try test.space.advanceEpoch()
      #expect(before.subtracting(test.storage.names).count == expected, "round \(round)")
      counts.insert(expected)
    }
    #expect(counts.count > 2)
    try test.space.close()
  }

  @Test func aLongLogGoesOverManySegmentsAndEpochs() throws {
    var pieces: [(UInt64, ExtentPiece)] = []
    for round in 0..<200 {
      pieces += try test.space.append(randomBytes(500_000 + round, seed: UInt64(round))).map { (UInt64(round), $0) }
      if round.isMultiple(of: 7) { try test.space.commitDurably(version: round) }
    }
    try test.space.sync()
    try test.space.commitAndClose(version: 200)
    let space = try test.vault.openSpace(test.body)
    #expect(try space.pageBytes(1) == page(1, version: 200))
    var random = TestLength.generator()
    for (seed, piece) in pieces.shuffled(using: &random).prefix(40) {
      #expect(try space.bytes(piece) == piece.part(of: randomBytes(500_000 + Int(seed), seed: seed)))
    }
  }
}
