internal import Crypto
internal import System

/// Protects a process that handles passwords.
public enum ProcessProtection {
  /// Prevents core dumps, tracing and access to its memory by other processes of the user, and makes new files readable
  /// only for the user. Failures are ignored: each is one line of defence less. OpenSSL keeps its data in locked memory
  /// as far as possible, and overwrites it when it is freed.
  ///
  /// - Returns: The process that traces this one anyway, because it began before; nil if none does, or only root's.
  @discardableResult
  public static func apply() -> Int32? {
    ProcessHardening.apply()
    OpenSSL.initialize()
    return ProcessHardening.tracer()
  }
}
