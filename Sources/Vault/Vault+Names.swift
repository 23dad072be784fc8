internal import Storage

extension Vault {
  /// Puts the names of all files in a random order, if names came and nobody else has the vault open. Whoever may have
  /// written in the vault calls it at the end, when all spaces are closed. Waits for nobody that wants the vault; who
  /// wants it waits.
  package func shuffleNames() {
    guard storage.hasNewNames, let lease = try? storage.lease(.vault, exclusive: true) else { return }
    lease.announceEnd()
    storage.shuffleNames()
    withExtendedLifetime(lease) {}
  }
}
