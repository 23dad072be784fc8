// The key derivations of its vault that a space knows. The list in `agonyfs.json` is public and unprotected; the owner
// table of a space is sealed.
//
// Invariants
// 1. The known derivations grow only by derivations with at least as much work as all known ones. So if an attacker
//    removes or changes a derivation, or adds one to make guesses cheap, this is reported whenever the space is opened.
// 2. The space forgets missing derivations only when one of its passwords changes. The new password needs a derivation
//    with at least as much work as all known ones, so the space keeps the measure for new passwords.

internal import Crypto
package import Vault

/// The key derivations of a vault, compared with those that a space knows.
package struct KnownDerivations: Sendable {
  /// Derivations that the space knows and the vault lacks.
  let lost: [PasswordDerivation]
  /// Derivations of the vault that are new to the space and have less work than one that it knows.
  let weaker: [PasswordDerivation]
  /// Derivations of the vault that are new to the space and are not weaker.
  let added: [PasswordDerivation]
  /// The most work of the known derivations; 0 if none is known.
  let mostWork: UInt64

  /// Compares the derivations that are used in a vault with those that a space knows.
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

  /// Sentences about changes that another person may have made. They reveal nothing about the space.
  package var warnings: [String] {
    var warnings: [String] = []
    if !lost.isEmpty {
      warnings.append(
        "\(VaultParameters.fileName) lacks a key derivation that it had, or has it with other values. If you did not "
          + "expect this, another person changed that file; restore it from a backup.")
    }
    if !weaker.isEmpty {
      warnings.append(
        "\(VaultParameters.fileName) has a new key derivation that is weaker than an older one. It is not used for new "
          + "passwords. If you did not expect this, another person changed that file.")
    }
    return warnings
  }

  /// Stores the added derivations in the space. After a failure, as on a full disk, the next opening tries again.
  func record(in space: Space) {
    if added.isEmpty || space.owner == nil { return }
    try? space.changeOwner { $0.derivations += added }
  }

  /// Lets the space forget the lost derivations, after its password was changed. After a failure, the next change tries
  /// again.
  func forgetLost(in space: Space) {
    if lost.isEmpty || space.owner == nil { return }
    try? space.changeOwner { owner in owner.derivations.removeAll { lost.contains($0) } }
  }
}
