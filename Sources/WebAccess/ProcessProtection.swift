internal import Crypto
internal import System

/// Protects a process that passwords go through.
public enum ProcessProtection {
  /// No core dumps, no tracing and no look into its memory by other processes of the user, and new files that only the
  /// user may read. What fails is one line of defence less. What OpenSSL keeps is in locked memory, as far as that goes, and
  /// overwritten when it is freed.
  ///
  /// - Returns: the process that traces this one all the same, as it began before; nil if none but root's does.
  @discardableResult
  public static func apply() -> Int32? {
    ProcessHardening.apply()
    OpenSSL.initialize()
    return ProcessHardening.tracer()
  }
}
