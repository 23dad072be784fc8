public import Glibc
public import SystemPackage

/// Repeats `body` while a signal interrupts it. Throws `errno` when it returns −1.
@discardableResult
@inlinable package func systemCall<I: FixedWidthInteger & SignedInteger>(_ body: () -> I) throws(Errno) -> I {
  while true {
    let result = body()
    if result != -1 { return result }
    let error = Errno.current
    if error != .interrupted { throw error }
  }
}

/// The result of `body`; nil if it finds that the file does not exist.
package func ifThere<Found>(_ body: () throws(Errno) -> Found) throws(Errno) -> Found? {
  do throws(Errno) {
    return try body()
  } catch .noSuchFileOrDirectory {
    return nil
  }
}

extension Errno {
  /// The error of the last system call of this thread.
  @inlinable package static var current: Errno { Errno(rawValue: Glibc.errno) }
}
