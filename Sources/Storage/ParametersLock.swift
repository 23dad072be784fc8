// Leases in a directory are locks on bytes of `agonyfs.json`, far beyond its content. These bytes need not exist.
//
// The vault has byte 2^40, a space 2^41 + 2 * its number. The byte after it is locked as well once the end is
// announced.
//
// They are open file description locks of fcntl(2): all threads of a process and its forks share them, the last close
// ends them, and a second open of the file in the same process counts as another holder. NFS has them, too. An
// exclusive lock needs a file that is open for writing.
//
// No lock is taken again while it is held: Ceph 16 would keep it after the close, until the client is unmounted.

internal import CPlatform
internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

/// A lease: a lock on a byte of the parameters' file.
final class ParametersLock: Lease {
  private let file: Descriptor
  private let directory: Descriptor
  private let place: off_t
  /// Whether the lock is held, and exclusively.
  private let isHeld = Atomic(false)
  private let isExclusive = Atomic(false)
  private let isAnnounced = Atomic(false)

  /// A lease that is not taken yet, on an open file of parameters in `directory`.
  init(_ token: LeaseToken, of file: Descriptor, in directory: Descriptor) {
    self.file = file
    self.directory = directory
    place = Self.place(of: token)
  }

  /// Takes the lock, or changes it.
  ///
  /// - Throws: `.wouldBlock`, and the errors of fcntl(2).
  func take(exclusive: Bool) throws(Errno) {
    if isHeld.load(ordering: .acquiring), isExclusive.load(ordering: .acquiring) == exclusive { return }
    do throws(Errno) {
      try systemCall { agonyfs_lock_byte(file.number, place, exclusive) }
    } catch .permissionDenied {
      // POSIX allows either error for a lock that another process has.
      throw .wouldBlock
    }
    isExclusive.store(exclusive, ordering: .releasing)
    isHeld.store(true, ordering: .releasing)
  }

  /// Whether the file's name still leads to the file. If not, other processes take their locks on another file.
  func isOfNamedFile() throws(Errno) -> Bool {
    let own = try file.status()
    let named = try ifThere { () throws(Errno) in try directory.status(of: StorageNames.parameters) }
    return own.st_ino == named?.st_ino && own.st_dev == named?.st_dev
  }

  func announceEnd() {
    if isAnnounced.exchange(true, ordering: .relaxed) { return }
    // On a file system without such locks the waiter gives up sooner.
    _ = agonyfs_lock_byte(file.number, place + 1, false)
  }

  func change(exclusive: Bool) throws(Errno) {
    try take(exclusive: exclusive)
    if exclusive, try !isOfNamedFile() {
      try take(exclusive: false)
      throw .wouldBlock
    }
  }

  /// Whether the holder of a lease has announced its end.
  static func endIsAnnounced(_ token: LeaseToken, in file: Descriptor) -> Bool {
    agonyfs_byte_is_locked(file.number, place(of: token) + 1)
  }

  private static func place(of token: LeaseToken) -> off_t {
    switch token {
    case .vault: 1 << 40
    case .space(let number): (1 << 41) + 2 * off_t(number)
    }
  }
}
