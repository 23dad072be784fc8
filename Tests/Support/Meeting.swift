/// Threads that wait for each other.
package final class Meeting: Sendable {
  private let count: Int
  private let arrivals = Counter()

  /// A meeting of so many threads.
  package init(of count: Int) { self.count = count }

  /// Waits until so many threads have come. Whoever comes later does not wait.
  ///
  /// - Throws: `DeadlinePassed` if they do not come.
  package func attend() throws {
    _ = arrivals.next()
    try waitUntil("\(count) threads have met") { arrivals.value >= count }
  }
}
