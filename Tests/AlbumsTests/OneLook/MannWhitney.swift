import Glibc

/// Whether numbers of one group tend to be larger than those of another.
enum MannWhitney {
  /// How well a feature tells two groups apart: the probability that one of the second is larger, ties by half.
  static func areaUnderCurve(_ some: [Double], _ others: [Double]) -> Double {
    var sum = 0.0
    for a in some { for b in others { sum += a < b ? 1 : a == b ? 0.5 : 0 } }
    return sum / Double(some.count * others.count)
  }

  /// How far from 0.5 that is at most, for two groups of `size` in which a feature has the same distribution, in all but
  /// `chance` of the cases, to both sides.
  static func bound(size: Int, chance: Double) -> Double {
    if size > 40 {
      // The tail of the normal distribution, by bisection.
      var (low, high) = (0.0, 40.0)
      for _ in 0..<60 {
        let middle = (low + high) / 2
        if erfc(middle / 2.0.squareRoot()) > chance { low = middle } else { high = middle }
      }
      let size = Double(size)
      return high * ((2 * size + 1) / (12 * size * size)).squareRoot()
    }
    // In how many of all orders so many pairs are in order: the coefficients of the Gaussian binomial.
    var ways = [Double](repeating: 0, count: size * size + 1)
    ways[0] = 1
    for factor in 1...size {
      let top = size + factor
      for power in stride(from: size * size, through: top, by: -1) { ways[power] -= ways[power - top] }
      for power in stride(from: factor, through: size * size, by: 1) { ways[power] += ways[power - factor] }
    }
    let all = ways.reduce(0, +)
    var pairs = 0
    var tail = ways[0]
    while 2 * tail / all <= chance {
      pairs += 1
      tail += ways[pairs]
    }
    // One pair less is as rare as `chance`.
    return 0.5 - Double(pairs - 1) / Double(size * size) - 1e-9
  }
}
