package import Crypto
internal import Storage
package import Vault

extension SpaceManager {
  /// Verifies everything that a password reaches: the log's segments and chain, the database's pages, the integrity of
  /// the index, names, link counts, extents and counters. With `readData`, also every byte of every file. Changes
  /// nothing.
  ///
  /// - Throws: `.noSpaceOpens`; `.spaceInUse` while the space is mounted; `.damaged` when no state of the space is
  ///   found; `.system`.
  package static func check(
    in vault: Vault, password: Password, readData: Bool
  ) throws(VaultError) -> CheckReport {
    let (slot, body) = try vault.openSlot(try vault.slotKeys(for: password))
    let space = try vault.openSpace(body, readOnly: true, scanning: true)
    var report = Checker.check(space, readData: readData, slot: slot.identifier.bytes)
    if let warning = space.origin.warning, space.origin.isUnfinishedCopy {
      report.notes.append(warning)
    } else if let warning = space.origin.warning {
      report.problems.insert(CheckReport.Problem(path: nil, text: warning), at: 0)
    }
    return report
  }

  /// Checks everything, including every byte, and plans a repair. Changes nothing. The space is locked as long as the
  /// result exists.
  ///
  /// - Throws: `.noSpaceOpens`; `.spaceInUse`; `.readOnly` when the vault cannot be written; `.damaged` when no state
  ///   of the space is found; `.system`.
  package static func planRepair(in vault: Vault, password: Password) throws(VaultError) -> Repair {
    if vault.isReadOnly { throw .readOnly("the vault is read-only") }
    let (slot, body) = try vault.openSlot(try vault.slotKeys(for: password))
    let space = try vault.openSpace(body, acceptOlder: true, scanning: true)
    if let reason = space.gate.reason { throw .readOnly(reason) }
    return Repair(of: space, in: vault, body: body, slot: slot.identifier.bytes)
  }
}
