package import SystemPackage

/// The object of a lease. It names no file of a space, so that a list of the machine's locks shows none.
package enum LeaseToken: Hashable, Sendable {
  /// The whole vault. Every process that has a space of it open shares the lease. A process that holds it exclusively
  /// is alone in the vault.
  case vault
  /// One space, by a number that only processes with its key know: exclusive for writing, shared for reading.
  case space(UInt32)
}

/// Proof that no other process does what the lease excludes. The lease ends with the object.
package protocol Lease: AnyObject, Sendable {
  /// Asks processes that want the lease to wait for it, because it will end soon.
  func announceEnd()

  /// Makes a shared lease exclusive, or an exclusive one shared, without waiting.
  ///
  /// - Throws: `.wouldBlock` when another process also holds it, and the errors of taking it exclusively. The lease
  ///   then stays as it was.
  func change(exclusive: Bool) throws(Errno)
}
