import Catalog
import Testing

@testable import Library

/// Answers in another order than that of time.
@Suite struct FirstPlacesTests {
  /// Places with equal values among them, some without one.
  private func places(_ count: Int, _ value: (Int) -> SortValue?) -> [SortPosition] {
    (0..<count).map { SortPosition(value: value($0 &* 7919 % 101), inode: UInt64($0 &* 104_729 % 65_537)) }
  }

  /// All answers, as many at a time as `limit` says.
  private func answers(_ places: [SortPosition], _ order: SortOrder, limit: Int) -> [SortPosition] {
    var found: [SortPosition] = []
    var sorting = CatalogSorting(order, after: nil, limit: limit, in: SortingRoom())
    while true {
      for place in places { sorting.add(place) }
      sorting.finish()
      let before = found.count
      while let next = sorting.popFirst() { found.append(next) }
      #expect(found.count - before <= limit + 1)
      guard sorting.hasMore else { return found }
      sorting.begin(after: found.last)
      #expect(sorting.isEmpty && !sorting.isReady)
    }
  }

  @Test(arguments: [true, false], [1, 2, 3, 16, 99, 100, 1000])
  func theyComeInOrderHoweverManyAreHeld(isDescending: Bool, limit: Int) {
    for (key, value) in [
      (SortKey.size, { $0 < 5 ? nil : .number(Int64($0) * 1_000_000_007, 0) }),
      (.rating, { .number(Int64($0) % 7 - 1, 0) }),
      (.duration, { $0 < 3 ? .number(.max - 1, 0) : .number(Int64($0) - 50, 0) }),
      (.name, { .bytes([UInt8($0), 0x2F, UInt8($0 * 3 % 256)]) }),
    ] as [(SortKey, (Int) -> SortValue?)] {
      let order = SortOrder(key, isDescending: isDescending)
      let places = places(400, value)
      let sorted = places.sorted { $0.precedes($1, in: order) }
      #expect(answers(places, order, limit: limit) == sorted)
    }
  }

  /// The first of all has what it can use, and the others together are bounded.
  @Test func manyThatSortShareTheirMemory() throws {
    let room = SortingRoom()
    let order = SortOrder(.size, isDescending: false)
    let places = (0..<400_000).map { SortPosition(value: .number(Int64($0 &* 7919 % 400_009), 0), inode: UInt64($0)) }
    let sorted = places.sorted { $0.precedes($1, in: order) }
    // How many the n-th of all keeps.
    var all = (0..<64).map { _ in CatalogSorting(order, after: nil, limit: nil, in: room) }
    func kept(_ number: Int) -> Int {
      for place in places { all[number].add(place) }
      all[number].finish()
      var count = 0
      while let next = all[number].popFirst() {
        #expect(next == sorted[count])
        count += 1
      }
      return count
    }
    let counts = [0, 1, 2, 3, 63].map(kept)
    #expect(counts == [304_000, 152_000, 76_000, 38_000, 19_000])
    // What they had comes back.
    all.removeAll()
    all = [CatalogSorting(order, after: nil, limit: nil, in: room)]
    #expect(kept(0) == 304_000)
    // Who wants a few leaves the rest to others.
    all = (0..<64).map { _ in CatalogSorting(order, after: nil, limit: 100, in: room) }
    all.append(CatalogSorting(order, after: nil, limit: nil, in: room))
    #expect([0, 64].map(kept) == [101, 304_000])
  }

  @Test func aFullHeapGivesTheFirst() {
    for kept in 1...20 {
      var first = FirstPlaces<Int>(kept)
      let numbers = (0..<50).map { $0 * 37 % 53 }
      for number in numbers { first.add(number) }
      #expect(first.hasMore)
      first.finish()
      var found: [Int] = []
      while let next = first.popFirst() { found.append(next) }
      #expect(found == Array(numbers.sorted().prefix(kept)))
    }
  }
}
