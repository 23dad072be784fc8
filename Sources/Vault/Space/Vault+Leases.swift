// Which processes may use a vault at the same time, and how.
//
// Invariants
// 1. Every process that has a space open shares the lease on the vault. A process that has it exclusively is alone: no
//    other process writes a file or looks for one.
// 2. A writer has the lease of its space exclusively, readers share it. So two programs never write one space, and two
//    spaces of one vault are independent.

package import Storage
internal import SystemPackage

/// The purpose for which a space is opened.
enum SpaceAccess {
  /// Writing: no other process has it open.
  case writing
  /// Reading: no process writes it.
  case reading
  /// Observing: other processes may write it.
  case observing
}

extension Vault {
  /// Takes the lease on the whole vault: shared to work in it, exclusive to be alone in it. Waits for a process that
  /// ends soon.
  ///
  /// - Throws: `.vaultInUse`; `.system`.
  package func lease(exclusive: Bool) throws(VaultError) -> any Lease {
    // A mount takes this lease exclusively only for moments.
    try lease(.vault, exclusive: exclusive, refusal: .vaultInUse, isPatient: !exclusive)
  }

  /// The lease for adding a space; nil while the vault itself is being created, when no other process can use it.
  ///
  /// - Throws: `.vaultInUse`; `.system`.
  package func leaseToAddSpace() throws(VaultError) -> (any Lease)? {
    do throws(VaultError) {
      return try lease(exclusive: false)
    } catch .system(.noSuchFileOrDirectory, _) {
      return nil
    }
  }

  /// The leases for opening a space.
  ///
  /// - Throws: `.spaceInUse`; `.vaultInUse`; `.system`.
  func leases(on keys: SpaceKeys, for access: SpaceAccess) throws(VaultError) -> Leases {
    var leases = Leases(vault: try lease(exclusive: false))
    if access == .observing { return leases }
    leases.space = try lease(keys.leaseToken, exclusive: access == .writing, refusal: .spaceInUse)
    if let previous = keys.previous {
      leases.previous = try lease(previous.leaseToken, exclusive: access == .writing, refusal: .spaceInUse)
    }
    return leases
  }

  /// Removes the remains of a killed refresh, if no other process uses the vault. Does not wait.
  func removeInterruptedRefresh(_ lease: (any Lease)?) {
    guard storage.hasInterruptedRefresh, let lease, (try? lease.change(exclusive: true)) != nil else { return }
    storage.removeInterruptedRefresh()
    try? lease.change(exclusive: false)
  }

  /// The leases for a new space: none while the vault itself is being created, when no other process can use it.
  ///
  /// - Throws: `.vaultInUse`; `.system`.
  func leasesToCreate(_ keys: SpaceKeys) throws(VaultError) -> Leases {
    do throws(VaultError) {
      return try leases(on: keys, for: .writing)
    } catch .system(.noSuchFileOrDirectory, _) {
      return Leases()
    }
  }

  /// Takes a lease; tries again while another process holds it and the policy allows it.
  private func lease(
    _ token: LeaseToken, exclusive: Bool, refusal: VaultError, isPatient: Bool = false
  ) throws(VaultError) -> any Lease {
    var policy = LockRetryPolicy()
    while true {
      do throws(Errno) {
        return try storage.lease(token, exclusive: exclusive)
      } catch .wouldBlock {
        let isEnding = isPatient || storage.leaseEndIsAnnounced(token)
        guard policy.waitForNextAttempt(holderIsEnding: isEnding) else { throw refusal }
      } catch {
        throw .system(error, "locking the space")
      }
    }
  }
}
