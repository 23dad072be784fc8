// Sorts answers by another key than time: the first ones are kept while all photos are looked at, then in another
// pass the next ones, and so on.

internal import Catalog

struct CatalogSorting {
  private let order: SortOrder
  private let limit: Int?
  private let room: SortingRoom
  private var share: SortingRoom.Share?
  private var after: SortPosition?
  // Only one of the two is used: numbers, or paths.
  private var numbers: FirstPlaces<NumberPlace>
  private var paths: FirstPlaces<PathPlace>
  /// Whether all photos were looked at.
  private(set) var isReady = false

  /// Positions in one part of the sorting room, and without a part: numbers take 0.3 MB, paths depend on their
  /// length.
  private static let mostNumbers = 19_000
  private static let mostPaths = 2500

  init(_ order: SortOrder, after position: SortPosition?, limit: Int?, in room: SortingRoom) {
    self.order = order
    self.limit = limit
    self.room = room
    numbers = FirstPlaces(0)
    paths = FirstPlaces(0)
    begin(after: position)
  }

  var isEmpty: Bool { numbers.isEmpty && paths.isEmpty }

  /// Whether there are answers after those kept.
  var hasMore: Bool { numbers.hasMore || paths.hasMore }

  mutating func begin(after position: SortPosition?) {
    after = position
    share = nil
    let most = order.key == .name ? Self.mostPaths : Self.mostNumbers
    let wanted = limit ?? .max - 1
    let share = room.share(wanted < most ? 0 : wanted / most + 1)
    // One more than the limit shows whether there is a next page.
    func kept(_ most: Int) -> Int { min(wanted, most * max(1, share.parts) - 1) + 1 }
    numbers = FirstPlaces(kept(Self.mostNumbers))
    paths = FirstPlaces(kept(Self.mostPaths))
    self.share = share
    isReady = false
  }

  mutating func add(_ position: SortPosition) {
    if let after, !after.precedes(position, in: order) { return }
    if order.key != .name, let place = NumberPlace(position, isDescending: order.isDescending) {
      numbers.add(place)
    } else {
      paths.add(PathPlace(position, in: order))
    }
  }

  /// Call this when all answers were added.
  mutating func finish() {
    numbers.finish()
    paths.finish()
    isReady = true
  }

  mutating func popFirst() -> SortPosition? {
    numbers.popFirst()?.position(isDescending: order.isDescending) ?? paths.popFirst()?.position
  }
}
