import FaultyStorage
import System
import SystemPackage
import TestSupport
import Testing

@testable import Vault

/// Writes that the log states beside the database.
@Suite struct IntentLogTests {
  private func intent(_ number: Int) -> WriteIntent {
    WriteIntent(
      inode: InodeNumber(rawValue: UInt64(number)), size: 1 << 40, modifiedSeconds: -5, modifiedNanoseconds: 7,
      writes: [
        WriteIntent.Write(offset: FileOffset(number), bytes: randomBytes(100 + number, seed: UInt64(number)))
      ])
  }

  private let test = TestSpace()

  init() throws { try test.space.commit([1: page(1, version: 1)], pageCount: 1) }

  private func reopen(after cut: PowerCut) throws -> Space {
    try test.vault(over: test.storage.after(cut)).openSpace(test.body, copyWindow: 0)
  }

  @Test func theyCountInOrderUntilACommitReplacesThem() throws {
    try test.space.state([intent(1), intent(2)])
    try test.space.state([intent(3)])
    try test.space.sync()
    #expect(try reopen(after: .losesAll).writeIntents() == [1, 2, 3].map(intent))
    // A commit by somebody who knows nothing of them leaves them.
    try test.space.commitDurably(version: 2)
    let second = try reopen(after: .losesAll)
    #expect(try second.writeIntents() == [1, 2, 3].map(intent))
    #expect(try second.pageBytes(1) == page(1, version: 2))
    try test.space.commit([1: page(1, version: 3)], pageCount: 1, intents: .replace(by: [intent(2)]))
    try test.space.sync()
    #expect(try reopen(after: .losesAll).writeIntents() == [intent(2)])
    try test.space.commit([1: page(1, version: 4)], pageCount: 1, intents: .replace(by: []))
    try test.space.state([intent(5)])
    try test.space.close()
    // What is left when a space is closed is in its last head.
    #expect(try reopen(after: .losesAll).writeIntents() == [intent(5)])
  }

  @Test func everyTornEndLeavesThoseBefore() throws {
    try test.space.sync()
    for number in 1...5 { try test.space.state([intent(number)]) }
    for seed in 0..<40 as Range<UInt64> {
      let found = try reopen(after: .mixed(seed: seed)).writeIntents()
      #expect(found == (1...5).map(intent).prefix(found.count).map(\.self))
    }
  }

  @Test func aFullDiskRefusesThem() throws {
    try test.space.sync()
    test.storage.fill()
    // New data comes first; what is left then is the reserve.
    var rounds = Rounds(until: "the disk is full")
    while (try? test.space.append(randomBytes(200_000, seed: 1))) != nil { try rounds.begin() }
    let sequence = test.space.sequence
    #expect(throws: VaultError.noSpace) { try test.space.state([intent(1)]) }
    #expect(test.space.sequence == sequence)
    #expect(try test.space.writeIntents() == [])
    test.storage.setLimit(.max)
    try test.space.state([intent(1)])
    #expect(try test.space.writeIntents() == [intent(1)])
  }

  /// A commit that a full disk refuses replaces nothing.
  @Test func aCommitThatIsRefusedReplacesNothing() throws {
    try test.space.state([intent(1)])
    try test.space.sync()
    // More than the room that the segment has.
    let pages = Dictionary(uniqueKeysWithValues: (1...600).map { (UInt32($0), page(UInt32($0), version: 2)) })
    test.storage.inject(.errors(.noSpace, from: test.storage.operationCount + 1))
    #expect(throws: VaultError.noSpace) { try test.space.commit(pages, pageCount: 600, intents: .replace(by: [])) }
    #expect(try test.space.writeIntents() == [intent(1)])
    #expect(try reopen(after: .losesAll).writeIntents() == [intent(1)])
    test.storage.inject(nil)
    try test.space.commit(pages, pageCount: 600, intents: .replace(by: []))
    try test.space.sync()
    #expect(try test.space.writeIntents() == [])
    let after = try reopen(after: .losesAll)
    #expect(try after.writeIntents() == [])
    #expect(try after.pageBytes(600) == page(600, version: 2))
  }

  @Test func bytesThatMeanNothingAreRefused() throws {
    let whole = WriteIntent.encode([intent(1), intent(2)])
    #expect(try WriteIntent.decode(whole) == [intent(1), intent(2)])
    for count in 1..<whole.count where count != whole.count / 2 && count != WriteIntent.encode([intent(1)]).count {
      #expect(throws: ByteReader.Malformed.self) { try WriteIntent.decode(Array(whole[..<count])) }
    }
    var beyondItsSize = whole
    beyondItsSize.replaceSubrange(8..<16, with: [50, 0, 0, 0, 0, 0, 0, 0])
    #expect(throws: ByteReader.Malformed.self) { try WriteIntent.decode(beyondItsSize) }
  }
}
