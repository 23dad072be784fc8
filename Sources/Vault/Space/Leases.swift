internal import Storage

/// The leases that an open space holds in its vault.
struct Leases {
  /// Keeps other processes out of the space: exclusive for writing, shared for reading; nil for an observer.
  var space: (any Lease)?
  /// The same lease under the previous key, while a new key replaces it.
  var previous: (any Lease)?
  /// Shared with every process that has a space of this vault open; nil while the vault is being created.
  var vault: (any Lease)?

  /// Tells processes that want a lease to wait: it ends soon.
  func announceEnd() {
    space?.announceEnd()
    previous?.announceEnd()
    vault?.announceEnd()
  }

  mutating func removeAll() { (space, previous, vault) = (nil, nil, nil) }
}
