internal import CMount
internal import Glibc
internal import System
internal import SystemPackage

/// Removes a mount, with the system call or the helper.
enum MountRemoval: Equatable {
  /// The mount was removed.
  case done
  /// The mount is in use.
  case busy
  /// The mount is still there, for the given reason.
  case failed(String)

  /// Removes the mount at a path. After a lazy removal, programs that use it keep it.
  static func remove(_ path: FilePath, isLazy: Bool) -> MountRemoval {
    if geteuid() == 0 || agonyfs_may_mount() {
      let flags = UMOUNT_NOFOLLOW | (isLazy ? MNT_DETACH : 0)
      do throws(Errno) {
        try unsafe path.call { unsafe umount2($0, CInt(flags)) }
        return .done
      } catch .resourceBusy {
        return .busy
      } catch {
        if error != .notPermitted { return .failed(error.description) }
      }
    }
    guard let helper = MountHost().helper else { return .failed(MountError.helperMissing.description) }
    let words = ["fusermount3", "-u"] + (isLazy ? ["-z"] : []) + ["--"]
    guard
      let (ending, errors) = try? ChildProcess.run(
        helper, words: words.map { Array($0.utf8) } + [path.bytes], errorLimit: 4096)
    else {
      return .failed("fusermount3 could not be started")
    }
    if ending == .exited(0) { return .done }
    let reason = String(decoding: errors, as: UTF8.self).split(separator: "\n").joined(separator: "; ")
    return reason.contains(Errno.resourceBusy.description) ? .busy : .failed(reason)
  }
}
