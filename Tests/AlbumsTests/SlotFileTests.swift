import AlbumsSupport
import Crypto
import FaultyStorage
import Storage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// The two slot files of a password: lost, damaged, restored.
@Suite struct SlotFileTests {
  private static let password = "the password"

  private let storage = FaultyStorage()
  private let vault: Vault

  init() throws {
    vault = Vault(storage: storage, parameters: .cheap)
    try SpaceManager.addSpace(to: vault, password: .of(Self.password))
  }

  private func opened() throws -> OpenedSlot { try vault.openSlot(try vault.slotKeys(for: .of(Self.password))) }

  private func check() throws -> CheckReport {
    try SpaceManager.check(in: vault, password: .of(Self.password), readData: false)
  }

  private func isWhole() throws -> Bool {
    let slot = try opened()
    return slot.missing.isEmpty && slot.damaged.isEmpty
  }

  private func damage(_ identifier: SegmentIdentifier) {
    storage.tamper(identifier) { $0.map { $0 ^ 1 } }
  }

  @Test func aNewSpaceHasTwo() throws {
    #expect(try isWhole())
    #expect(try check().problems == [] && check().notes == [])
    #expect(try SpaceManager.information(in: vault, password: .of(Self.password)).passwords == 1)
  }

  @Test(arguments: [0, 1]) func aMountThatWritesRestoresALostOne(number: Int) throws {
    try storage.delete(try opened().key.identifiers[number])
    #expect(try check().problems.map(\.text) == [SlotFinding.missing.text])
    try SpaceManager.openSpace(in: vault, password: .of(Self.password), readOnly: true).close()
    #expect(try !isWhole())
    try SpaceManager.openSpace(in: vault, password: .of(Self.password)).close()
    #expect(try isWhole())
    #expect(try check().problems == [])
  }

  @Test func aLostOneOnAFullDiskIsNoObstacle() throws {
    try storage.delete(try opened().key.identifiers[0])
    storage.fill()
    try SpaceManager.openSpace(in: vault, password: .of(Self.password)).close()
    #expect(try !isWhole())
  }

  @Test(arguments: [0, 1]) func aRepairRestoresOne(number: Int) throws {
    for isLost in [true, false] {
      let identifier = try opened().key.identifiers[number]
      if isLost { try storage.delete(identifier) } else { damage(identifier) }
      let finding = isLost ? SlotFinding.missing : .damaged
      #expect(try check().problems.map(\.text) == [finding.text])
      let repair = try SpaceManager.planRepair(in: vault, password: .of(Self.password))
      #expect(repair.found.problems.map(\.text) == [finding.text])
      #expect(repair.plan.items.count == 1 && !repair.plan.hasLosses)
      #expect(try repair.carryOut().isClean)
      #expect(try isWhole())
    }
  }

  /// What an agonyfs that knew one slot file left.
  @Test func aVaultWithOneSlotFileOpensAndGetsTheSecond() throws {
    let second = try opened().key.identifiers[1]
    try storage.delete(second)
    let space = try SpaceManager.openSpace(in: vault, password: .of(Self.password))
    try storage.delete(second)
    try space.changeOwner { $0.slots.removeAll { $0 == second } }
    try space.close()

    #expect(try check().problems == [])
    #expect(try check().notes == [SlotFinding.incomplete.text])
    #expect(try SpaceManager.information(in: vault, password: .of(Self.password)).passwords == 1)
    try SpaceManager.openSpace(in: vault, password: .of(Self.password)).close()
    #expect(try isWhole() && check().problems == [] && check().notes == [])
    try SpaceManager.removeSpace(from: vault, password: .of(Self.password))
    #expect(storage.names == [])
  }

  @Test func aSlotThatIsNotRecordedIs() throws {
    let space = try vault.openSpace(try opened().body)
    try space.changeOwner { $0.slots = [] }
    try space.close()
    #expect(try check().problems.map(\.text) == [SlotFinding.unrecorded.text])
    let repair = try SpaceManager.planRepair(in: vault, password: .of(Self.password))
    #expect(repair.plan.items.count == 1 && !repair.plan.hasLosses)
    #expect(try repair.carryOut().isClean)
    try SpaceManager.removeSpace(from: vault, password: .of(Self.password))
    #expect(storage.names == [])
  }

  /// A new password has its second file after a crash, too, at the latest after the next mount that writes.
  @Test func aCrashBetweenTheTwoIsMendedByTheNextMount() throws {
    var halves = 0
    for stop in 1... {
      let storage = FaultyStorage()
      storage.inject(.cut(at: stop))
      let parameters = vault.parameters
      let cut = Vault(storage: storage, parameters: parameters)
      let isDone = (try? SpaceManager.addSpace(to: cut, password: .of(Self.password))) != nil
      let vault = Vault(storage: storage.powerCut(seed: UInt64(stop)), parameters: parameters)
      let slots = try vault.slotKeys(for: .of(Self.password))
      if let slot = try? vault.openSlot(slots) {
        if !slot.missing.isEmpty { halves += 1 }
        try SpaceManager.openSpace(in: vault, password: .of(Self.password)).close()
        #expect(try vault.openSlot(slots).missing.isEmpty, "stopped at \(stop)")
        let report = try SpaceManager.check(in: vault, password: .of(Self.password), readData: true)
        #expect(report.problems == [] && report.notes == [], "stopped at \(stop)")
      }
      if isDone { break }
    }
    #expect(halves > 0)
  }

  /// The newest derivation of a vault need not be the strongest: whoever can write the parameters may have added it.
  @Test func aNewPasswordGetsTheStrongestDerivation() throws {
    var parameters = vault.parameters
    var (strong, weak) = (parameters.derivations[0], parameters.derivations[0])
    (strong.operations, strong.salt[0], weak.salt[1]) = (4, strong.salt[0] ^ 1, weak.salt[1] ^ 1)
    parameters.derivations += [strong, weak]
    let vault = Vault(storage: storage, parameters: parameters)
    try SpaceManager.changePassword(in: vault, old: .of(Self.password), new: .of("the next"))
    try SpaceManager.addSpace(to: vault, password: .of("another"))
    for password in ["the next", "another"] {
      #expect(try vault.openSlot(try vault.slotKeys(for: .of(password))).key.derivation == strong)
    }
  }

  /// How many files a password is looked for in does not depend on whether it is right, or on what is there.
  @Test func everyPasswordLooksForBothFilesOfEachDerivation() throws {
    var parameters = vault.parameters
    parameters.derivations.append(parameters.derivations[0])
    parameters.derivations[1].salt[0] ^= 1
    let vault = Vault(storage: storage, parameters: parameters)
    for password in [Self.password, "another"] {
      let slots = try vault.slotKeys(for: .of(password))
      let before = storage.openCount
      _ = try? vault.openSlot(slots)
      #expect(storage.openCount - before == 4)
    }
  }
}
