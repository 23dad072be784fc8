internal import CPlatform

/// The rule of locks that are held for moments: who holds one waits for no disk. Only a debug build checks it.
package enum DiskAccess {
  /// In a debug build, traps if the calling thread holds a lock that excludes access to disks.
  package static func assertAllowed() {
    #if DEBUG
      precondition(count(after: 0) == 0, "the calling thread holds a lock under which nobody waits for a disk")
    #endif
  }

  #if DEBUG
    /// The locks of that kind that the calling thread holds, after one more or one less.
    @discardableResult
    static func count(after change: Int32) -> Int32 { agonyfs_exclusions(change) }
  #endif
}
