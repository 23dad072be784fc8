// Answers in another order than that of time: the first ones are kept while all are looked at, then the first ones
// after these, and so on.
//
// Invariants
// 1. At most twice `kept` places are held.

internal import Catalog

/// The next answers in an order.
struct CatalogSorting {
  private let order: SortOrder
  private let kept: Int
  private var after: SortPosition?
  private var found: [SortPosition] = []
  /// What is not before this is not among the next.
  private var bound: SortPosition?
  /// Whether all were looked at.
  private(set) var isReady = false
  /// Whether there are answers after those that are kept.
  private(set) var hasMore = false

  /// Most places that are kept, of paths and of numbers.
  private static let mostPaths = 20_000
  private static let mostNumbers = 50_000

  init(_ order: SortOrder, after position: SortPosition?, limit: Int?) {
    self.order = order
    after = position
    // One more than the limit tells whether there is a next page.
    let most = order.key == .name ? Self.mostPaths : Self.mostNumbers
    kept = min(limit ?? most, most - 1) + 1
  }

  var isEmpty: Bool { found.isEmpty }

  /// Begins anew.
  mutating func begin(after position: SortPosition?) {
    after = position
    found.removeAll(keepingCapacity: true)
    bound = nil
    isReady = false
    hasMore = false
  }

  /// Takes the place of an answer.
  mutating func add(_ position: SortPosition) {
    if let after, !after.precedes(position, in: order) { return }
    if let bound, !position.precedes(bound, in: order) {
      hasMore = true
      return
    }
    found.append(position)
    if found.count >= 2 * kept + 100 { cut() }
  }

  private mutating func cut() {
    found.sort { $0.precedes($1, in: order) }
    if found.count > kept {
      found.removeSubrange(kept...)
      hasMore = true
    }
    if found.count == kept { bound = found.last }
  }

  /// All answers were looked at.
  mutating func finish() {
    cut()
    // The first is taken from the end.
    found.reverse()
    isReady = true
  }

  mutating func popFirst() -> SortPosition? { found.popLast() }
}
