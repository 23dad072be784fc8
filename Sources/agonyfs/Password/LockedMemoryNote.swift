internal import Crypto

/// The sentence for machines that do not let keys be locked in memory.
enum LockedMemoryNote {
  // Keys that may be swapped are no reason to refuse: many containers allow 64 KiB, and people mount there.
  private static let isGiven: Void = { sentence.map(Output.note) ?? () }()

  /// The sentence; nil on a machine that lets enough be locked.
  static var sentence: String? {
    guard let limit = MemoryLocking.shortage() else { return nil }
    let needed = ByteSize(bytes: Int64(MemoryLocking.needed))
    return
      "Keys may get into the swap space, because only \(ByteSize(bytes: Int64(clamping: limit))) of memory may be locked "
      + "here, not \(needed); raise the limit with ulimit -l, LimitMEMLOCK= of a service or --ulimit memlock= of a "
      + "container, or switch swap off."
  }

  /// Says it, once in a process.
  static func give() { isGiven }
}
