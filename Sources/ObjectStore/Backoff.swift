/// The waits between attempts: each up to twice as long as the one before, with jitter from a seed, so that many clients
/// do not return at the same time.
package struct Backoff: Sendable {
  /// The longest first wait, and the longest of all.
  package static let first = Duration.milliseconds(200)
  package static let longest = Duration.seconds(20)

  private var generator: Jitter
  private var bound = Backoff.first

  /// Waits that are the same for the same seed.
  package init(seed: UInt64) { generator = Jitter(state: seed) }

  /// The next wait: between half of its bound and the bound.
  package mutating func next() -> Duration {
    let nanoseconds = Int64(bound.components.seconds) * 1_000_000_000 + bound.components.attoseconds / 1_000_000_000
    bound = min(bound * 2, Self.longest)
    return .nanoseconds(Int64.random(in: (nanoseconds / 2)...nanoseconds, using: &generator))
  }
}

/// SplitMix64. Source: https://prng.di.unimi.it/splitmix64.c
private struct Jitter: RandomNumberGenerator, Sendable {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
