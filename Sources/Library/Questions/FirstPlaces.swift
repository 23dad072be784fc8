// Keeps the first of many places, in bounded memory.
//
// Invariants
// 1. At most `kept` places are in memory.
// 2. A full array is a heap: no element is less than its children, at twice its index plus 1 and plus 2. So the first
//    element is the one to drop.

internal import Catalog

struct FirstPlaces<Place: Comparable> {
  private let kept: Int
  private var places: [Place] = []
  /// Whether there are places after those kept.
  private(set) var hasMore = false

  init(_ kept: Int) { self.kept = kept }

  var isEmpty: Bool { places.isEmpty }

  mutating func add(_ place: Place) {
    if places.count < kept {
      // Growing would copy the array and briefly hold it twice. Reserved memory that is not touched costs nothing.
      if places.isEmpty { places.reserveCapacity(kept) }
      places.append(place)
      guard places.count == kept else { return }
      for index in (0..<kept / 2).reversed() { sink(index, below: kept) }
      return
    }
    hasMore = true
    guard place < places[0] else { return }
    places[0] = place
    sink(0, below: kept)
  }

  /// Call this when all places were added; then `popFirst` returns them in order.
  mutating func finish() {
    if places.count == kept {
      // A heap sort, because sorting a copy would need as much memory again.
      for end in places.indices.dropFirst().reversed() {
        places.swapAt(0, end)
        sink(0, below: end)
      }
    } else {
      places.sort()
    }
    // `popFirst` takes from the end.
    places.reverse()
  }

  mutating func popFirst() -> Place? { places.popLast() }

  private mutating func sink(_ start: Int, below end: Int) {
    var index = start
    while true {
      var last = 2 * index + 1
      guard last < end else { return }
      if last + 1 < end, places[last] < places[last + 1] { last += 1 }
      guard places[index] < places[last] else { return }
      places.swapAt(index, last)
      index = last
    }
  }
}

/// A number and an inode in 16 bytes; the least one comes first.
struct NumberPlace: Comparable {
  private var key: Int64
  private var inode: UInt64

  /// The key of a place without a number. It is the greatest, so these places are last.
  private static let none = Int64.max

  /// The place of an answer; nil if its position is a time or a path.
  init?(_ position: SortPosition, isDescending: Bool) {
    switch position.value {
    case .number(let number, 0): key = min(isDescending ? ~number : number, Self.none - 1)
    case nil: key = Self.none
    default: return nil
    }
    inode = isDescending ? ~position.inode : position.inode
  }

  func position(isDescending: Bool) -> SortPosition {
    let value: SortValue? = key == Self.none ? nil : .number(isDescending ? ~key : key, 0)
    return SortPosition(value: value, inode: isDescending ? ~inode : inode)
  }

  static func < (one: NumberPlace, other: NumberPlace) -> Bool {
    one.key == other.key ? one.inode < other.inode : one.key < other.key
  }
}

struct PathPlace: Comparable {
  let position: SortPosition
  private let order: SortOrder

  init(_ position: SortPosition, in order: SortOrder) { (self.position, self.order) = (position, order) }

  static func < (one: PathPlace, other: PathPlace) -> Bool { one.position.precedes(other.position, in: one.order) }
}
