internal import Synchronization

/// Counts how many requests in a row came from one thread, to guess whether it is the only client. Threads that note
/// requests at the same time may miscount.
struct CallerRun: ~Copyable {
  private let last = Atomic<UInt32>(0)
  private let length = Atomic<UInt32>(0)

  /// After this many in a row the thread counts as the only client.
  static let alone: UInt32 = 8

  /// Notes the client of a request. The kernel itself is 0 and does not count.
  @inline(__always)
  func note(_ thread: UInt32) {
    if thread == 0 { return }
    guard last.load(ordering: .relaxed) == thread else {
      last.store(thread, ordering: .relaxed)
      length.store(0, ordering: .relaxed)
      return
    }
    // Without a change there is no store, because a store would evict the line from the caches of the other cores.
    let count = length.load(ordering: .relaxed)
    if count < Self.alone { length.store(count + 1, ordering: .relaxed) }
  }

  /// Whether the last client is the only one.
  var isAlone: Bool { length.load(ordering: .relaxed) >= Self.alone }
}
