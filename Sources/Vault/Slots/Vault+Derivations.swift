// Which key derivations of `agonyfs.json` a password goes through.
//
// An attacker who can write that file can add a derivation that costs nothing to compute, and then see under which
// names a password's slot is looked up.
//
// Invariants
// 1. No password goes through a weak derivation that was read from a file, unless the caller asked for that.
// 2. A new slot uses the derivation with the most work among those in use, and never a weak one that was read from a
//    file.
// 3. Adding a derivation needs no password and is the same for every space. Spaces use the derivations that exist.

package import Crypto
internal import Storage
internal import SystemPackage

/// The purposes for which weak key derivations are used.
package enum WeakDerivations: Sendable {
  /// Nothing.
  case none
  /// Opening slots that exist.
  case opening
  /// All purposes, new slots included: for parameters that were not read from a file.
  case all
}

extension Vault {
  /// The key derivations that passwords go through, oldest first.
  package var derivations: [PasswordDerivation] {
    parameters.derivations.filter { weakDerivations != .none || !$0.isWeak }
  }

  /// How many key derivations are skipped because they are weak.
  package var passedOverDerivations: Int { parameters.derivations.count - derivations.count }

  /// The one of `slots` that a new password gets: the one with the most work, and among several of these the newest
  /// one, with the password's normal form.
  ///
  /// - Parameter least: the least work that the slot must have.
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

  /// The next derivation that is stronger than all of the vault: a preset if one is stronger, otherwise one with twice
  /// the work; nil if there is none within bounds.
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

  /// Adds a derivation to the parameters in the storage. Durable on return. Existing slots stay as they are, and this
  /// object continues without the derivation.
  ///
  /// - Throws: `.derivationsTooWeak` if it is not stronger than all others; `.notAVault` if there is no room for it in
  ///   the parameters; `.vaultInUse`, `.noSpace`; `.system`.
  package func addDerivation(_ derivation: PasswordDerivation) throws(VaultError) {
    let lease = try lease(exclusive: true)
    defer { withExtendedLifetime(lease) {} }
    // Another process may have added one before this one got the lease.
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
