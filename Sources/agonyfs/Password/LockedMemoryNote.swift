internal import Crypto

/// The warning for machines that cannot lock all keys in memory.
enum LockedMemoryNote {
  // Swappable keys are no reason to refuse: many containers allow 64 KiB of locked memory, and users mount there.
  private static let isGiven: Void = { sentence.map(Output.note) ?? () }()

  /// The warning; nil if all keys are locked.
  static var sentence: String? {
    guard OpenSSL.isInLockedMemory else {
      return
        "Keys may get into the swap space, because another library of this program used OpenSSL before agonyfs could give "
        + "it locked memory; switch swap off."
    }
    guard let limit = MemoryLocking.shortage() else { return nil }
    let needed = ByteSize(bytes: Int64(MemoryLocking.needed))
    return
      "Keys may get into the swap space, because only \(ByteSize(bytes: Int64(clamping: limit))) of memory may be locked "
      + "here, not \(needed); raise the limit with ulimit -l, LimitMEMLOCK= of a service or --ulimit memlock= of a "
      + "container, or switch swap off."
  }

  /// Prints the warning, once in a process.
  static func give() { isGiven }
}
