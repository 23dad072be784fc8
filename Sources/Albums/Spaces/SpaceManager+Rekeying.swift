// Gives a space a new key, with a new password (Vault+Rekeying.swift has the steps).

package import Crypto
package import Logging
internal import Storage
internal import SystemPackage
package import Vault

/// A new key for a space, before it is installed, so that the user can be warned first about the passwords that it
/// removes.
package struct KeyReplacement {
  private let vault: Vault
  private let old: [SlotKey]
  private let new: [SlotKey]
  private let isBegun: Bool
  /// How many other passwords open the space now, but will open nothing afterwards.
  package let otherPasswords: Int

  /// Prepares to let `new` open the space that `old` opens, when `run` is called. Changes nothing.
  ///
  /// - Throws: `.noSpaceOpens` for `old`, unless an interrupted run has already made `new` the only password of the
  ///   space; `.damaged`;
  ///   `.derivationsTooWeak`; `.system`.
  package init(in vault: Vault, old: Password, new: Password) throws(VaultError) {
    self.vault = vault
    // Each password goes through the derivations only once.
    (self.old, self.new) = (try vault.slotKeys(for: old), try vault.slotKeys(for: new))
    isBegun = try SpaceManager.isBegun(in: vault, old: self.old, new: self.new)
    if isBegun {
      otherPasswords = 0
    } else {
      let body = try vault.openSlot(self.old).body
      otherPasswords = SpaceManager.passwords(of: try vault.openSpace(body, observing: true)) - 1
    }
  }

  /// Encrypts everything in the space with a new key. Afterwards no other password and no older slot opens it. If it is
  /// interrupted after its first moments, the new password opens the space, and another run with the same passwords
  /// completes it. Deleted data is overwritten first: slots and heads, or everything with `wipingAll`.
  ///
  /// - Parameter changeSink: creates the sink of the file system in which data is moved.
  /// - Throws: `.noSpaceOpens` for the old password; `.passwordInUse` when the new one already opens a space;
  ///   `.spaceInUse`; `.damaged`; `.derivationsTooWeak`; `.noSpace`; `.readOnly` also if the space was created before
  ///   spaces could get another key; `.cancelled`; `.indexFailed`; `.system`.
  package func run(
    wipingAll: Bool = false, changeSink: () -> any ChangeSink, logger: Logger,
    _ control: OperationControl = OperationControl()
  ) throws(VaultError) {
    if !isBegun {
      // This must come before any change.
      try SpaceManager.checkUnused(new, in: vault)
      try SpaceManager.finishRekeying(
        in: vault, slots: old, wipingAll: wipingAll, changeSink: changeSink, logger: logger, control)
      try SpaceManager.beginRekeying(in: vault, old: old, new: new)
    }
    try SpaceManager.finishRekeying(
      in: vault, slots: new, wipingAll: wipingAll, changeSink: changeSink, logger: logger, control)
  }
}

extension SpaceManager {
  /// Whether a slot of `new` holds a new key of the space that `old` opens, or opened, because an earlier run was
  /// interrupted.
  fileprivate static func isBegun(in vault: Vault, old: [SlotKey], new: [SlotKey]) throws(VaultError) -> Bool {
    let body: SlotBody
    do throws(VaultError) {
      body = try vault.openSlot(new).body
    } catch .noSpaceOpens {
      return false
    }
    guard body.isRekeying else { return false }
    do throws(VaultError) {
      let before = try vault.openSlot(old).body
      return !body.equals(before) && body.opensSameSpace(as: before)
    } catch .noSpaceOpens {
      // The process that opened the space since has deleted that slot.
      return true
    }
  }

  /// If a crash left a slot with a new key under which nothing was written, continues the log under that key.
  ///
  /// - Returns: the slot after that.
  static func beginAgain(_ slot: OpenedSlot, in vault: Vault, acceptOlder: Bool) throws(VaultError) -> OpenedSlot {
    guard slot.body.isRekeying, !vault.isReadOnly else { return slot }
    let space = try vault.openSpace(slot.body, acceptOlder: acceptOlder)
    guard space.keyChange.isKeyChangePending(in: slot.body), space.gate.isOpen else {
      try space.close()
      return slot
    }
    let successor = try space.keyChange.successor(of: slot.body)
    if !successor.equals(slot.body) { try vault.rewriteSlot(slot, with: successor) }
    let others = SlotRecords.names(of: space).subtracting(slot.key.identifiers)
    try SlotRecords.change(of: space, adding: slot.key.identifiers)
    try space.keyChange.commitKeyChange(to: successor) { SlotRecords.noteRemoval(of: others, in: &$0) }
    try space.close()
    return slot.holding(successor)
  }

  /// Continues the log of the space that `old` opens under a new key, which only `new` opens. Durable on return.
  static func beginRekeying(in vault: Vault, old: [SlotKey], new newSlots: [SlotKey]) throws(VaultError) {
    if vault.isReadOnly { throw .readOnly("the vault is read-only") }
    let slot = try vault.openSlot(old)
    try checkUnused(newSlots, in: vault)
    let space = try openToWrite(slot.body, in: vault)
    if space.owner == nil {
      throw .readOnly("it was made by an older agonyfs and keeps its key; copy its files into a new space")
    }
    if try space.foreignContinuation() != nil {
      throw .readOnly(
        "it was continued elsewhere, and the files written there would stay under the old key; run agonyfs check")
    }
    let least = max(slot.key.derivation.work, KnownDerivations(of: space, in: vault).mostWork)
    let newSlot = try vault.strongest(of: newSlots, atLeast: least)
    let successor = try space.keyChange.drawSuccessor()
    let others = SlotRecords.names(of: space)
    try put(newSlot, holding: successor, of: space, in: vault)
    let derivations = KnownDerivations(of: space, in: vault)
    derivations.record(in: space)
    derivations.forgetLost(in: space)
    do throws(VaultError) {
      try space.keyChange.commitKeyChange(to: successor) { SlotRecords.noteRemoval(of: others, in: &$0) }
    } catch {
      try? remove(newSlot, of: space, in: vault)
      throw error
    }
    try space.close()
  }

  /// Encrypts again all data under the previous key, and deletes the slots of other passwords. If it ends early,
  /// another run continues.
  static func finishRekeying(
    in vault: Vault, slots: [SlotKey], wipingAll: Bool = false, changeSink: () -> any ChangeSink, logger: Logger,
    _ control: OperationControl
  ) throws(VaultError) {
    // Opening deletes the slots that were noted as being removed, and rewrites a slot that holds the previous key
    // needlessly.
    let open = { () throws(VaultError) in
      let space = try openSpace(in: vault, slots: slots, copyWindow: 0, wipingPrevious: wipingAll)
      if let reason = space.gate.reason { throw .readOnly(reason) }
      return space
    }
    let space = try open()
    guard space.isRekeying else { return try space.close() }
    let all = space.filesUnderPreviousKey
    try moveData(of: space, all, changeSink: changeSink(), logger: logger, control)
    try renewCover(of: open(), all, control)
    try openSpace(in: vault, slots: slots).close()
    // Opening skips slots that cannot be rewritten.
    if try vault.openSlot(slots).body.isRekeying { throw .system(.ioError, "writing the slots again") }
  }

  /// Copies the needed data under the previous key to the end of the log, and closes the space.
  private static func moveData(
    of space: Space, _ all: Int, changeSink: any ChangeSink, logger: Logger, _ control: OperationControl
  ) throws(VaultError) {
    var options = FileSystemOptions(logger: logger)
    options.cleans = false
    let files = try FileSystem(space: space, options: options, changeSink: changeSink)
    do throws(VaultError) {
      try files.cleaner.moveToNewKey(all, control)
    } catch {
      try? files.close()
      throw error
    }
    do throws(Errno) { try files.close() } catch { throw .system(error, "closing the space") }
  }

  /// Writes cover again, continues the log under one key, and closes the space. This works without a file system, whose
  /// threads would take cover at the same time.
  private static func renewCover(of space: Space, _ all: Int, _ control: OperationControl) throws(VaultError) {
    do throws(VaultError) {
      var isDone = false
      // A segment that died in an epoch can be deleted when two heads have followed. The first one states that the
      // space is in use.
      for _ in 0..<3 where !isDone {
        try space.advanceEpoch()
        isDone = try space.keyChange.finishRekeying(all, control)
      }
      if !isDone { throw space.keyChange.remainder }
    } catch {
      try? space.close()
      throw error
    }
    try space.close()
  }
}
