internal import CMount
internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

/// Asks a mount which process serves it.
enum DaemonQuestion {
  /// Reads one of the attributes. Nil if the mount is dead, is not an agonyfs mount, or does not answer this user.
  static func ask(_ attribute: DaemonAttribute, of path: FilePath, _ entry: MountTableEntry) -> DaemonIdentity? {
    let answer = unsafe ask { value, size in
      unsafe path.withPlatformString { unsafe getxattr($0, attribute.rawValue, value, size) }
    }
    return answer ?? askAsOwner(attribute, path, entry)
  }

  /// Asks as the mount's user: without `allow_other` a mount answers only its user, not even root.
  private static func askAsOwner(
    _ attribute: DaemonAttribute, _ path: FilePath, _ entry: MountTableEntry
  ) -> DaemonIdentity? {
    guard geteuid() == 0, let user = entry.number(of: "user_id"), let group = entry.number(of: "group_id"), user != 0
    else { return nil }
    let answer = Mutex<DaemonIdentity?>(nil)
    // In a separate thread, because a thread that gave up root cannot become root again.
    let thread = try? Thread {
      let found = unsafe ask { value, size in
        unsafe path.withPlatformString {
          unsafe agonyfs_getxattr_as(user, group, $0, attribute.rawValue, value, size)
        }
      }
      answer.withLock { $0 = found }
    }
    thread?.join()
    return answer.withLock { $0 }
  }

  /// Reads the attribute with the given call.
  private static func ask(_ call: (UnsafeMutableRawPointer, Int) -> Int) -> DaemonIdentity? {
    var value = [UInt8](repeating: 0, count: 64)
    let count = unsafe value.withUnsafeMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return -1 }
      return unsafe call(base, bytes.count)
    }
    return count > 0 ? DaemonIdentity(text: Array(value[..<count])) : nil
  }
}
