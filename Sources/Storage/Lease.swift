package import SystemPackage

/// What a lease is on. It names no file of a space, so that whoever lists the locks of a machine sees none.
package enum LeaseToken: Hashable, Sendable {
  /// The whole vault. Everybody who has a space of it open shares it. Who holds it exclusively is alone in the vault.
  case vault
  /// One space, by a number that only those know who can open it: exclusive to write it, shared to read it.
  case space(UInt32)
}

/// Proof that nobody else does what the lease excludes; ends with the object.
package protocol Lease: AnyObject, Sendable {
  /// Tells processes that want the lease to wait for it: it will end soon.
  func announceEnd()

  /// Makes a shared lease exclusive, or an exclusive one shared, without waiting.
  ///
  /// - Throws: `.wouldBlock` when somebody else holds it as well, and the errors of taking it exclusively. It then stays
  ///   as it was.
  func change(exclusive: Bool) throws(Errno)
}
