// What a space knows of the key derivations of its vault. The list in `agonyfs.json` is public and nothing protects it;
// the owner table of a space is sealed.
//
// Invariants
// 1. What a space knows grows by derivations with at least as much work as all it knew. So one that somebody took away,
//    changed, or added to make guesses cheap is reported whenever the space is opened.
// 2. Only a change of a password of the space has it forget those that are gone. That needs one of at least as much work
//    as all it knew, so it forgets none that new passwords are measured by.

internal import Crypto
package import Vault

/// The key derivations of a vault, compared with what a space knows.
package struct KnownDerivations: Sendable {
  /// Those that the space knows and the vault lacks.
  let lost: [PasswordDerivation]
  /// Those of the vault that are new to the space and have less work than one that it knows.
  let weaker: [PasswordDerivation]
  /// Those of the vault that are new to the space and are not weaker.
  let added: [PasswordDerivation]
  /// The most work of those that the space knows; 0 if it knows none.
  let mostWork: UInt64

  /// Compares what is used of a vault with what a space knows.
  package init(of space: Space, in vault: Vault) {
    let known = space.owner?.derivations ?? []
    let present = vault.derivations
    let mostWork = known.map(\.work).max() ?? 0
    lost = known.filter { !vault.parameters.derivations.contains($0) }
    let new = present.filter { !known.contains($0) }
    weaker = new.filter { $0.work < mostWork }
    added = new.filter { $0.work >= mostWork }
    self.mostWork = mostWork
  }

  /// Sentences about what somebody else may have changed. They say nothing of the space.
  package var warnings: [String] {
    var warnings: [String] = []
    if !lost.isEmpty {
      warnings.append(
        "\(VaultParameters.fileName) lacks a key derivation that it had, or has it with other values. If you did not "
          + "expect this, somebody else changed that file; restore it from a backup.")
    }
    if !weaker.isEmpty {
      warnings.append(
        "\(VaultParameters.fileName) has a new key derivation that is weaker than an older one. It is not used for new "
          + "passwords. If you did not expect this, somebody else changed that file.")
    }
    return warnings
  }

  /// Tells the space the added ones. A failure, as on a full disk, leaves this to the next time.
  func record(in space: Space) {
    if added.isEmpty || space.owner == nil { return }
    try? space.changeOwner { $0.derivations += added }
  }

  /// Lets the space forget those that are gone, after its password was changed. A failure leaves this to the next time.
  func forgetLost(in space: Space) {
    if lost.isEmpty || space.owner == nil { return }
    try? space.changeOwner { owner in owner.derivations.removeAll { lost.contains($0) } }
  }
}
