internal import System

/// Memory for sealing and opening, so that neither waits for fresh pages.
enum SealingBuffers {
  /// Room for the longest run of records that is written at once: an extent of 1 MiB with tags, header and alignment.
  static let capacity = (1 << 20) + (64 << 10)
  /// Lends up to `capacity` bytes.
  static let pool = BufferPool([BufferPool.Size(bytes: capacity, idleLimit: 6)])
}
