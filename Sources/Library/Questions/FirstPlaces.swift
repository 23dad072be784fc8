// The first of many places, of which no more are held than are wanted.
//
// Invariants
// 1. At most `kept` places are held.
// 2. Once so many are held they are a heap: none is before those at twice its index plus 1 and 2. So what goes is the first.

internal import Catalog

struct FirstPlaces<Place: Comparable> {
  private let kept: Int
  private var places: [Place] = []
  /// Whether there are places after those that are held.
  private(set) var hasMore = false

  init(_ kept: Int) { self.kept = kept }

  var isEmpty: Bool { places.isEmpty }

  mutating func add(_ place: Place) {
    if places.count < kept {
      // Growing would hold all of them twice for a moment. Memory that is not touched is none.
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

  /// All were added: from here on `popFirst` gives them in order.
  mutating func finish() {
    if places.count == kept {
      // Without the memory that sorting a copy would need.
      for end in places.indices.dropFirst().reversed() {
        places.swapAt(0, end)
        sink(0, below: end)
      }
    } else {
      places.sort()
    }
    // The first is taken from the end.
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

/// A number and an inode, in 16 bytes, so that the first place is the least.
struct NumberPlace: Comparable {
  private var key: Int64
  private var inode: UInt64

  /// The greatest number stands for none: what has none is last.
  private static let none = Int64.max

  /// The place of an answer; nil if it is none of a number: a time, or a path.
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
