/// Sizes and times that are agreed with the kernel.
enum SessionLimits {
  /// Largest write in one request, in bytes. libfuse 3.14 receives into 256 pages; more breaks the mount.
  static let maximumWrite = 1 << 20
  /// Largest read in one request, in bytes. What the kernel reads ahead then comes as several requests, which several threads serve, a
  /// reader goes on when the first is answered, and what was opened is still in the processor's cache when it is copied into the answer.
  static let maximumRead = 512 << 10
  /// How long the kernel may keep names, attributes and the absence of names, in seconds. All changes pass through
  /// the kernel, so only its memory limits this.
  static let cacheSeconds = 3600.0
  /// Requests that may be under way without a thread that waits for them (read-ahead, asynchronous direct reads).
  static let background: UInt32 = 64
  /// From how many of them on the kernel throttles.
  static let congestion: UInt32 = 48
  /// How far the kernel reads ahead, in KiB, where it lets us say so: several requests, so that a whole photo is asked for at once. From
  /// 2048 on it would also read 256 KiB where a program wants the first 64 of a file.
  static let readAheadKibibytes = 1536
  /// What programs are told is a good size for reads and writes, in bytes.
  static let preferredBlock = 128 << 10

  /// How long the kernel may keep what it knows of directories that are not stored, in seconds.
  static let virtualCacheSeconds = 1.0

  /// Threads that serve requests. They wait for disks too, and ten of them may wait for thumbnails, so a small machine
  /// gets more than it has cores; each holds a receive buffer of 1 MiB, so a large one does not get any number.
  static func threadCount(cores: Int) -> Int {
    max(16, min(2 * cores, 20))
  }

  /// Threads that wait for requests at once, at most (LeaderFollowers.swift).
  static func leaders(cores: Int) -> Int {
    max(3, cores + 1)
  }

  /// Whether every thread gets its own channel to the kernel; below four cores the shared one is as fast.
  static func clonesChannel(cores: Int) -> Bool {
    cores >= 4
  }
}
