// Answers in another order than that of time: the first ones are kept while all are looked at, then the first ones
// after these, and so on.

internal import Catalog

/// The next answers in an order.
struct CatalogSorting {
  private let order: SortOrder
  private var after: SortPosition?
  // One of them is used: by number, or by path.
  private var numbers: FirstPlaces<NumberPlace>
  private var paths: FirstPlaces<PathPlace>
  /// Whether all were looked at.
  private(set) var isReady = false

  /// Most places that are kept: 4.8 MB of numbers, and of paths what they take.
  private static let mostNumbers = 300_000
  private static let mostPaths = 40_000

  init(_ order: SortOrder, after position: SortPosition?, limit: Int?) {
    self.order = order
    after = position
    // One more than the limit tells whether there is a next page.
    func kept(_ most: Int) -> Int { min(limit ?? most, most - 1) + 1 }
    numbers = FirstPlaces(kept(Self.mostNumbers))
    paths = FirstPlaces(kept(Self.mostPaths))
  }

  var isEmpty: Bool { numbers.isEmpty && paths.isEmpty }

  /// Whether there are answers after those that are kept.
  var hasMore: Bool { numbers.hasMore || paths.hasMore }

  /// Begins anew.
  mutating func begin(after position: SortPosition?) {
    after = position
    numbers.removeAll()
    paths.removeAll()
    isReady = false
  }

  /// Takes the place of an answer.
  mutating func add(_ position: SortPosition) {
    if let after, !after.precedes(position, in: order) { return }
    if order.key != .name, let place = NumberPlace(position, isDescending: order.isDescending) {
      numbers.add(place)
    } else {
      paths.add(PathPlace(position, in: order))
    }
  }

  /// All answers were looked at.
  mutating func finish() {
    numbers.finish()
    paths.finish()
    isReady = true
  }

  mutating func popFirst() -> SortPosition? {
    numbers.popFirst()?.position(isDescending: order.isDescending) ?? paths.popFirst()?.position
  }
}
