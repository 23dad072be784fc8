internal import System

/// Reused memory for sealing and opening, which avoids page faults.
enum SealingBuffers {
  /// Bytes of the longest run that is written at once: an extent of 1 MiB with tags, header and alignment.
  static let capacity = (1 << 20) + (64 << 10)
  /// Lends up to `capacity` bytes.
  static let pool = BufferPool([BufferPool.Size(bytes: capacity, idleLimit: 6)])
}
