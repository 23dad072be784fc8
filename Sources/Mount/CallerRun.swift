internal import Synchronization

/// Counts how many requests in a row came from one thread, to guess whether it is the only client. Concurrent notes may
/// miscount.
struct CallerRun: ~Copyable {
  private let last = Atomic<UInt32>(0)
  private let length = Atomic<UInt32>(0)

  /// After this many requests in a row, the thread counts as the only client.
  static let alone: UInt32 = 8

  /// Notes the client thread of a request. The kernel's own requests have 0 and do not count.
  @inline(__always)
  func note(_ thread: UInt32) {
    if thread == 0 { return }
    guard last.load(ordering: .relaxed) == thread else {
      last.store(thread, ordering: .relaxed)
      length.store(0, ordering: .relaxed)
      return
    }
    // At the limit there is no store: a store would evict the line from the caches of the other cores.
    let count = length.load(ordering: .relaxed)
    if count < Self.alone { length.store(count + 1, ordering: .relaxed) }
  }

  /// Whether the last client seems to be the only one.
  var isAlone: Bool { length.load(ordering: .relaxed) >= Self.alone }
}
