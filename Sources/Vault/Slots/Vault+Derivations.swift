// Which key derivations of `agonyfs.json` a password goes through.
//
// Whoever can write that file can add a derivation that costs an attacker nothing, and then see for which file a
// password is looked up.
//
// Invariants
// 1. No password goes through a weak derivation that was read from a file, unless the caller asked for that.
// 2. A new slot has the most work of all derivations that are used, and never a weak one that was read from a file.
// 3. Adding a derivation needs no password and is the same for every space; spaces use what is there.

package import Crypto
internal import Storage
internal import SystemPackage

/// What weak key derivations are used for.
package enum WeakDerivations: Sendable {
  /// Nothing.
  case none
  /// Opening slots that exist.
  case opening
  /// All, new slots included: for parameters that were not read from a file.
  case all
}

extension Vault {
  /// The key derivations that passwords go through, oldest first.
  package var derivations: [PasswordDerivation] {
    parameters.derivations.filter { weakDerivations != .none || !$0.isWeak }
  }

  /// How many key derivations are passed over because they are weak.
  package var passedOverDerivations: Int { parameters.derivations.count - derivations.count }

  /// Of `slots`, the one that a new password gets: the one with the most work, of several the newest, and that of the
  /// password's normal form.
  ///
  /// - Parameter least: the work that the slot must have at least.
  /// - Throws: `.derivationsTooWeak`.
  package func strongest(of slots: [SlotKey], atLeast least: UInt64 = 0) throws(VaultError) -> SlotKey {
    var best: SlotKey?
    for slot in slots where weakDerivations == .all || !slot.derivation.isWeak {
      if let best, slot.derivation.work < best.derivation.work { continue }
      best = slot
    }
    guard let best, best.derivation.work >= least else { throw .derivationsTooWeak }
    return best
  }

  /// The next derivation that is stronger than all of the vault: of the presets if one is, else one with twice the
  /// work; nil if there is none within bounds.
  package var nextDerivation: PasswordDerivation? {
    guard let strongest = parameters.derivations.max(by: { $0.work < $1.work }) else { return nil }
    let presets = KeyDerivationCost.allCases.map { PasswordDerivation(cost: $0) }
    if let preset = presets.first(where: { $0.work > strongest.work }) { return preset }
    var next = PasswordDerivation(cost: .sensitive)
    (next.operations, next.memory) = (strongest.operations, strongest.memory)
    if PasswordDerivation.operationsRange.contains(next.operations * 2) {
      next.operations *= 2
    } else if PasswordDerivation.memoryRange.contains(next.memory * 2) {
      next.memory *= 2
    } else {
      return nil
    }
    return next
  }

  /// Adds a derivation to the parameters in the storage. Durable on return. Slots that exist stay as they are, and this
  /// object goes on without it.
  ///
  /// - Throws: `.derivationsTooWeak` if it is not stronger than all others; `.notAVault` if there is no room for it in
  ///   the parameters; `.vaultInUse`, `.noSpace`; `.system`.
  package func addDerivation(_ derivation: PasswordDerivation) throws(VaultError) {
    let lease = try lease(exclusive: true)
    defer { withExtendedLifetime(lease) {} }
    // Somebody else may have added one before the lease.
    var parameters = try Vault.open(in: storage).parameters
    guard !derivation.isWeak, parameters.derivations.allSatisfy({ $0.work < derivation.work }) else {
      throw .derivationsTooWeak
    }
    guard parameters.derivations.count < VaultParameters.derivationLimit else {
      throw .notAVault("\(VaultParameters.fileName) has \(VaultParameters.derivationLimit) key derivations already")
    }
    parameters.derivations.append(derivation)
    try attempt("writing \(VaultParameters.fileName)") { () throws(Errno) in
      try storage.replaceParameters(with: parameters.json)
    }
  }
}
