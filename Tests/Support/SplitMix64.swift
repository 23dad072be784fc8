/// Random numbers that are the same in each run. Source: https://prng.di.unimi.it/splitmix64.c
package struct SplitMix64: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Begins in a state, as the source does.
  package init(state: UInt64) { self.state = state }

  /// Begins with a seed: sequences of seeds beside each other have nothing in common.
  package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  /// The next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
