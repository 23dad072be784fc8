import Crypto
import FaultyStorage
import Storage
import TestSupport
import Testing

@testable import Vault

/// Which key derivations of a vault passwords go through.
@Suite struct DerivationTests {
  private static func derivation(_ operations: UInt64, _ memory: UInt64) -> PasswordDerivation {
    var derivation = PasswordDerivation(cost: .interactive)
    (derivation.operations, derivation.memory) = (operations, memory)
    return derivation
  }

  private let storage = FaultyStorage()

  private func write(_ derivations: [PasswordDerivation]) throws {
    try storage.replaceParameters(with: vault(derivations).parameters.json)
  }

  private func vault(_ derivations: [PasswordDerivation]) -> Vault {
    var parameters = VaultParameters.cheap
    parameters.derivations = derivations
    return Vault(storage: storage, parameters: parameters)
  }

  /// Somebody who can write the parameters adds a derivation that costs nothing. No password may go through it: neither
  /// the names of its files nor a slot under it may reach the storage.
  @Test(arguments: [(1, 64 << 20), (2, (64 << 20) - 1), (64, 8 << 20)])
  func aWeakDerivationInTheFileIsPassedOver(operations: UInt64, memory: UInt64) throws {
    let good = PasswordDerivation(cost: .interactive)
    let weak = Self.derivation(operations, memory)
    try write([weak, good, weak])
    let opened = try Vault.open(in: storage)
    #expect(opened.derivations == [good] && opened.passedOverDerivations == 2)
    let slots = try opened.slotKeys(for: .of("a password"))
    #expect(slots.map(\.derivation) == [good])
    let before = storage.openCount
    #expect(throws: VaultError.noSpaceOpens) { try opened.openSlot(slots) }
    #expect(storage.openCount - before == 2)
    #expect(try opened.strongest(of: slots).derivation == good)

    let told = try Vault.open(in: storage, weakDerivations: .opening)
    #expect(told.derivations == [weak, good, weak])
    #expect(try told.strongest(of: try told.slotKeys(for: .of("a password"))).derivation == good)
  }

  @Test func aVaultWithWeakDerivationsOnlyOpensOnlyWhenTold() throws {
    let weak = Self.derivation(1, 8 << 20)
    try write([weak])
    let body = TestSpace().body
    let old = vault([weak])
    try old.putSlot(try #require(try old.slotKeys(for: .of("old")).first), body)

    let opened = try Vault.open(in: storage)
    #expect(throws: VaultError.derivationsTooWeak) { try opened.slotKeys(for: .of("old")) }
    let told = try Vault.open(in: storage, weakDerivations: .opening)
    let slots = try told.slotKeys(for: .of("old"))
    #expect(try told.openSlot(slots).body.encoded.copied == body.encoded.copied)
    #expect(throws: VaultError.derivationsTooWeak) { try told.strongest(of: slots) }
  }

  @Test func aNewSlotGetsTheMostWorkAndOfEqualOnesTheNewest() throws {
    let all = [(2, 8192), (3, 16384), (1, 32768), (6, 8192), (1, 8192)].map { Self.derivation($0.0, $0.1) }
    let vault = vault(all)
    let slots = try vault.slotKeys(for: .of("a password"))
    let best = try vault.strongest(of: slots)
    #expect(best.derivation == all[3])
    #expect(best.identifiers == slots[3].identifiers)
    #expect(throws: VaultError.derivationsTooWeak) { try vault.strongest(of: slots, atLeast: 6 * 8192 + 1) }
  }

  @Test func oneCanBeAddedAndOldSlotsOpen() throws {
    let first = PasswordDerivation(cost: .interactive)
    try write([first])
    let opened = try Vault.open(in: storage)
    let body = TestSpace().body
    try opened.putSlot(try #require(try opened.slotKeys(for: .of("old")).first), body)
    let next = try #require(opened.nextDerivation)
    #expect((next.operations, next.memory) == (3, 256 << 20))
    try opened.addDerivation(next)
    let again = try Vault.open(in: storage)
    #expect(again.parameters.derivations == [first, next])
    #expect(again.parameters.identifier == opened.parameters.identifier)
    let slots = try again.slotKeys(for: .of("old"))
    #expect(try again.openSlot(slots).key.derivation == first)
    #expect(try again.strongest(of: slots).derivation == next)
    for weaker in [PasswordDerivation(cost: .interactive), PasswordDerivation(cost: .moderate)] {
      #expect(throws: VaultError.derivationsTooWeak) { try again.addDerivation(weaker) }
    }
  }

  @Test func theNextOneIsAlwaysStronger() throws {
    var derivations = [PasswordDerivation(cost: .interactive)]
    var rounds = Rounds(until: "the strongest derivation")
    while let next = vault(derivations).nextDerivation {
      try rounds.begin()
      #expect(next.work > derivations[derivations.count - 1].work && !next.isWeak)
      #expect(PasswordDerivation(operations: next.operations, memory: next.memory, salt: next.salt) == next)
      #expect(!derivations.contains { $0.salt == next.salt })
      derivations.append(next)
    }
    #expect(derivations.last?.operations == 64 && derivations.last?.memory == 4 << 30)
  }
}
