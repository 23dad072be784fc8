import AlbumsSupport
import Crypto
import FaultyStorage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// What a space says about key derivations that were added, taken away or changed.
@Suite struct KnownDerivationsTests {
  private static let password = "the password"

  private let storage = FaultyStorage()
  private let original: VaultParameters

  init() throws {
    original = VaultParameters.cheap
    try SpaceManager.addSpace(to: Vault(storage: storage, parameters: original), password: .of(Self.password))
  }

  /// A derivation with `work` times the work of the original one, if that has 4.
  private func derivation(_ work: UInt64) -> PasswordDerivation {
    var derivation = PasswordDerivation(cost: .interactive)
    (derivation.operations, derivation.memory) = (work, 8192)
    return derivation
  }

  private func vault(_ derivations: [PasswordDerivation]) -> Vault {
    var parameters = original
    parameters.derivations = derivations
    return Vault(storage: storage, parameters: parameters)
  }

  private func known(_ vault: Vault) throws -> [PasswordDerivation] {
    try vault.openSpace(vault.openSlot(vault.slotKeys(for: .of(Self.password))).body, readOnly: true).owner?
      .derivations ?? []
  }

  private func warnings(_ vault: Vault) throws -> [String] {
    let slot = try vault.openSlot(vault.slotKeys(for: .of(Self.password)))
    return KnownDerivations(of: try vault.openSpace(slot.body, readOnly: true), in: vault).warnings
  }

  private func mount(_ vault: Vault, readOnly: Bool = false) throws {
    try SpaceManager.openSpace(in: vault, password: .of(Self.password), readOnly: readOnly).close()
  }

  @Test func aStrongerOneIsTakenSilently() throws {
    let first = original.derivations[0]
    let stronger = derivation(8)
    let vault = vault([first, stronger])
    #expect(try known(vault) == [first])
    #expect(try warnings(vault) == [])
    try mount(vault, readOnly: true)
    #expect(try known(vault) == [first])
    try mount(vault)
    #expect(try known(vault) == [first, stronger])
    #expect(try warnings(vault) == [])
  }

  /// One that was removed on purpose is said until the password is changed, which needs another of as much work.
  @Test func aChangeOfThePasswordEndsTheReport() throws {
    let first = original.derivations[0]
    var other = derivation(8)
    other.salt = Array(repeating: 7, count: PasswordDerivation.saltSize)
    try mount(vault([first, derivation(8)]))
    let vault = vault([first, other])
    for _ in 0..<2 {
      #expect(try warnings(vault).first?.contains("lacks a key derivation") == true)
      try mount(vault)
    }
    try SpaceManager.changePassword(in: vault, old: .of(Self.password), new: .of("another"))
    try SpaceManager.changePassword(in: vault, old: .of("another"), new: .of(Self.password))
    #expect(try warnings(vault) == [])
    #expect(try known(vault) == [first, other])
  }

  @Test func oneThatIsGoneOrChangedIsSaidWheneverTheSpaceIsOpened() throws {
    let first = original.derivations[0]
    let stronger = derivation(8)
    try mount(vault([first, stronger]))
    var changed = stronger
    changed.operations = 2
    for derivations in [[first], [first, changed]] {
      let vault = vault(derivations)
      for _ in 0..<2 {
        #expect(try warnings(vault).first?.contains("lacks a key derivation") == true)
        #expect(
          try SpaceManager.check(in: vault, password: .of(Self.password), readData: false).notes == warnings(vault))
        try mount(vault)
      }
      // No new password is worth less than the space expects.
      #expect(throws: VaultError.derivationsTooWeak) {
        try SpaceManager.changePassword(in: vault, old: .of(Self.password), new: .of("the next"))
      }
      #expect(throws: VaultError.derivationsTooWeak) {
        try SpaceManager.addPassword(in: vault, existing: .of(Self.password), new: .of("the next"))
      }
      #expect(try known(vault) == [first, stronger])
    }
  }

  @Test func aWeakerOneIsSaidAndNeverUsedForANewPassword() throws {
    let first = derivation(8)
    try SpaceManager.removeSpace(from: vault(original.derivations), password: .of(Self.password))
    try SpaceManager.addSpace(to: vault([first]), password: .of(Self.password))
    let vault = vault([first, derivation(4)])
    for _ in 0..<2 {
      #expect(try warnings(vault).map { $0.contains("weaker") } == [true])
      try mount(vault)
    }
    #expect(try known(vault) == [first])
    try SpaceManager.addPassword(in: vault, existing: .of(Self.password), new: .of("another"))
    #expect(try vault.openSlot(vault.slotKeys(for: .of("another"))).key.derivation == first)
  }
}
