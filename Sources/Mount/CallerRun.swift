internal import Synchronization

/// How many requests came from one thread in a row, to tell whether it is the only one that asks. A guess: threads that
/// note requests at the same time may miscount.
struct CallerRun: ~Copyable {
  private let last = Atomic<UInt32>(0)
  private let length = Atomic<UInt32>(0)

  /// After so many in a row it is taken to be the only one.
  static let alone: UInt32 = 8

  /// Notes who asked; 0 is the kernel by itself, which does not count.
  @inline(__always)
  func note(_ thread: UInt32) {
    if thread == 0 { return }
    guard last.load(ordering: .relaxed) == thread else {
      last.store(thread, ordering: .relaxed)
      length.store(0, ordering: .relaxed)
      return
    }
    // Not written where nothing changes: all threads that serve would wait for that memory.
    let count = length.load(ordering: .relaxed)
    if count < Self.alone { length.store(count + 1, ordering: .relaxed) }
  }

  /// Whether the one that asked last is the only one.
  var isAlone: Bool { length.load(ordering: .relaxed) >= Self.alone }
}
