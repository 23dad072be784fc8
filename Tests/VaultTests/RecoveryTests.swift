import FaultyStorage
import Storage
import Testing

@testable import Vault

/// What opening a space finds in copies of a vault and in damaged ones.
@Suite struct RecoveryTests {
  let test = TestSpace(copyWindow: 3600)

  func flip(_ segment: SegmentNumber, at offset: Int) throws {
    test.storage.flip(try test.space.identifier(of: segment), at: offset)
  }

  /// Commits versions, each with an extent, and makes each durable.
  func commit(_ versions: ClosedRange<Int>) throws {
    for version in versions {
      _ = try test.space.append(randomBytes(30_000, seed: UInt64(version)))
      try test.space.commit([1: page(1, version: version), 2: page(2, version: version)], pageCount: 2)
      try test.space.sync()
    }
  }

  @Test func aCompleteCopyOfALiveVaultOpens() throws {
    try commit(1...20)
    try test.space.advanceEpoch()
    try commit(21...30)
    let copy = test.storage.copy()
    let space = try test.vault(over: copy).openSpace(test.body)
    #expect(space.gate.reason == nil)
    #expect(try space.pageBytes(1) == page(1, version: 30))
    #expect(space.verify(readData: true) == [])
    // The copy can be gone on with, and the original as well.
    try space.commitAndClose(version: 99, pageCount: 2)
    #expect(try test.vault(over: copy).openSpace(test.body).pageBytes(1) == page(1, version: 99))
    try commit(31...31)
    #expect(try test.space.pageBytes(1) == page(1, version: 31))
  }

  /// Data is flushed as it comes. A commit that calls it durable may reach the disk before what stands between does:
  /// the header of a record, or its body.
  @Test(arguments: [5, RecordHeader.sealedSize + 5])
  func dataThatWasFlushedBeforeItsCommitIsNoLoss(offset: Int) throws {
    try commit(1...3)
    _ = try test.space.append(randomBytes(30_000, seed: 4))
    try test.space.sync()
    let lost = test.space.end
    _ = try test.space.append(randomBytes(30_000, seed: 5))
    try test.space.commit([1: page(1, version: 4)], pageCount: 2)
    test.storage.killProcess()
    try flip(test.space.endSegment, at: lost + offset)
    let space = try test.vault.openSpace(test.body)
    #expect(space.gate.reason == nil)
    #expect(try space.pageBytes(1) == page(1, version: 3))
    // A commit that was durable is missed.
    try test.reopenAfterKill()
    _ = try test.space.append(randomBytes(30_000, seed: 6))
    let commitPlace = test.space.end
    try test.space.commitDurably(version: 5, pageCount: 2)
    try test.space.commit([1: page(1, version: 6)], pageCount: 2)
    test.storage.killProcess()
    try flip(test.space.endSegment, at: commitPlace + offset)
    #expect(try test.vault.openSpace(test.body).origin.warning != nil)
  }

  @Test func aCopyWithoutTheNewestSegmentsShowsAnOlderState() throws {
    try commit(1...5)
    try test.space.advanceEpoch()
    let left = try test.space.identifier(of: test.space.endSegment)
    try commit(6...9)
    let space = try test.vault(over: test.storage.copy { $0 == left }).openSpace(test.body)
    #expect(try space.pageBytes(1) == page(1, version: 5))
  }

  @Test func aCopyThatLacksNeededSegmentsFallsBackAndSaysSo() throws {
    try commit(1...3)
    // The head at the end of this session is complete without what comes later.
    try test.space.advanceEpoch()
    let old = test.space.endSegment
    try commit(4...6)
    try test.space.advanceEpoch()
    try commit(7...9)
    let lacking = try test.space.identifier(of: old)
    let copy = test.storage.copy { $0 == lacking }
    let vault = test.vault(over: copy)
    let space = try vault.openSpace(test.body)
    #expect(space.gate.reason?.contains("copy of the vault is incomplete") == true)
    #expect(throws: VaultError.self) { try space.commit([1: page(1, version: 1)], pageCount: 2) }
    #expect(try space.pageBytes(1) == page(1, version: 3))
    try space.close()
    let accepted = try vault.openSpace(test.body, acceptOlder: true)
    #expect(accepted.gate.reason == nil)
  }

  @Test func aHeadThatIsTornIsSkippedAndItsNumberIsNotUsedAgain() throws {
    try commit(1...3)
    try test.space.advanceEpoch()
    let torn = test.space.endSegment
    let identifier = try test.space.identifier(of: torn)
    test.storage.killProcess()
    test.storage.tamper(identifier) { Array($0[..<150]) }
    let space = try test.vault.openSpace(test.body)
    #expect(space.gate.reason == nil)
    #expect(try space.pageBytes(2) == page(2, version: 3))
    try space.commit([1: page(1, version: 4)], pageCount: 2)
    #expect(space.endSegment.epoch > torn.epoch)
    try space.close()
    #expect(try test.vault.openSpace(test.body).pageBytes(1) == page(1, version: 4))
  }

  /// In a head: the segment's header, the record's header, the state. The log before it and the commits behind it say
  /// the same.
  @Test(arguments: [SegmentFormat.saltSize + 5, SegmentFormat.recordsStart + 3, SegmentFormat.recordsStart + 60])
  func aDamagedHeadHidesNoCommits(offset: Int) throws {
    try commit(1...3)
    try test.space.advanceEpoch()
    let head = test.space.endSegment
    try commit(4...6)
    let data = randomBytes(500_000, seed: 77)
    let pieces = try (0..<3).flatMap { _ in try test.space.append(data) }
    try commit(7...7)
    test.storage.killProcess()
    try flip(head, at: offset)
    let space = try test.vault.openSpace(test.body, copyWindow: 0)
    #expect(space.gate.reason == nil)
    #expect(try space.pageBytes(1) == page(1, version: 7))
    #expect(space.verify(readData: false).map(\.segment).contains(head))
    for round in 8..<12 {
      try space.commit([1: page(1, version: round)], pageCount: 2)
      try space.advanceEpoch()
    }
    try space.close()
    let again = try test.vault.openSpace(test.body, copyWindow: 0)
    #expect(again.gate.reason == nil)
    #expect(try again.pageBytes(1) == page(1, version: 11) && again.pageBytes(2) == page(2, version: 7))
    for piece in pieces where offset >= SegmentFormat.recordsStart || piece.position.segment != head {
      #expect(try again.bytes(piece) == piece.part(of: data))
    }
  }

  /// Without its salt nothing in a segment can be read, but a crash leaves no such file.
  @Test(arguments: [false, true])
  func aHeadOfWhichNothingCanBeReadIsSaid(isComplete: Bool) throws {
    try commit(1...3)
    try test.space.advanceEpoch()
    let head = test.space.endSegment
    try commit(4...9)
    if isComplete { try test.space.advanceEpoch() }
    if isComplete { test.storage.tamper(try test.space.identifier(of: test.space.endSegment)) { _ in nil } }
    test.storage.killProcess()
    try flip(head, at: 5)
    let space = try test.vault.openSpace(test.body)
    #expect(try space.pageBytes(1) == page(1, version: 3))
    #expect(space.gate.reason?.contains("newest head is damaged") == true)
  }

  /// A record's header is what leads to the next record; but the commits behind it say where they belong.
  @Test(arguments: [0, 1, 2])
  func aDamagedHeaderOfDataCostsNoCommit(part: Int) throws {
    try commit(1...3)
    let place = (segment: test.space.endSegment, end: test.space.end)
    try commit(4...6)
    // More than what is left of the segment.
    let pieces = try test.space.append(randomBytes(1_000_000, seed: 5))
    try commit(7...9)
    test.storage.killProcess()
    switch part {
    case 0: try flip(place.segment, at: place.end + 7)
    case 1: try flip(place.segment, at: try #require(pieces.first).position.offset + 7)
    default:
      // The first record of the next segment.
      try flip(try #require(pieces.last).position.segment, at: SegmentFormat.recordsStart + 7)
    }
    let space = try test.vault.openSpace(test.body)
    #expect(try space.pageBytes(1) == page(1, version: 9) && space.pageBytes(2) == page(2, version: 9))
    #expect(space.gate.reason == nil)
    for piece in pieces { #expect(try space.bytes(piece) == piece.part(of: randomBytes(1_000_000, seed: 5))) }
    try space.commitAndClose(version: 10, pageCount: 2)
    #expect(try test.vault.openSpace(test.body).pageBytes(1) == page(1, version: 10))
  }

  @Test func theLastHeadOfAClosedLogMayBeDamaged() throws {
    try commit(1...3)
    try test.space.close()
    try flip(test.space.endSegment, at: 40)
    let space = try test.vault.openSpace(test.body)
    #expect(try space.pageBytes(1) == page(1, version: 3))
    #expect(space.gate.reason == nil)
  }

  @Test func withoutAnyHeadTheSpaceIsDamagedAndNotEmpty() throws {
    try commit(1...3)
    try test.space.close()
    for name in test.storage.names { test.storage.flip(name, at: 5) }
    #expect(throws: VaultError.damaged("no head of the space can be read")) { try test.vault.openSpace(test.body) }
    for name in test.storage.names { test.storage.tamper(name) { _ in nil } }
    #expect(throws: VaultError.self) { try test.vault.openSpace(test.body) }
  }

  /// After a commit that does not authenticate come others that say it was durable: that is damage, not the end of the
  /// log.
  @Test(arguments: [0, 1, 2])
  func damageBelowWhatWasDurableIsSaid(part: Int) throws {
    try commit(1...3)
    let place = (segment: test.space.endSegment, end: test.space.end)
    try commit(4...6)
    let extent = RecordHeader.recordLength(bodyLength: ExtentFormat.preferred.bodyLength(30_000))
    let pages = RecordHeader.recordLength(bodyLength: PagesFormat.bodyLength(2))
    // The list of page numbers, the commit's body, a record's header.
    let offsets = [extent + 48 + 2, extent + pages + 48 + 5, extent + pages + 3]
    test.storage.killProcess()
    try flip(place.segment, at: place.end + offsets[part])
    let space = try test.vault.openSpace(test.body)
    #expect(try space.pageBytes(1) == page(1, version: 3))
    #expect(space.gate.reason?.contains("damaged") == true)
  }

  @Test func flippedBitsAreNeverWrongData() throws {
    var pieces: [(Int, ExtentPiece)] = []
    for version in 1...12 {
      for piece in try test.space.append(randomBytes(90_000, seed: UInt64(version))) { pieces.append((version, piece)) }
      try test.space.commit([1: page(1, version: version), 2: page(2, version: version)], pageCount: 2)
      if version == 6 { try test.space.advanceEpoch() }
    }
    try test.space.close()
    let whole = test.storage.copy()
    var generator = SeededGenerator(seed: 11)
    var refusals = 0
    for _ in 0..<60 {
      let storage = whole.copy()
      for _ in 0..<3 {
        guard let name = storage.names.randomElement(using: &generator) else { continue }
        let offset = Int.random(in: 0..<600_000, using: &generator)
        storage.flip(name, at: offset)
      }
      guard let space = try? test.vault(over: storage).openSpace(test.body) else { continue }
      let first = try? space.pageBytes(1)
      let second = try? space.pageBytes(2)
      // Both pages are of one state, which is one that was committed.
      let versions = (1...12).filter {
        (first == nil || first == page(1, version: $0)) && (second == nil || second == page(2, version: $0))
      }
      #expect(!versions.isEmpty || space.databasePageCount == 0)
      for (version, piece) in pieces {
        guard let bytes = try? space.bytes(piece) else {
          refusals += 1
          continue
        }
        #expect(bytes == piece.part(of: randomBytes(90_000, seed: UInt64(version))))
      }
    }
    #expect(refusals > 0, "no flip met an extent")
  }
}
