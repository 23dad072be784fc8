internal import System

/// A limit of bytes per second on average, for all threads together.
package final class BandwidthLimit: Sendable {
  private let bytesPerSecond: Int64
  private let lock = Lock()
  private let stopped: Condition
  private let state: State

  /// Guarded by the lock.
  private final class State: @unchecked Sendable {
    /// When the bytes that were taken so far have passed, in nanoseconds of the monotonic clock.
    var free: UInt64 = 0
    var isStopped = false
  }

  /// A limit of at least one byte per second.
  package init(bytesPerSecond: Int64) {
    self.bytesPerSecond = max(1, bytesPerSecond)
    stopped = Condition(of: lock)
    state = State()
  }

  /// Waits until this many bytes may pass.
  package func take(_ count: Int) {
    lock.lock()
    defer { lock.unlock() }
    let now = preciseMonotonicTime()
    let start = max(now, state.free)
    state.free = start + UInt64(Double(count) / Double(bytesPerSecond) * 1e9)
    while !state.isStopped, preciseMonotonicTime() < start { stopped.wait(until: start) }
  }

  /// Ends all waits; nothing waits any more.
  package func stop() {
    lock.withLock { state.isStopped = true }
    stopped.broadcast()
  }
}
