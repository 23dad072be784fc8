internal import CPlatform

/// What the holder of a lock does not do, so that others wait for the lock for moments only. Only a debug build checks it.
package enum LockExclusion: CInt, Sendable {
  /// Waiting for a disk.
  case diskAccess
  /// Waiting for a file, a process or another thread. What the rule of the lock allows is not checked.
  case waiting

  /// In a debug build, traps if the calling thread holds a lock that excludes this.
  fileprivate func assertAllowed() {
    #if DEBUG
      precondition(count(after: 0) == 0, "the calling thread holds a lock that excludes \(self)")
    #endif
  }

  #if DEBUG
    /// The locks of that kind that the calling thread holds, after one more or one less.
    @discardableResult
    func count(after change: CInt) -> CInt { agonyfs_exclusions(rawValue, change) }
  #endif
}

/// The rule of locks such as the log's: who holds one waits for no disk.
package enum DiskAccess {
  /// In a debug build, traps if the calling thread holds a lock that excludes access to disks.
  package static func assertAllowed() { LockExclusion.diskAccess.assertAllowed() }
}

/// The rule of locks such as the file system's: who holds one waits for nothing but what the rule names.
package enum Waiting {
  /// In a debug build, traps if the calling thread holds a lock that excludes waiting. To be called by what may take long.
  package static func assertAllowed() { LockExclusion.waiting.assertAllowed() }
}
