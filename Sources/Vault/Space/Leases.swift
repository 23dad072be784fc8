internal import Storage

/// What an open space holds of its vault's leases.
struct Leases {
  /// Keeps others out of the space: exclusive to write it, shared to read it; nil for one who only observes it.
  var space: (any Lease)?
  /// The same under the previous key, while a new one replaces it.
  var previous: (any Lease)?
  /// Shared with all who have a space of this vault open; nil while the vault is being created.
  var vault: (any Lease)?

  /// Tells processes that want a lease to wait: it ends soon.
  func announceEnd() {
    space?.announceEnd()
    previous?.announceEnd()
    vault?.announceEnd()
  }

  mutating func removeAll() { (space, previous, vault) = (nil, nil, nil) }
}
