import AlbumsSupport
import FaultyStorage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// A mount while a space gets a new key.
extension RekeyingTests {
  /// It leaves what is under the old key, keeps the number of files, and the command ends it afterwards.
  @Test func aMountLeavesTheKeyAsItIs() throws {
    let storage = try filled(ownFiles: Int64(Self.count))
    let vault = vault(over: storage)
    try SpaceManager.beginRekeying(
      in: vault, old: vault.slotKeys(for: .of(Self.old)), new: vault.slotKeys(for: .of(Self.new)))
    #expect(try opening(vault) == [Self.new])
    let count = storage.names.count
    let files = try open(vault, Self.new)
    for round in 0..<6 {
      try files.put(pattern(100_000, round), files.make("new\(round)"))
      try files.cleaner.clean()
      try files.cleaner.beginEpochs(2)
      #expect(storage.names.count == count, "round \(round)")
    }
    #expect(files.space.isRekeying && files.space.filesUnderPreviousKey > 0)
    try files.close()
    #expect(try opening(vault) == [Self.new])
    try replaceKey(in: vault)
    #expect(try vault.openSlot(vault.slotKeys(for: .of(Self.new))).body.rekeying?.previousKey == nil)
    #expect(storage.names.count == count)
    #expect(try opening(vault) == [Self.new])
    #expect(try SpaceManager.check(in: vault, password: .of(Self.new), readData: true).problems == [])
  }
}
