/// Sizes and times that are agreed with the kernel.
enum SessionLimits {
  /// Largest read or write in one request, in bytes. libfuse 3.14 receives into 256 pages; more breaks the mount.
  static let maximumRequest = 1 << 20
  /// How long the kernel may keep names, attributes and the absence of names, in seconds. All changes pass through
  /// the kernel, so only its memory limits this.
  static let cacheSeconds = 3600.0
  /// Requests that may be under way without a thread that waits for them (read-ahead, asynchronous direct reads).
  static let background: UInt32 = 64
  /// From how many of them on the kernel throttles.
  static let congestion: UInt32 = 48
  /// How far the kernel reads ahead, in KiB, where it lets us say so.
  static let readAheadKibibytes = 1024
  /// What programs are told is a good size for reads and writes, in bytes.
  static let preferredBlock = 128 << 10

  /// How long the kernel may keep what it knows of directories that are not stored, in seconds.
  static let virtualCacheSeconds = 1.0

  /// Threads that serve requests. They wait for disks too, and ten of them may wait for thumbnails, so a small machine
  /// gets more than it has cores; each holds a receive buffer of 1 MiB, so a large one does not get any number.
  static func threadCount(cores: Int) -> Int {
    max(16, min(2 * cores, 20))
  }

  /// Whether every thread gets its own channel to the kernel; below four cores the shared one is as fast.
  static func clonesChannel(cores: Int) -> Bool {
    cores >= 4
  }
}
