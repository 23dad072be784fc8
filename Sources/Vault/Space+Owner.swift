internal import SystemPackage

/// What a space states beside its log.
extension Space {
  /// The table in the next head; nil if the space was made before there were such tables.
  package var owner: OwnerTable? { log.locked { $0.owner } }

  /// Changes the table and writes a head that states it. Durable on return. If it throws, nothing is changed.
  ///
  /// - Throws: `.readOnly` also if the space has no such table; `.noSpace`; `.system`.
  package func changeOwner(_ change: (inout OwnerTable) -> Void) throws(VaultError) {
    try log.locked { log throws(VaultError) in
      while log.tail.isBeginningEpoch || log.tail.isCommitting { log.wait() }
      guard let old = log.owner else {
        throw .readOnly("the space was made by an older agonyfs; change its password first")
      }
      var new = old
      change(&new)
      if new == old { return }
      log.owner = new
      do throws(VaultError) {
        try log.beginEpoch()
      } catch {
        log.owner = old
        throw error
      }
    }
  }
}
