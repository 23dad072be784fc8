internal import Glibc
package import Logging
package import Vault

/// The settings of a file system.
package struct FileSystemOptions: Sendable {
  /// Refuse every change with `EROFS`.
  package var isReadOnly = false
  /// Receives warnings. No name from inside the space is ever logged.
  package var logger: Logger
  /// Seconds from the first change to the timed commit.
  package var commitInterval: Double = 1
  /// Bytes of file data that may wait in memory, those in flight included.
  package var dirtyLimit = 16 << 20
  /// The most bytes in the log that are not durable. With more than that, the log is flushed.
  package var flushThreshold = 8 << 20
  /// Threads that write data as soon as there is enough of it. With 0, only commits write data. The default is half of
  /// the processors, because the programs that write and the threads that take their requests need some, too.
  package var writers = max(1, min(4, sysconf(CInt(_SC_NPROCESSORS_ONLN)) / 2))
  /// How many inodes are kept in memory that are not open.
  package var cachedInodes = 4096
  /// Whether sparse segments are copied forward and dead ones deleted in the background.
  package var cleans = true
  /// The share of the store that may be garbage before sparse segments are copied forward.
  package var garbageShare = 0.2
  /// Keeps a record of how far the space has come durably. Called soon after the first commit, then at most every half
  /// minute after further commits, and by `close()`. It has a separate thread, so it may block.
  package var keepCheckpoint: (@Sendable (CheckpointRecord) -> Void)?

  /// The usual settings.
  package init(logger: Logger) { self.logger = logger }
}
