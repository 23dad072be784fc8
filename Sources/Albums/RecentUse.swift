internal import Synchronization

/// When something was used in the last quarter of a second. Safe from any thread, and cheap even with a use every
/// microsecond: it writes memory only once in a tick.
package final class RecentUse: Sendable {
  /// Nanoseconds of a tick, which must not be shorter than a tick of the clock.
  package static let tick: UInt64 = 16_000_000
  /// How many ticks are remembered.
  private static let ticks: UInt64 = 16
  /// How many of them have a use when use is continuous.
  private static let busyTicks = 4

  /// The tick of the last use, and below it a bit for each of the last ticks. The lowest bit is that tick's.
  private let word = Atomic<UInt64>(0)

  /// Something that was never used.
  package init() {}

  /// Notes a use.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  @inline(__always)
  package func note(at now: UInt64) {
    let tick = now / Self.tick
    let old = word.load(ordering: .relaxed)
    if old >> Self.ticks != tick { noteTick(tick, after: old) }
  }

  private func noteTick(_ tick: UInt64, after old: UInt64) {
    let last = old >> Self.ticks
    // Another thread may read the clock earlier but write later.
    if tick < last { return }
    // If another thread writes at the same time, its write records the use.
    _ = word.compareExchange(
      expected: old, desired: tick << Self.ticks | Self.bits(of: old, after: tick - last) | 1, ordering: .relaxed)
  }

  /// Whether it is used continuously, as by a program at work, and not only now and then, as by a program that looks
  /// four times a second while it waits.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  package func isBusy(at now: UInt64) -> Bool {
    let last = word.load(ordering: .relaxed)
    let tick = max(now / Self.tick, last >> Self.ticks)
    return Self.bits(of: last, after: tick - last >> Self.ticks).nonzeroBitCount >= Self.busyTicks
  }

  /// The ticks with use, shifted by `count` ticks.
  private static func bits(of word: UInt64, after count: UInt64) -> UInt64 {
    count < ticks ? word << count & (1 << ticks - 1) : 0
  }
}
