internal import Synchronization

/// When something was used in the last quarter of a second. Safe from any thread, and cheap where there is a use every
/// microsecond: memory is written once in a tick.
package final class RecentUse: Sendable {
  /// Nanoseconds of a tick: not less than those of the clock.
  package static let tick: UInt64 = 16_000_000
  /// How many ticks are remembered.
  private static let ticks: UInt64 = 16
  /// In how many of them there is use where it does not stop.
  private static let busyTicks = 4

  /// The tick of the last use, and below it a bit for each of the last ones: the lowest is that tick's.
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
    // Another thread may read the clock earlier, and write later.
    if tick < last { return }
    // Where another thread writes at the same time, that is a use as well.
    _ = word.compareExchange(
      expected: old, desired: tick << Self.ticks | Self.bits(of: old, after: tick - last) | 1, ordering: .relaxed)
  }

  /// Whether it is used again and again, as by a program at work, and not now and then, as by one that waits for something
  /// and looks four times a second.
  ///
  /// - Parameter now: nanoseconds of the monotonic clock.
  package func isBusy(at now: UInt64) -> Bool {
    let last = word.load(ordering: .relaxed)
    let tick = max(now / Self.tick, last >> Self.ticks)
    return Self.bits(of: last, after: tick - last >> Self.ticks).nonzeroBitCount >= Self.busyTicks
  }

  /// The ticks with use, so many later.
  private static func bits(of word: UInt64, after count: UInt64) -> UInt64 {
    count < ticks ? word << count & (1 << ticks - 1) : 0
  }
}
