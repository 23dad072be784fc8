import FaultyStorage
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Vault

/// A state is read while the log goes on, as long as its segments are there.
@Suite struct SpaceSnapshotTests {
  let test = TestSpace()

  /// The old state stays what it was, whatever is committed.
  @Test func readsTheOldState() throws {
    let first = Dictionary(uniqueKeysWithValues: (1...40 as ClosedRange<UInt32>).map { ($0, page($0, version: 1)) })
    try test.space.commit(first, pageCount: 40)
    let snapshot = try test.space.snapshot()
    #expect(snapshot.state.number == test.space.stateNumber)
    for version in 2...120 {
      let number = UInt32(version % 40 + 1)
      try test.space.commit([number: page(number, version: version)], pageCount: version < 100 ? 60 : 41)
      if version.isMultiple(of: 10) { try test.space.advanceEpoch() }
    }
    #expect(snapshot.databasePageCount == 40)
    for number in 1...40 as ClosedRange<UInt32> {
      #expect(try snapshot.pageBytes(number) == page(number, version: 1))
    }
    #expect(throws: VaultError.damaged("database page 41 is not in the map")) { try snapshot.pageBytes(41) }
    let newest = try test.space.snapshot()
    #expect(newest.databasePageCount == 41)
    #expect(newest.state.number == snapshot.state.number + 119)
    for number in 1...40 as ClosedRange<UInt32> {
      #expect(try newest.pageBytes(number) == test.space.pageBytes(number))
    }
    #expect(!snapshot.hasEnded)
  }

  /// It ends when a segment that it needs goes, which is when it would go without it.
  @Test func endsWhenItsSegmentGoes() throws {
    try test.space.commitDurably(version: 1)
    let segment = test.space.endSegment
    let file = try test.space.identifier(of: segment)
    let snapshot = try test.space.snapshot()
    var version = 1
    var rounds = Rounds(until: "the segment is gone", limit: 20)
    while test.storage.names.contains(file) {
      try rounds.begin()
      #expect(!snapshot.hasEnded)
      #expect(try snapshot.pageBytes(1) == page(1, version: 1))
      version += 1
      try test.space.turnOver(version)
    }
    #expect(snapshot.hasEnded)
    for number in [UInt32(1), 2] {
      #expect(throws: VaultError.snapshotEnded) { try snapshot.pageBytes(number) }
    }
    // Nothing is left of it.
    #expect(test.space.snapshotCount == 0)
    #expect(test.space.log.cache[segment] == nil)
    let next = try test.space.snapshot()
    #expect(try next.pageBytes(1) == page(1, version: version))
  }

  @Test func anOlderStateIsReadAsLongAsItIsKept() throws {
    try test.space.commitDurably(version: 1)
    let file = try test.space.identifier(of: test.space.endSegment)
    let state = test.space.newestState
    for version in 2...4 { try test.space.commitDurably(version: version) }
    let snapshot = try test.space.snapshot(of: state)
    #expect(snapshot.state.number == state.number)
    #expect(try snapshot.pageBytes(1) == page(1, version: 1))
    var version = 4
    var rounds = Rounds(until: "the segment is gone", limit: 20)
    while test.storage.names.contains(file) {
      try rounds.begin()
      version += 1
      try test.space.turnOver(version)
    }
    #expect(throws: VaultError.snapshotEnded) { try test.space.snapshot(of: state) }
    #expect(try test.space.snapshot(of: test.space.newestState).pageBytes(1) == page(1, version: version))
  }

  @Test func anEndLeavesNothing() throws {
    try test.space.commitDurably(version: 1)
    var dropped: SpaceSnapshot? = try test.space.snapshot()
    let ended = try test.space.snapshot()
    let closed = try test.space.snapshot()
    #expect(test.space.snapshotCount == 3)
    #expect(dropped?.hasEnded == false)
    dropped = nil
    #expect(test.space.snapshotCount == 2)
    ended.end()
    ended.end()
    #expect(test.space.snapshotCount == 1)
    #expect(throws: VaultError.snapshotEnded) { try ended.pageBytes(1) }
    #expect(try closed.pageBytes(1) == page(1, version: 1))
    try test.space.close()
    #expect(test.space.snapshotCount == 0)
    #expect(throws: VaultError.snapshotEnded) { try closed.pageBytes(1) }
    #expect(throws: VaultError.snapshotEnded) { try test.space.snapshot() }
    #expect(try test.vault.openSpace(test.body).snapshot().pageBytes(1) == page(1, version: 1))
  }

  /// Damage is no end.
  @Test func damageIsDamage() throws {
    try test.space.commitDurably(version: 1)
    let snapshot = try test.space.snapshot()
    let position = try #require(snapshot.state.map.position(of: PageNumber(rawValue: 1)))
    test.storage.flip(try test.space.identifier(of: position.segment), at: position.offset)
    #expect(throws: VaultError.damaged("a page does not authenticate")) { try snapshot.pageBytes(1) }
    #expect(!snapshot.hasEnded)
  }

  /// What lets a segment go waits for the read of a page, so that nobody has its file open.
  @Test func readsUnderWayAreWaitedFor() throws {
    let pin = PinnedState(test.space.newestState)
    #expect(pin.beginReading())
    #expect(pin.beginReading())
    #expect(!pin.endReading())
    let hasReadAll = Mutex(false)
    pin.end()
    #expect(!pin.beginReading())
    let thread = try TestThread {
      pin.waitForReads()
      #expect(hasReadAll.withLock { $0 })
    }
    hasReadAll.withLock { $0 = true }
    #expect(pin.endReading())
    try thread.join()
    pin.waitForReads()
  }

  /// In a space that owns cover what only a snapshot needs is dead: there is as much room, and it goes in its turn, on a full
  /// host too.
  @Test(arguments: [false, true]) func aPinnedSegmentCountsAsDead(isHostFull: Bool) throws {
    let test = try TestSpace.owningCover(version: 1)
    if isHostFull { test.storage.fill() }
    let snapshot = try test.space.snapshot()
    var version = 1
    var rounds = Rounds(until: "the snapshot has ended", limit: 200)
    while !snapshot.hasEnded {
      try rounds.begin()
      #expect(try snapshot.pageBytes(1) == page(1, version: 1))
      version += 1
      try test.space.turnOver(version)
      #expect(test.storage.names.count == TestSpace.ownFiles)
    }
    #expect(throws: VaultError.snapshotEnded) { try snapshot.pageBytes(1) }
    #expect(try test.space.snapshot().pageBytes(1) == page(1, version: version))
    try test.space.close()
    #expect(test.storage.names.count == TestSpace.ownFiles)
  }

  /// Several threads read what one writes: each sees a state as a whole, or that it has ended.
  @Test func manyReadWhileItIsWritten() throws {
    let space = test.space
    let numbers = Array(1...6 as ClosedRange<UInt32>)
    try space.commit(Dictionary(uniqueKeysWithValues: numbers.map { ($0, page($0, version: 0)) }), pageCount: 6)
    let first = space.newestState.number
    let isOver = Mutex(false)
    let wholeCount = Mutex(0)
    try inThreads(4) { thread in
      if thread == 0 {
        defer { isOver.withLock { $0 = true } }
        // Each round is two commits.
        for version in 1...150 {
          let pages = Dictionary(uniqueKeysWithValues: numbers.map { ($0, page($0, version: version)) })
          try space.turnOver(pages, pageCount: 6)
        }
        return
      }
      while !isOver.withLock({ $0 }) {
        let snapshot = try space.snapshot()
        let version = Int(snapshot.state.number - first + 1) / 2
        do {
          let isWhole = try numbers.allSatisfy { try snapshot.pageBytes($0) == page($0, version: version) }
          #expect(isWhole, "version \(version)")
          wholeCount.withLock { $0 += 1 }
        } catch VaultError.snapshotEnded {
          #expect(snapshot.hasEnded)
        }
      }
    }
    #expect(wholeCount.withLock { $0 } > 0)
    #expect(space.snapshotCount == 0)
  }
}

extension SpaceSnapshot {
  func pageBytes(_ number: UInt32) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Space.databasePageSize)
    try unsafe bytes.withUnsafeMutableBytes { try unsafe readPage(PageNumber(rawValue: number), into: $0) }
    return bytes
  }
}

extension Space {
  /// Snapshots that are not over.
  var snapshotCount: Int { log.locked { $0.snapshots.count } }

  /// Gives up all segments without pages of the database, as if no file had data.
  func retireUnneeded() throws { try retire(segments().filter { !$0.isOpen && $0.databasePages == 0 }.map(\.number)) }

  /// Commits pages, gives up what is dead, and begins an epoch.
  func turnOver(_ pages: [UInt32: [UInt8]], pageCount: UInt32) throws {
    try commit(pages, pageCount: pageCount)
    try retireUnneeded()
    try advanceEpoch()
  }

  /// The same with one page.
  func turnOver(_ version: Int) throws { try turnOver([1: page(1, version: version)], pageCount: 1) }
}
