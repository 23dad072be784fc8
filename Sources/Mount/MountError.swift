internal import SystemPackage

/// Why a space could not be mounted or unmounted. The description is one sentence that says what to do.
package enum MountError: Error, Equatable, CustomStringConvertible {
  /// The path does not exist.
  case missing(path: String)
  /// The path is not a directory.
  case notDirectory(path: String)
  /// The directory holds files.
  case notEmpty(path: String)
  /// A FUSE file system is already mounted there.
  case mountedAlready(path: String)
  /// A FUSE file system whose process has ended is mounted there.
  case deadMount(path: String)
  /// A dead FUSE mount of another user is there.
  case deadMountOfOther(path: String, user: UInt32)
  /// Another user's FUSE file system is mounted there, and only that user may look at it.
  case mountOfOther(path: String, user: UInt32)
  /// The user may not mount there.
  case notPermitted(path: String)
  /// The kernel has no FUSE, or the container hides it.
  case deviceMissing
  /// The user may not open /dev/fuse.
  case deviceNotAccessible(mode: String)
  /// The helper for users other than root is not installed.
  case helperMissing
  /// `fuse.conf` does not allow users the option `allow_other` or `allow_root`.
  case othersNotAllowed(option: String)
  /// The path is longer than the kernel accepts.
  case tooLong
  /// The path cannot be used, for another reason.
  case unusable(path: String, reason: String)
  /// The mount point is a directory of the vault, or inside one.
  case insideVault(path: String)
  /// The vault is below the mount point, where the mount would hide it.
  case holdsVault(path: String)
  /// The path leads to another directory than the one that was checked.
  case moved(path: String)
  /// The kernel or the helper refused for another reason.
  case mountFailed(path: String, reason: String)
  /// No agonyfs mount is at the path.
  case notMounted(path: String)
  /// Files are open in the mount, or a process has its working directory there.
  case busy(path: String)
  /// The mount is a copy of one in another mount namespace.
  case mountedElsewhere(path: String)
  /// The mount could not be removed for another reason.
  case unmountFailed(path: String, reason: String)
  /// The mount does not free the room of deleted files.
  case givesNothingBack(path: String, reason: String)
  /// The connection to the kernel broke while serving.
  case sessionFailed(reason: String)

  package var description: String {
    switch self {
    case .missing(let path):
      "The mount point \(path) does not exist; create the directory first, with mkdir."
    case .notDirectory(let path):
      "The mount point \(path) is not a directory; choose an empty directory."
    case .notEmpty(let path):
      "The mount point \(path) is not empty; choose an empty directory, or add -o nonempty to hide what is in it."
    case .mountedAlready(let path):
      "A FUSE file system is already mounted at \(path); unmount it with agonyfs unmount, or choose another directory."
    case .deadMount(let path):
      "The mount at \(path) is dead, because its process has ended; run agonyfs unmount, then mount again."
    case .deadMountOfOther(let path, let user):
      "The mount of the user with the ID \(user) at \(path) is dead, because its process has ended;"
        + " let that user run agonyfs unmount, or choose another directory."
    case .mountOfOther(let path, let user):
      "The mount at \(path) belongs to the user with the ID \(user), and only that user can see whether it is dead;"
        + " let that user run agonyfs unmount, or choose another directory."
    case .notPermitted(let path):
      "You may not mount at \(path); choose a directory that you own and may write to."
    case .deviceMissing:
      "There is no /dev/fuse; load the kernel module with modprobe fuse, or give this container the device."
    case .deviceNotAccessible(let mode):
      "You may not open /dev/fuse: its mode is \(mode), not 0666;"
        + " ask an administrator to run chmod 0666 /dev/fuse, or mount as root."
    case .helperMissing:
      "fusermount3 is not installed; install the package fuse3, on Debian with apt install fuse3."
    case .othersNotAllowed(let option):
      "Only root may use the option \(option); leave it out, or ask an administrator to add user_allow_other to"
        + " /etc/fuse.conf."
    case .tooLong:
      "The path of the mount point is too long; choose a shorter one."
    case .unusable(let path, let reason):
      "The mount point \(path) cannot be used: \(reason); choose another directory."
    case .insideVault(let path):
      "The mount point \(path) is inside the vault; choose a directory outside it."
    case .holdsVault(let path):
      "The vault is inside the mount point \(path), which would hide it; choose another directory."
    case .moved(let path):
      "Another directory replaced the mount point \(path), so nothing was mounted; check which users can rename"
        + " directories in its path, then try again."
    case .mountFailed(let path, let reason):
      "Mounting at \(path) failed: \(reason)."
    case .notMounted(let path):
      "No agonyfs space is mounted at \(path); findmnt -t fuse.agonyfs lists the mounted ones."
    case .busy(let path):
      "The mount at \(path) is in use; close its files and leave its directories"
        + " (fuser -vm \(path) lists the programs), or unmount with --lazy, which waits until open files are closed,"
        + " or with --force, which cuts them off."
    case .mountedElsewhere(let path):
      "The mount at \(path) was made in another mount namespace, such as a container; unmount it there."
    case .unmountFailed(let path, let reason):
      "Unmounting \(path) failed: \(reason)."
    case .givesNothingBack(let path, let reason):
      "The space at \(path) is still mounted, because it cannot free the room of deleted files: \(reason)."
    case .sessionFailed(let reason):
      "The connection to the kernel broke: \(reason); unmount, then mount again."
    }
  }
}
