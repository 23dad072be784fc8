import Crypto
import FaultyStorage
import Storage
import Synchronization
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
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.sync()
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
    try space.commit([1: page(1, version: 3)], pageCount: 1)
    try space.close()
    for name in test.storage.names { #expect(isWhole(name)) }
  }

  @Test func nothingIsFilledWhileAnotherSpaceIsOpen() throws {
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.sync()
    let before = test.storage.names.map(test.storage.content)
    let other = try otherSpace()
    #expect(!other.completeShortFiles())
    #expect(test.storage.names.prefix(before.count).map(test.storage.content) == before)
    // The first goes on, and is told of nothing.
    try test.space.commit([1: page(1, version: 3)], pageCount: 1)
    try test.space.close()
    #expect(other.completeShortFiles())
    try other.close()
    #expect(try test.vault.openSpace(test.body).pageBytes(1) == page(1, version: 3))
  }

  /// While files are filled nobody opens a space; who tries to is let in afterwards.
  @Test func whoWantsASpaceWaitsWhileFilesAreFilled() throws {
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.sync()
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
}
