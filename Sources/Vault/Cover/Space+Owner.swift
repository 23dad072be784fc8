internal import SystemPackage

/// The owner table of a space.
extension Space {
  /// The table in the next head; nil if the space was created before there were owner tables.
  package var owner: OwnerTable? { log.locked { $0.pool.table } }

  /// Whether the number of the space's files must not change.
  package var ownsCover: Bool { log.locked { $0.pool.ownsCover } }

  /// The number of its cover files under the previous key, during re-keying.
  package var coverUnderPreviousKey: Int { (owner?.previousCover ?? []).reduce(0) { $0 + Int($1.count) } }

  /// Changes the table and writes a head that states it. Durable on return. If it throws, nothing is changed.
  ///
  /// - Throws: `.readOnly` also if the space has no such table; `.noSpace`; `.system`.
  package func changeOwner(_ change: (inout OwnerTable) -> Void) throws(VaultError) {
    try log.locked { log throws(VaultError) in
      while log.tail.isBeginningEpoch || log.tail.isCommitting { log.wait() }
      guard let old = log.pool.table else {
        throw .readOnly("it was made by an older agonyfs, which did not support this")
      }
      var new = old
      change(&new)
      if new == old { return }
      try log.beginEpoch(stating: new)
    }
  }
}

extension LockedLog {
  /// Begins an epoch whose head states a table. If that fails, restores the previous table, without the cover that was
  /// used since.
  mutating func beginEpoch(stating table: OwnerTable) throws(VaultError) {
    var old = pool.table
    pool.table = table
    do throws(VaultError) {
      try beginEpoch()
    } catch {
      old?.noteUse(as: pool.table)
      pool.table = old
      throw error
    }
  }
}
