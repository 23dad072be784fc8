// A vault: public parameters and equal-sized files in a storage.
//
// For tests: `Vault(storage:parameters:)` makes a vault in any `Storage`. `createSpace(suite:)` returns a new, empty
// space and the body of a slot for it. `openSpace(_:)` opens it again.

package import Crypto
package import Storage
internal import System
internal import SystemPackage

/// A set of files that look like random bytes. Passwords open spaces in it.
package final class Vault: Sendable {
  /// The place of the files.
  package let storage: any Storage
  /// The content of `agonyfs.json`.
  package let parameters: VaultParameters

  /// The purposes for which weak key derivations of the parameters are used.
  let weakDerivations: WeakDerivations

  /// The time of day, in seconds since 1970.
  let clock: @Sendable () -> Int64

  /// A vault with known parameters. `clock` returns the time of day, in seconds since 1970.
  package convenience init(
    storage: any Storage, parameters: VaultParameters,
    clock: @escaping @Sendable () -> Int64 = { timeOfDay().seconds }
  ) {
    self.init(storage: storage, parameters: parameters, weakDerivations: .all, clock: clock)
  }

  init(
    storage: any Storage, parameters: VaultParameters, weakDerivations: WeakDerivations,
    clock: @escaping @Sendable () -> Int64 = { timeOfDay().seconds }
  ) {
    self.storage = storage
    self.parameters = parameters
    self.weakDerivations = weakDerivations
    self.clock = clock
  }

  /// Whether the vault cannot be written.
  package var isReadOnly: Bool { storage.isReadOnly }

  /// Creates an empty space, which no password opens yet. Nothing is stored before its first write.
  ///
  /// - Parameter ownFiles: the number of its files, cover included; 0 if it owns no cover.
  /// - Throws: `.vaultInUse`; `.system`.
  package func createSpace(
    suite: CipherSuite, ownFiles: Int64 = 0, copyWindow: Int64 = Space.defaultCopyWindow
  ) throws(VaultError) -> (space: Space, body: SlotBody) {
    let body = SlotBody(spaceKey: SecretBytes.random(count: CipherSuite.keySize), suite: suite)
    let context = context(of: body, copyWindow: copyWindow)
    var state = RecoveredState()
    state.owner = OwnerTable(ownFiles: UInt64(ownFiles))
    let leases = try leasesToCreate(context.keys)
    return (Space(context, body: body, state: state, leases: leases, readOnlyReason: nil), body)
  }

  /// Opens the space of `body` at its newest state. If the space is opened for writing, first repairs files that a
  /// crash left incomplete.
  ///
  /// - Parameters:
  ///   - readOnly: opens it read-only; other read-only users may have it open at the same time.
  ///   - observing: opens it read-only, even while another process writes it.
  ///   - wipingPrevious: overwrites all segments under a key that was replaced when they are deleted, not only heads.
  /// - scanning: reads the headers of all files to find the newest head, like a check, even if heads are lost; and
  ///   changes nothing before `OwnCover.prepareFiles`, for a repair that is only planned.
  ///   - acceptOlder: allows writing to a state that is older than the newest that was written.
  /// - Throws: `.spaceInUse` when another process has it open and does not release it soon; `.vaultInUse`; `.damaged`
  ///   when the space cannot be found.
  package func openSpace(
    _ body: SlotBody, readOnly: Bool = false, observing: Bool = false, acceptOlder: Bool = false,
    scanning: Bool = false, copyWindow: Int64 = Space.defaultCopyWindow, wipingPrevious: Bool = false
  ) throws(VaultError) -> Space {
    var reason: String?
    if readOnly || observing { reason = "it was opened for reading only" }
    if !body.isWritable { reason = "it was written by a newer agonyfs" }
    if isReadOnly { reason = "the vault is read-only" }
    let leases = try leases(on: SpaceKeys(body), for: observing ? .observing : reason == nil ? .writing : .reading)
    // A repair that is only planned changes nothing.
    if reason == nil, !scanning { removeInterruptedRefresh(leases.vault) }
    let (current, state) = try recover(body, scanning: scanning)
    let readOnlyReason = reason ?? (acceptOlder ? nil : state.origin.warning)
    var context = context(of: current, copyWindow: copyWindow)
    context.wipesPrevious = wipingPrevious
    let space = Space(context, body: current, state: state, leases: leases, readOnlyReason: readOnlyReason)
    if !scanning {
      try space.cover.prepareFiles()
      space.leaveTornEndBehind()
    }
    return space
  }

  func context(of body: SlotBody, copyWindow: Int64 = Space.defaultCopyWindow) -> LogContext {
    LogContext(
      storage: storage, keys: SpaceKeys(body), segmentSize: parameters.segmentSize, copyWindow: copyWindow,
      clock: clock)
  }

  /// Deletes every file of a space, durably. Heads are overwritten first, or all files if `wipingAll` is set. Files of
  /// a space that owns cover stay, as cover that no space owns, because the number of files must not show that the
  /// space is gone. No other process may have the space open.
  package func deleteSegments(of space: Space, wipingAll: Bool = false) throws(VaultError) {
    let segments = space.segmentFiles()
    try attempt("deleting the space's files") { () throws(Errno) in
      for segment in segments where wipingAll || segment.number.index == 0 { try storage.wipe(segment.identifier) }
      if space.ownsCover { return }
      for segment in segments { try storage.delete(segment.identifier) }
      try storage.flushNames(of: segments.map(\.identifier))
    }
  }
}
