internal import Glibc
package import Logging
package import Vault

/// How a file system is run.
package struct FileSystemOptions: Sendable {
  /// Refuse every change with `EROFS`.
  package var isReadOnly = false
  /// Where warnings go. No name from inside the space is ever logged.
  package var logger: Logger
  /// Seconds from the first change to the timed commit.
  package var commitInterval: Double = 1
  /// Bytes of file data that may wait in memory, those in flight included.
  package var dirtyLimit = 16 << 20
  /// With more bytes than this in the log that are not durable, it is flushed.
  package var flushThreshold = 8 << 20
  /// Threads that write data as soon as there is enough of it. With none only commits write it. Half of the processors,
  /// since the programs that write and the threads that take their requests need some as well.
  package var writers = max(1, min(4, sysconf(CInt(_SC_NPROCESSORS_ONLN)) / 2))
  /// How many inodes are kept in memory that nobody has open.
  package var cachedInodes = 4096
  /// Whether sparse segments are copied forward and dead ones deleted in the background.
  package var cleans = true
  /// The share of the store that may be garbage before sparse segments are copied forward.
  package var garbageShare = 0.2
  /// Keeps a record of how far the space has come durably. Called soon after the first commit, then at most every half
  /// minute after further commits, and by `close()`. A thread of its own calls it, so it may block.
  package var keepCheckpoint: (@Sendable (CheckpointRecord) -> Void)?

  /// The usual settings.
  package init(logger: Logger) { self.logger = logger }
}
