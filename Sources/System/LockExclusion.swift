internal import CPlatform

/// Operations that the holder of a lock avoids, so that other threads wait for the lock only for moments. Only a debug
/// build checks it.
package enum LockExclusion: CInt, Sendable {
  /// Waiting for a disk.
  case diskAccess
  /// Waiting for a file, a process or another thread. Waits that the rule of the lock allows are not checked.
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

/// The rule of locks such as the log's: the holder does not wait for a disk.
package enum DiskAccess {
  /// In a debug build, traps if the calling thread holds a lock that excludes access to disks.
  package static func assertAllowed() { LockExclusion.diskAccess.assertAllowed() }
}

/// The rule of locks such as the file system's: the holder waits only for the things that the rule names.
package enum Waiting {
  /// In a debug build, traps if the calling thread holds a lock that excludes waiting. Operations that may take long
  /// call it.
  package static func assertAllowed() { LockExclusion.waiting.assertAllowed() }
}
