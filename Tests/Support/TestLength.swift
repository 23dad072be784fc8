// How long the long tests are. Usually they do what fits a run of all tests; with AGONYFS_TEST_HOURS=1 in the
// environment each of them goes on with new seeds for an hour.

internal import Glibc

package enum TestLength {
  private static let hours: Double? = unsafe getenv("AGONYFS_TEST_HOURS").flatMap { unsafe Double(String(cString: $0)) }

  /// Whether longer tests are asked for.
  package static var isLong: Bool { hours != nil }

  /// Seeds from 1 on: `count` of them, or as many as there is time for. A test that takes long says once a minute how far
  /// it is.
  package static func seeds(_ count: Int, of test: String = #function) -> AnyIterator<UInt64> {
    let start = time(nil)
    var said = start
    var seed: UInt64 = 0
    return AnyIterator {
      if let hours {
        let now = time(nil)
        guard Double(now - start) < hours * 3600 else { return nil }
        if now - said >= 60 {
          said = now
          print("goes on: \(test): \(seed) seeds after \(now - start) s")
          fflush(nil)
        }
      } else {
        guard seed < count else { return nil }
      }
      seed += 1
      return seed
    }
  }
}

/// Counts cases, and says at the end how many there were.
package struct CaseCount: ~Copyable {
  private let name: String
  /// Cases so far.
  package private(set) var count = 0

  /// Counts what `name` says.
  package init(_ name: String) { self.name = name }

  deinit { print("checked: \(count) \(name)") }

  /// One more, or several.
  package mutating func add(_ more: Int = 1) { count += more }
}
