import Crypto
import FaultyStorage
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Vault

/// Files that crashes left short, and that another space of the vault fills up.
@Suite struct ShortFileTests {
  private let test = TestSpace()

  /// A second space of the vault, with something in it.
  private func otherSpace() throws -> Space {
    let other = try test.vault.createSpace(suite: .aes256gcm).space
    try other.commit([1: page(1, version: 2)], pageCount: 1)
    return other
  }

  private func isWhole(_ name: SegmentIdentifier) -> Bool {
    test.storage.content(name).count == TestSpace.segmentSize
  }

  @Test func filesThatACrashLeftShortAreCompleted() throws {
    try test.space.commitDurably(version: 1)
    test.storage.killProcess()
    let crashed = test.space
    let left = test.storage.names
    // Another space of the vault completes what the first left, but nothing that is being written.
    let other = try otherSpace()
    #expect(other.completeShortFiles())
    #expect(test.storage.names.filter(isWhole) == left)
    try other.close()
    #expect(crashed.databasePageCount == 1)
    let space = try test.vault.openSpace(test.body)
    #expect(try space.pageBytes(1) == page(1, version: 1))
    try space.commitAndClose(version: 3)
    for name in test.storage.names { #expect(isWhole(name)) }
  }

  @Test func nothingIsFilledWhileAnotherSpaceIsOpen() throws {
    try test.space.commitDurably(version: 1)
    let before = test.storage.names.map(test.storage.content)
    let other = try otherSpace()
    #expect(!other.completeShortFiles())
    #expect(test.storage.names.prefix(before.count).map(test.storage.content) == before)
    // The first goes on, and is told of nothing.
    try test.space.commitAndClose(version: 3)
    #expect(other.completeShortFiles())
    try other.close()
    #expect(try test.vault.openSpace(test.body).pageBytes(1) == page(1, version: 3))
  }

  /// In a copy a short file may be one that a copy was cut off in. Filled up it would pass as whole, with the length
  /// and time of the original, so that no later copy would bring its content.
  @Test func inACopyOthersShortFilesStay() throws {
    var pieces: [ExtentPiece] = []
    for seed in 1...12 { pieces += try test.space.append(randomBytes(200_000, seed: UInt64(seed))) }
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    let before = try pieces.map { try test.space.bytes($0) }
    let name = try test.space.identifier(of: pieces[pieces.count / 2].position.segment)
    try test.space.close()
    let made = try test.vault.createSpace(suite: .aes256gcm)
    try made.space.commitAndClose(version: 2)
    let copy = test.storage.copy()
    copy.tamper(name) { Array($0[..<($0.count / 2)]) }
    let other = try test.vault(over: copy).openSpace(made.body)
    #expect(other.origin.isCopy && other.gate.isOpen)
    #expect(other.completeShortFiles())
    try other.close()
    // As rsync does next.
    for name in test.storage.names where copy.content(name).count != test.storage.content(name).count {
      copy.place(test.storage.content(name), as: name)
    }
    let space = try test.vault(over: copy).openSpace(test.body)
    #expect(space.gate.isOpen)
    let after = try pieces.map { try space.bytes($0) }
    #expect(after == before)
    #expect(space.verify(readData: true) == [])
  }

  /// Where the host keeps no births nobody knows whether a vault is a copy. It counts as one, and can be written.
  @Test func withoutBirthsAVaultCountsAsACopy() throws {
    test.storage.forgetBirths()
    for version in 1...3 {
      try test.space.commitAndClose(version: version)
      test.space = try test.vault.openSpace(test.body)
      #expect(test.space.origin.isCopy && test.space.gate.isOpen && test.space.origin.warning == nil)
      #expect(try test.space.pageBytes(1) == page(1, version: version))
    }
    #expect(test.space.verify(readData: true) == [])
  }

  /// While files are filled nobody opens a space; who tries to is let in afterwards.
  @Test func whoWantsASpaceWaitsWhileFilesAreFilled() throws {
    try test.space.commitDurably(version: 1)
    test.storage.killProcess()
    let other = try otherSpace()
    let refusals = Mutex(0)
    let (storage, vault, body) = (test.storage, test.vault, test.body)
    storage.whenWritten {
      refusals.withLock { if (try? storage.lease(.vault, exclusive: false)) == nil { $0 += 1 } }
    }
    #expect(other.completeShortFiles())
    storage.whenWritten(nil)
    #expect(refusals.withLock { $0 } > 0)
    #expect(try vault.openSpace(body).pageBytes(1) == page(1, version: 1))
  }

  /// Everything up to the crash is there, and nobody is told of damage: the process ends at each operation of the next
  /// mount, another space is mounted and unmounted, and the first is mounted again.
  @Test(arguments: [false, true])
  func anAbandonedHeadIsNoDamage(losesPower: Bool) throws {
    try test.space.commitAndClose(version: 1)
    let made = try test.vault.createSpace(suite: .aes256gcm)
    try made.space.commitAndClose(version: 2)
    let before = test.storage.after(.keepsAll)
    var lengths: Set<Int> = []
    for operation in 1...12 {
      let crashing = before.after(.keepsAll)
      let first = try test.vault(over: crashing).openSpace(test.body)
      let head = first.keys.headIdentifier(EpochNumber(rawValue: first.highestEpoch.rawValue + 1))
      crashing.inject(.cut(at: operation))
      try? first.commit([1: page(1, version: 3)], pageCount: 1)
      try? first.sync()
      let storage = crashing.after(losesPower ? .losesAll : .keepsAll)
      if try storage.exists(head) { lengths.insert(storage.content(head).count) }
      let vault = test.vault(over: storage)
      let other = try vault.openSpace(made.body)
      #expect(other.completeShortFiles())
      try other.close()
      for name in storage.names { #expect(storage.content(name).count == TestSpace.segmentSize) }
      let checked = try vault.openSpace(test.body, readOnly: true, scanning: true)
      #expect(checked.origin.warning == nil)
      #expect(checked.verify(readData: false) == [], "operation \(operation)")
      #expect(try checked.foreignContinuation() == nil)
      try checked.close()
      let again = try vault.openSpace(test.body)
      #expect(again.gate.reason == nil, "operation \(operation)")
      let found = try again.pageBytes(1)
      #expect(found == page(1, version: 1) || found == page(1, version: 3))
      try again.commitAndClose(version: 4)
      for name in storage.names { #expect(storage.content(name).count == TestSpace.segmentSize) }
      #expect(try vault.openSpace(test.body).pageBytes(1) == page(1, version: 4))
    }
    // A file whose name did not become durable is gone.
    #expect(losesPower || (lengths.contains(0) && lengths.contains { $0 > SegmentFormat.recordsStart }))
  }

  /// What a mount of another space does with a short file: nothing that could be opened goes.
  @Test(arguments: [0, 1, 111, 112, 5000], [false, true])
  func onlyWhatHoldsNothingIsDeleted(size: Int, isZero: Bool) throws {
    let name = SegmentIdentifier.numbered(1)
    let content = isZero ? [UInt8](repeating: 0, count: size) : randomBytes(size, seed: 9)
    test.storage.place(content, as: name)
    #expect(test.space.completeShortFiles())
    #expect(try test.storage.exists(name) == (size >= 112 && !isZero))
    if size >= 112 && !isZero { #expect(isWhole(name) && Array(test.storage.content(name)[..<size]) == content) }
  }

  /// A space that owns cover and is nearly full completes the files of others, while the disk has room.
  @Test(arguments: [false, true]) func theRoomOfTheDiskCounts(isFull: Bool) throws {
    let owner = try TestSpace.owningCover()
    var rounds = Rounds(until: "there is no room")
    while owner.space.admit(300_000, waiting: 0) {
      try rounds.begin()
      _ = try owner.space.append(randomBytes(300_000))
    }
    #expect(owner.space.roomState != .ample)
    let name = SegmentIdentifier.numbered(5)
    owner.storage.place(randomBytes(5000, seed: 6), as: name)
    if isFull { owner.storage.fill() }
    #expect(owner.space.completeShortFiles())
    #expect(owner.storage.content(name).count == (isFull ? 5000 : TestSpace.segmentSize))
  }

  /// How old a short file has to be, by what is known of its writer.
  @Test func aFileIsTouchedWhenItsWriterIsGone() throws {
    let now: Int64 = 1_800_000_000
    let ages: [Int64] = [0, 3000, 5000, 86_300, 86_500]
    let cases = [(nil as Int64?, 86_500), (now - 4000, 5000), (now + 10, 0), (now - 90_000, 86_500)]
    for (started, least) in cases {
      let storage = FaultyStorage()
      storage.setMachineStarted(started)
      let vault = Vault(storage: storage, parameters: .cheap) { now }
      let space = try vault.createSpace(suite: .aes256gcm).space
      for age in ages { storage.place(randomBytes(200), as: .numbered(Int(age)), modified: now - age) }
      #expect(space.completeShortFiles())
      for age in ages {
        let isFilled = storage.content(.numbered(Int(age))).count == TestSpace.segmentSize
        #expect(isFilled == (age >= least), "started \(started ?? 0), age \(age)")
      }
    }
  }

  /// The number of a head that held nothing is used again: without it the search for the next head would lack a file.
  @Test(arguments: 1...4) func aHeadThatIsDeletedLeavesNoGap(visits: Int) throws {
    for version in 1...visits {
      try test.space.commitDurably(version: version)
      try test.reopenAfterKill()
    }
    let torn = EpochNumber(rawValue: test.space.highestEpoch.rawValue + 1)
    test.storage.place([], as: test.space.keys.headIdentifier(torn))
    try test.reopenAfterKill()
    #expect(test.space.highestEpoch < torn)
    try test.space.commitDurably(version: 9)
    try test.reopenAfterKill()
    #expect(!test.space.origin.isMissedBySearch && test.space.origin.warning == nil)
    #expect(try test.space.pageBytes(1) == page(1, version: 9))
  }

  /// A mount that writes nothing leaves nothing of an earlier one short either, however lately that was killed, but for
  /// what others may be copying.
  @Test(arguments: [0, 1, 2])
  func ownFilesAreCompletedBeforeTheFirstWrite(_ situation: Int) throws {
    try test.space.commitDurably(version: 1)
    let crashed = test.storage.after(.keepsAll)
    let highest = EpochNumber(rawValue: test.space.highestEpoch.rawValue + 1)
    crashed.place([], as: test.space.keys.headIdentifier(highest))
    var storage = crashed
    if situation == 1 { storage = crashed.copy() }
    let now: Int64 = situation == 2 ? 60 : 1_800_000_000
    let before = storage.names
    let reader = try Vault(storage: storage, parameters: .cheap) { now }.openSpace(test.body, readOnly: true)
    #expect(storage.names == before)
    try reader.close()
    let space = try Vault(storage: storage, parameters: .cheap) { now }.openSpace(test.body)
    let isWhole = storage.names.allSatisfy { storage.content($0).count == TestSpace.segmentSize }
    #expect(isWhole == (situation != 1))
    #expect(storage.names.count == before.count - (situation != 1 ? 1 : 0))
    #expect(space.gate.isOpen)
    try space.close()
    let again = try test.vault(over: storage).openSpace(test.body)
    #expect(try again.pageBytes(1) == page(1, version: 1) && again.gate.isOpen)
    try again.commitAndClose(version: 2)
    for name in storage.names { #expect(storage.content(name).count == TestSpace.segmentSize) }
  }
}
