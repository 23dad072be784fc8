// Adds, changes and removes passwords of a space.
//
// Invariants
// 1. When a password changes, the new slot is durable before the old one is deleted: at every moment one of them opens.
// 2. A slot is overwritten before it is deleted, and noted as being removed before it is overwritten. So a
//    whole file that is not noted opens the space, and a password is removed only if another password has such a file.

package import Crypto
internal import Storage
package import Vault

extension SpaceManager {
  /// Lets `new` open the space that `old` opens, instead of `old`.
  ///
  /// - Throws: `.noSpaceOpens` for `old`; `.passwordInUse` when `new` already opens a space; `.spaceInUse`; `.damaged`;
  ///   `.derivationsTooWeak`; `.noSpace`; `.readOnly`; `.indexFailed`; `.system`.
  package static func changePassword(in vault: Vault, old: Password, new: Password) throws(VaultError) {
    let (slot, space) = try putSlot(of: new, in: vault, openedBy: old)
    try remove(slot.key, of: space, in: vault)
    let derivations = KnownDerivations(of: space, in: vault)
    derivations.record(in: space)
    derivations.forgetLost(in: space)
    try space.close()
  }

  /// Lets `new`, in addition to `existing`, open the space that `existing` opens.
  ///
  /// - Throws: as `changePassword`; `.readOnly` if the space was created before spaces could have several passwords.
  package static func addPassword(in vault: Vault, existing: Password, new: Password) throws(VaultError) {
    let (_, space) = try putSlot(of: new, in: vault, openedBy: existing, needsOwnerTable: true)
    try space.close()
  }

  /// Removes `password` from its space, which another password still opens.
  ///
  /// - Throws: `.noSpaceOpens`; `.lastPassword`; `.spaceInUse`; `.damaged`; `.noSpace`; `.readOnly`; `.indexFailed`;
  ///   `.system`.
  package static func removePassword(in vault: Vault, _ password: Password) throws(VaultError) {
    if vault.isReadOnly { throw .readOnly("the vault is read-only") }
    let slot = try vault.openSlot(try vault.slotKeys(for: password))
    let space = try openToWrite(slot.body, in: vault)
    let others = SlotRecords.names(of: space).subtracting(SlotRecords.removed(from: space))
      .subtracting(slot.key.identifiers)
    guard space.owner != nil, try vault.hasWholeFile(among: others) else { throw .lastPassword }
    try remove(slot.key, of: space, in: vault)
    try space.close()
  }

  /// Writes a slot for `new`, and returns that of `existing` and its space.
  private static func putSlot(
    of new: Password, in vault: Vault, openedBy existing: Password, needsOwnerTable: Bool = false
  ) throws(VaultError) -> (slot: OpenedSlot, space: Space) {
    if vault.isReadOnly { throw .readOnly("the vault is read-only") }
    let slot = try vault.openSlot(try vault.slotKeys(for: existing))
    let newSlots = try vault.slotKeys(for: new)
    try checkUnused(newSlots, in: vault)
    let space = try openToWrite(slot.body, in: vault)
    if space.isRekeying { throw .readOnly(beingReplaced) }
    if needsOwnerTable, space.owner == nil {
      throw .readOnly("it was made by an older agonyfs and has one password; copy its files into a new space")
    }
    let least = max(slot.key.derivation.work, KnownDerivations(of: space, in: vault).mostWork)
    let newSlot = try vault.strongest(of: newSlots, atLeast: least)
    try put(newSlot, holding: space.body, of: space, in: vault)
    return (slot, space)
  }

  /// Records and writes a slot of a space, which holds `body`.
  static func put(_ slot: SlotKey, holding body: SlotBody, of space: Space, in vault: Vault) throws(VaultError) {
    try SlotRecords.change(of: space, adding: slot.identifiers)
    do throws(VaultError) {
      try vault.putSlot(slot, body, of: space)
    } catch {
      try? space.cover.restoreFileCount()
      throw error
    }
    try space.cover.restoreFileCount()
  }

  /// The reason why a space cannot be written while its key is being replaced.
  static let beingReplaced =
    "its key is being replaced; complete that first: repeat the agonyfs password change --rekey"

  static func openToWrite(
    _ body: SlotBody, in vault: Vault, acceptOlder: Bool = false, scanning: Bool = false
  ) throws(VaultError) -> Space {
    let space = try vault.openSpace(body, acceptOlder: acceptOlder, scanning: scanning)
    if let reason = space.gate.reason { throw .readOnly(reason) }
    if space.keyChange.isKeyChangePending(in: body) { throw .readOnly(beingReplaced) }
    return space
  }

  static func remove(_ slot: SlotKey, of space: Space, in vault: Vault) throws(VaultError) {
    let identifiers = Set(slot.identifiers)
    try SlotRecords.noteRemoval(of: identifiers, from: space)
    try vault.dropSlotFiles(identifiers, of: space)
    try SlotRecords.change(of: space, takingAway: identifiers)
    try space.cover.restoreFileCount()
  }

  /// Checks that no slot opens.
  static func checkUnused(_ slots: [SlotKey], in vault: Vault) throws(VaultError) {
    do throws(VaultError) {
      _ = try vault.openSlot(slots)
    } catch .noSpaceOpens {
      return
    }
    throw .passwordInUse
  }
}
