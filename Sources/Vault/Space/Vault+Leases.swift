// Who may do what in a vault at the same time.
//
// Invariants
// 1. Everybody who has a space open shares the lease on the vault. Who has it exclusively is alone: no file is being
//    written, and none is looked for.
// 2. Who writes a space has its lease exclusively, who reads it shares it. So two programs never write one space, and
//    two spaces of one vault are independent.

package import Storage
internal import SystemPackage

/// What a space is opened for.
enum SpaceAccess {
  /// To write it: nobody else has it open.
  case writing
  /// To read it: nobody writes it.
  case reading
  /// To look at it, whoever writes it.
  case observing
}

extension Vault {
  /// Takes the lease on the whole vault: shared to work in it, exclusive to be alone in it. Waits for a process that
  /// ends soon.
  ///
  /// - Throws: `.vaultInUse`; `.system`.
  package func lease(exclusive: Bool) throws(VaultError) -> any Lease {
    // A mount takes it for itself alone for moments only.
    try lease(.vault, exclusive: exclusive, refusal: .vaultInUse, isPatient: !exclusive)
  }

  /// The lease of one who adds a space; nil while the vault itself is being created, where nobody else can be.
  ///
  /// - Throws: `.vaultInUse`; `.system`.
  package func leaseToAddSpace() throws(VaultError) -> (any Lease)? {
    do throws(VaultError) {
      return try lease(exclusive: false)
    } catch .system(.noSuchFileOrDirectory, _) {
      return nil
    }
  }

  /// The leases for one who opens a space.
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

  /// Removes what a killed refresh left, if nobody else is in the vault. Waits for nobody.
  func removeInterruptedRefresh(_ lease: (any Lease)?) {
    guard storage.hasInterruptedRefresh, let lease, (try? lease.change(exclusive: true)) != nil else { return }
    storage.removeInterruptedRefresh()
    try? lease.change(exclusive: false)
  }

  /// The leases for a new space: none while the vault itself is being created, where nobody else can be.
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
