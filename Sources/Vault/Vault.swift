// A vault: a directory with public parameters and equal-sized files.
//
// For tests: `Vault(storage:parameters:)` makes a vault over any `Storage`; `createSpace(suite:)` gives a new, empty `Space` and the body that a
// slot for it would hold; `openSpace(_:)` opens it again.

package import Crypto
package import Storage
internal import System
internal import SystemPackage

/// A directory of files that look like random bytes, in which passwords open spaces.
package final class Vault: Sendable {
  /// Where the segment files are.
  package let storage: any Storage
  /// What `agonyfs.json` says.
  package let parameters: VaultParameters

  /// The time of day, in seconds since 1970.
  let clock: @Sendable () -> Int64

  /// A vault over a storage that exists. `clock` gives the time of day, in seconds since 1970.
  package init(
    storage: any Storage, parameters: VaultParameters,
    clock: @escaping @Sendable () -> Int64 = { timeOfDay().seconds }
  ) {
    self.storage = storage
    self.parameters = parameters
    self.clock = clock
  }

  /// Whether nothing in it can be written.
  package var isReadOnly: Bool { storage.isReadOnly }

  /// The slots that a password has, one for each key derivation; takes the same work for every password.
  ///
  /// - Throws: `.system` when there is not enough memory for the derivation.
  package func slotKeys(for password: Password) throws(VaultError) -> [SlotKey] {
    var slots: [SlotKey] = []
    for derivation in parameters.derivations {
      guard let derived = derivation.derive(password) else {
        throw .system(.noMemory, "allocating \(derivation.memory >> 20) MiB to derive the key")
      }
      slots.append(SlotKey(derived: derived, associatedData: parameters.slotAssociatedData(derivation)))
    }
    return slots
  }

  /// What the first of `slots` that opens holds.
  ///
  /// - Throws: `.noSpaceOpens` when none does.
  package func openSlot(_ slots: [SlotKey]) throws(VaultError) -> (slot: SlotKey, body: SlotBody) {
    for slot in slots {
      guard let file = try? storage.open(slot.identifier) else { continue }
      if let body = try slot.open(file, segmentSize: parameters.segmentSize) { return (slot, body) }
    }
    throw .noSpaceOpens
  }

  /// Makes `slot` open the space of `body`; durable on return.
  ///
  /// - Throws: `.passwordInUse` when the slot exists; `.noSpace`; `.system`.
  package func putSlot(_ slot: SlotKey, _ body: SlotBody) throws(VaultError) {
    let file = slot.seal(body, segmentSize: parameters.segmentSize)
    var result: Result<Void, Errno> = .success(())
    unsafe file.withUnsafeBytes { content in
      do throws(Errno) {
        try unsafe storage.putIfAbsent(slot.identifier, content: content)
      } catch {
        result = .failure(error)
      }
    }
    do throws(Errno) {
      try result.get()
    } catch .fileExists {
      throw .passwordInUse
    } catch .noSpace, .diskQuotaExceeded {
      throw .noSpace
    } catch {
      throw .system(error, "writing the slot")
    }
  }

  /// Deletes a slot file, durably.
  package func deleteSlot(_ identifier: SegmentIdentifier) throws(VaultError) {
    do throws(Errno) {
      try storage.delete(identifier)
      try storage.flushNames(of: [identifier])
    } catch {
      throw .system(error, "deleting the slot")
    }
  }

  /// A new, empty space, which no password opens yet. Nothing is on the disk before its first write.
  package func createSpace(
    suite: CipherSuite, copyWindow: Int64 = Space.defaultCopyWindow
  ) -> (space: Space, body: SlotBody) {
    let body = SlotBody(spaceKey: SecretBytes.random(count: CipherSuite.keySize), suite: suite)
    let context = context(SpaceKeys(body), copyWindow: copyWindow)
    return (Space(context, state: RecoveredState(), leases: [], readOnlyReason: nil), body)
  }

  /// Opens the space of `body` at its newest state; changes nothing.
  ///
  /// - Parameters:
  ///   - readOnly: whether other read-only users may have the space open as well.
  ///   - observing: whether to look without a lock, also while somebody writes; the space is read-only then.
  ///   - scanning: whether to look at the headers of all files for the newest head, as a check does, however many are lost.
  ///   - acceptOlder: whether a state that is older than what was once written may be gone on from.
  /// - Throws: `.spaceInUse` when somebody has it open and does not let it go soon; `.damaged` when the space cannot be found.
  package func openSpace(
    _ body: SlotBody, readOnly: Bool = false, observing: Bool = false, acceptOlder: Bool = false,
    scanning: Bool = false, copyWindow: Int64 = Space.defaultCopyWindow
  ) throws(VaultError) -> Space {
    let keys = SpaceKeys(body)
    let recovery = Recovery(storage: storage, keys: keys, segmentSize: parameters.segmentSize)
    var reason: String?
    if readOnly || observing { reason = "it was opened for reading only" }
    if !body.isWritable { reason = "it was written by a newer agonyfs" }
    if isReadOnly { reason = "the vault's directory cannot be written" }
    var patience = LeasePatience()
    while true {
      var newest = scanning ? nil : try recovery.newestExisting()
      // A copy that was made while the space was written to may have none of the heads that lead to those that it has.
      if newest == nil { newest = try recovery.newestListed() }
      guard let newest else {
        throw .damaged("the space of this password has no head")
      }
      var leases: [any SegmentLease] = []
      do throws(Errno) {
        if !observing { leases = [try lease(keys.headIdentifier(newest), exclusive: reason == nil, &patience)] }
      } catch .wouldBlock {
        throw .spaceInUse
      } catch .noSuchFileOrDirectory {
        continue
      } catch {
        throw .system(error, "locking the space")
      }
      // Whoever held the space until now may have begun an epoch in between.
      let found = try recovery.newestByPrefix()
      if let found, found > newest { continue }
      if try recovery.head(following: newest) != nil { continue }
      var state = try recovery.recover(newest: newest)
      if found != newest {
        // The next head gets a number with which no lost head hides it, so that another loss does no harm either.
        state.isMissedBySearch = true
        let next = try recovery.searchable(from: EpochNumber(rawValue: state.highestEpoch.rawValue + 1))
        state.highestEpoch = EpochNumber(rawValue: next.rawValue - 1)
      }
      return Space(
        context(keys, copyWindow: copyWindow), state: state, leases: leases,
        readOnlyReason: reason ?? (acceptOlder ? nil : state.warning))
    }
  }

  private func context(_ keys: SpaceKeys, copyWindow: Int64) -> LogContext {
    LogContext(
      storage: storage, keys: keys, segmentSize: parameters.segmentSize, copyWindow: copyWindow, clock: clock)
  }

  /// Takes a lease, and waits for it as long as `patience` lasts.
  ///
  /// - Throws: `.wouldBlock` when somebody else still holds it then.
  private func lease(
    _ identifier: SegmentIdentifier, exclusive: Bool, _ patience: inout LeasePatience
  ) throws(Errno) -> any SegmentLease {
    while true {
      do throws(Errno) {
        return try storage.lease(identifier, exclusive: exclusive)
      } catch .wouldBlock {
        guard patience.wait(isEnding: storage.leaseEndIsAnnounced(identifier)) else { throw .wouldBlock }
      } catch {
        throw error
      }
    }
  }

  /// Deletes every file of a space, durably; nobody else may have it open.
  package func deleteSegments(of space: Space) throws(VaultError) {
    let identifiers = space.segmentIdentifiers()
    do throws(Errno) {
      for identifier in identifiers { try storage.delete(identifier) }
      try storage.flushNames(of: identifiers)
    } catch {
      throw .system(error, "deleting the space's files")
    }
  }
}
