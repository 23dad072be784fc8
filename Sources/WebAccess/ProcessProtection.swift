internal import System

/// Protects a process that passwords go through.
public enum ProcessProtection {
  /// No core dumps, no tracing and no look into its memory by other processes of the user, and new files that only the
  /// user may read. What fails is one line of defence less.
  public static func apply() { ProcessHardening.apply() }
}
