import Crypto
import FaultyStorage
import Storage
import Synchronization
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// A mount goes on with a new key in the background.
extension RekeyingTests {
  /// A mount goes on in the background: the same steps in the cleaner's rounds, while files are read and written.
  @Test func theCleanerGoesOn() throws {
    let storage = try filled(ownFiles: Int64(Self.count))
    let vault = vault(over: storage)
    try SpaceManager.beginRekeying(
      in: vault, old: vault.slotKeys(for: .of(Self.old)), new: vault.slotKeys(for: .of(Self.new)))
    #expect(try opening(vault) == [Self.new])
    let files = try open(vault, Self.new)
    #expect(files.space.isRekeying)
    for round in 0..<20 where files.space.isRekeying {
      try files.put(pattern(100_000, round), files.make("new\(round)"))
      try files.clean()
      try files.beginEpochs(2)
      _ = try files.space.finishRekeying()
      #expect(storage.names.count == Self.count)
    }
    #expect(!files.space.isRekeying)
    try files.close()
    #expect(try opening(vault) == [Self.new])
  }

  /// While cover is renewed the space is written, and takes some of it.
  @Test func noFileIsMadeOrDeletedWhileTheSpaceIsWritten() throws {
    let storage = try filled(ownFiles: Int64(Self.count))
    let vault = vault(over: storage)
    try SpaceManager.beginRekeying(
      in: vault, old: vault.slotKeys(for: .of(Self.old)), new: vault.slotKeys(for: .of(Self.new)))
    let files = try open(vault, Self.new)
    let space = files.space
    let births = try storage.fileBirths
    let writes = Atomic(0)
    for round in 0..<20 where space.isRekeying {
      try files.put(pattern(100_000, round), files.make("new\(round)"))
      try files.clean()
      try files.beginEpochs(2)
      storage.whenWritten {
        // Each head is several writes.
        if writes.add(1, ordering: .relaxed).newValue % 40 == 1 { try? space.advanceEpoch() }
      }
      _ = try space.finishRekeying()
      storage.whenWritten(nil)
      #expect(try storage.fileBirths == births, "round \(round)")
    }
    #expect(!space.isRekeying)
    #expect(writes.load(ordering: .relaxed) > 100)
    try files.close()
    #expect(try storage.fileBirths == births)
    #expect(try opening(vault) == [Self.new])
    #expect(try SpaceManager.check(in: vault, password: .of(Self.new), readData: true).problems == [])
  }
}
