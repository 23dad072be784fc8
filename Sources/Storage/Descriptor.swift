internal import Glibc
internal import SystemPackage

/// Owns an open file descriptor and closes it.
final class Descriptor: Sendable {
  let number: CInt

  init(_ number: CInt) { self.number = number }

  deinit { _ = Glibc.close(number) }

  /// openat(2), close-on-exec.
  static func open(
    _ path: String, in directory: Descriptor?, _ flags: CInt, mode: mode_t = 0o600
  ) throws(Errno) -> Descriptor {
    let number = try systemCall { unsafe openat(directory?.number ?? AT_FDCWD, path, flags | O_CLOEXEC, mode) }
    return Descriptor(number)
  }
}

/// The error of the last system call.
func currentErrno() -> Errno { Errno(rawValue: Glibc.errno) }

/// Repeats `body` while a signal interrupts it; throws `errno` if it returns −1.
@discardableResult
func systemCall<I: FixedWidthInteger & SignedInteger>(_ body: () -> I) throws(Errno) -> I {
  while true {
    let result = body()
    if result != -1 { return result }
    let error = currentErrno()
    if error != .interrupted { throw error }
  }
}
