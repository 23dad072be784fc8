/// Sizes and times of the protocol.
enum SessionLimits {
  /// Largest write in one request, in bytes. libfuse 3.14 receives into 256 pages; more breaks the mount.
  static let maximumWrite = 1 << 20
  /// Largest read in one request, in bytes. Read-ahead then comes as several requests: several threads serve them, the
  /// reader continues after the first, and decrypted data is still in the processor's cache when it is copied into the
  /// reply.
  static let maximumRead = 512 << 10
  /// How long the kernel may cache names, attributes and missing names, in seconds. All changes pass through the
  /// kernel, so only its memory limits this.
  static let cacheSeconds = 3600.0
  /// Most requests in flight that no thread waits for (read-ahead, asynchronous direct reads).
  static let background: UInt32 = 64
  /// From this many requests on the kernel throttles.
  static let congestion: UInt32 = 48
  /// How far the kernel reads ahead, in KiB, if this process may set it: several requests, so a whole photo is
  /// requested at once. From 2048 on it would also read 256 KiB when a program wants the first 64 of a file.
  static let readAheadKibibytes = 1536
  /// The preferred size of reads and writes, in bytes.
  static let preferredBlock = 128 << 10

  /// How long the kernel may cache virtual directories, in seconds.
  static let virtualCacheSeconds = 1.0

  /// Threads that serve requests. They also wait for disks, ten of them may wait for thumbnails, and some answer
  /// queries, so a small machine gets more threads than cores. Each has a receive buffer of 1 MiB, so their number is
  /// limited.
  static func threadCount(cores: Int) -> Int {
    max(18, min(2 * cores, 20))
  }

  /// Most threads that answer queries at once (QuestionReads.swift): as many as get an index to read
  /// (QuestionReaders.swift in Library).
  static let questions = 4

  /// Most threads that wait for requests at once (LeaderFollowers.swift).
  static func leaders(cores: Int) -> Int {
    max(3, cores + 1)
  }

  /// Whether every thread gets a separate channel to the kernel. Below four cores the shared one is as fast.
  static func clonesChannel(cores: Int) -> Bool {
    cores >= 4
  }
}
