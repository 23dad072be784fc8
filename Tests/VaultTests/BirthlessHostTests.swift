import Crypto
import FaultyStorage
import Glibc
import Storage
import TestSupport
import Testing

@testable import Vault

/// Short files on a host that stores no births, where nothing shows whether a vault is a copy (sshfs, exfat-fuse,
/// ntfs-3g).
@Suite struct BirthlessHostTests {
  private static let now: Int64 = 1_800_000_000
  private let test = TestSpace()

  init() { test.storage.forgetBirths() }

  private func isWhole(_ name: SegmentIdentifier) -> Bool {
    test.storage.content(name).count == TestSpace.segmentSize
  }

  private var times: Set<Int64> {
    get throws { Set(try test.storage.listed().map { $0.modified }) }
  }

  private static let completeTime = Int64(DirectoryStorage.completeTime)

  @Test func ownFilesAreCompletedAfterAKill() throws {
    try test.space.commitDurably(version: 1)
    let before = test.storage.names
    #expect(!before.allSatisfy(isWhole))
    try test.reopenAfterKill()
    #expect(test.space.origin.isCopy && !test.space.origin.isKnownCopy && test.space.gate.isOpen)
    #expect(test.storage.names == before && before.allSatisfy(isWhole))
    #expect(try test.space.pageBytes(1) == page(1, version: 1))
    try test.space.close()
    // Nothing is left that refuses a refresh.
    #expect(try test.vault.completeShortFiles() == 0)
    let again = try test.vault.openSpace(test.body)
    #expect(again.gate.isOpen && again.origin.warning == nil)
    #expect(try again.pageBytes(1) == page(1, version: 1))
    #expect(again.verify(readData: true) == [])
    try again.commitAndClose(version: 2)
    #expect(try times == [Self.completeTime])
    #expect(try test.vault.openSpace(test.body).pageBytes(1) == page(1, version: 2))
  }

  /// The vault may be a copy of a vault on another such host, and the copying goes on: a program that compares sizes and
  /// times must not take a file that was filled here for the original's.
  @Test func aCompletedFileIsNotTakenForTheOriginal() throws {
    try test.space.commitDurably(version: 1)
    let copy = FaultyStorage()
    copy.forgetBirths()
    for (name, _, modified) in try test.storage.listed() {
      copy.place(test.storage.content(name), as: name, modified: modified)
    }
    let mounted = try test.vault(over: copy).openSpace(test.body)
    #expect(try mounted.pageBytes(1) == page(1, version: 1))
    try mounted.close()
    #expect(copy.names.allSatisfy { copy.content($0).count == TestSpace.segmentSize })
    try test.space.commitAndClose(version: 2)
    // As rsync does next.
    let there = Dictionary(uniqueKeysWithValues: try copy.listed().map { ($0.identifier, ($0.size, $0.modified)) })
    for (name, size, modified) in try test.storage.listed() {
      if let found = there[name], found == (size, modified) { continue }
      copy.place(test.storage.content(name), as: name, modified: modified)
    }
    let space = try test.vault(over: copy).openSpace(test.body)
    #expect(space.gate.isOpen && space.origin.warning == nil)
    #expect(try space.pageBytes(1) == page(1, version: 2))
    #expect(space.verify(readData: true) == [])
  }

  /// A vault that was written on a host with births, and copied to one without, is known to be a copy.
  @Test func aCopyFromAHostWithBirthsStays() throws {
    let original = TestSpace()
    try original.space.commitDurably(version: 1)
    let copy = original.storage.copy()
    copy.forgetBirths()
    let before = copy.names.map(copy.content)
    let space = try original.vault(over: copy).openSpace(original.body)
    #expect(space.origin.isKnownCopy && space.origin.isBirthUnknown && space.gate.isOpen)
    #expect(space.completeShortFiles())
    try space.close()
    #expect(copy.names.map(copy.content) == before)
  }

  /// A file that a program is copying, which makes it longer all the time.
  @Test func aFileThatGrowsStays() throws {
    let storage = FaultyStorage { Self.now }
    storage.forgetBirths()
    let vault = Vault(storage: storage, parameters: .cheap) { Self.now }
    let made = try vault.createSpace(suite: .aes256gcm)
    try made.space.commitDurably(version: 1)
    storage.killProcess()
    let name = try #require(storage.names.first { storage.content($0).count < TestSpace.segmentSize })
    let copier = try TestThread {
      for _ in 1...40 {
        storage.place(storage.content(name) + randomBytes(16), as: name, modified: Self.now)
        usleep(100_000)
      }
    }
    let space = try vault.openSpace(made.body)
    #expect(storage.content(name).count < TestSpace.segmentSize)
    try space.close()
    try copier.join()
    // When it is left alone it is filled at once.
    let again = try vault.openSpace(made.body)
    #expect(storage.content(name).count == TestSpace.segmentSize)
    #expect(try again.pageBytes(1) == page(1, version: 1))
  }

  /// Another space's file is filled when its writer is gone for a day and the vault's lock is free, never before.
  @Test func filesOfOthersAreTouchedWhenTheirWriterIsGone() throws {
    for (age, isHeld) in [(0, false), (86_300, false), (86_500, true), (86_500, false)] {
      let storage = FaultyStorage { Self.now - Int64(age) }
      storage.forgetBirths()
      let vault = Vault(storage: storage, parameters: .cheap) { Self.now }
      let first = try vault.createSpace(suite: .aes256gcm)
      try first.space.commitDurably(version: 1)
      let names = storage.names
      let before = names.map(storage.content)
      if !isHeld { storage.killProcess() }
      let other = try vault.createSpace(suite: .aes256gcm)
      try other.space.commitAndClose(version: 2)
      let mounted = try vault.openSpace(other.body)
      #expect(mounted.completeShortFiles() == !isHeld)
      try mounted.close()
      let isFilled = names.allSatisfy { storage.content($0).count == TestSpace.segmentSize }
      #expect(isFilled == (age > 86_400 && !isHeld), "age \(age), held \(isHeld)")
      if !isFilled { #expect(names.map(storage.content) == before) }
      storage.killProcess()
      #expect(try vault.openSpace(first.body).pageBytes(1) == page(1, version: 1))
    }
  }

  /// Where two machines share no locks, a mount on one may fill a file of a mount on the other that wrote nothing for a
  /// day. That one then writes no more, and says why.
  @Test func aWriterWhoseFileWasFilledStops() throws {
    let storage = FaultyStorage { Self.now - 86_500 }
    storage.forgetBirths()
    let vault = Vault(storage: storage, parameters: .cheap) { Self.now }
    let first = try vault.createSpace(suite: .aes256gcm)
    try first.space.commitDurably(version: 1)
    // Its locks are not seen on the other machine.
    storage.killProcess()
    let other = try vault.createSpace(suite: .aes256gcm)
    try other.space.commitAndClose(version: 2)
    let mounted = try vault.openSpace(other.body)
    #expect(mounted.completeShortFiles())
    #expect(throws: VaultError.self) { try first.space.commitDurably(version: 3) }
    #expect(first.space.gate.reason == LockedLog.changedElsewhere)
    #expect(try vault.openSpace(first.body).pageBytes(1) == page(1, version: 1))
  }
}
