import Media
import TestSupport
import Testing

@testable import Catalog

@Suite struct SortingTests {
  static func randomItem(_ inode: UInt64, _ numbers: inout SeededNumbers) -> MediaItem {
    var item = MediaItem(
      inode: inode,
      names: [ItemName("a\(Int.random(in: 0..<4, using: &numbers))/n\(Int.random(in: 0..<9, using: &numbers))")],
      kind: MediaKind.catalogued.randomElement(using: &numbers) ?? .jpeg)
    item.size = UInt64.random(in: 0..<4, using: &numbers)
    if numbers.chance(2, of: 3) {
      let seconds = Int64.random(in: -2...2, using: &numbers) * 40_000_000
      let precision = [WallTime.Precision.second, .second, .month, .year].randomElement(using: &numbers) ?? .second
      let nanoseconds = UInt32.random(in: 0...1, using: &numbers)
      item.taken = WallTime(seconds: seconds, nanoseconds: nanoseconds, precision: precision).map {
        // What is known in part, somebody said.
        CapturedTime(wall: $0, source: !precision.isPartial && numbers.chance(1, of: 3) ? .fileTime : .exif)
      }
    }
    if numbers.chance(1, of: 2) { item.words.rating = Int.random(in: -1...5, using: &numbers) }
    if numbers.chance(1, of: 2) { item.video.duration = Double.random(in: 0...3, using: &numbers) }
    item.words.tags = TagList.normal(
      (0..<2).compactMap { _ in ["A", "a", "é", "E\u{301}", "x \"y\\", "p/q"].randomElement(using: &numbers) })
    item.words.people = TagList.normal([["Bob", "BOB", "Zoë"].randomElement(using: &numbers) ?? ""])
    if numbers.chance(1, of: 2) { item.place = [Library.paris, Library.tokyo].randomElement(using: &numbers) }
    if numbers.chance(1, of: 3) { item.place?.region = "" }
    if numbers.chance(1, of: 2) { item.camera.model = ["X1", "x1", "Y*2"].randomElement(using: &numbers) }
    if numbers.chance(1, of: 2) { item.camera.lens = ["L 1", "l 2"].randomElement(using: &numbers) }
    return item
  }

  static let orders = SortKey.allCases.flatMap {
    [SortOrder($0, isDescending: true), SortOrder($0, isDescending: false)]
  }

  @Test(arguments: orders) func oneOfTwoIsBeforeTheOther(order: SortOrder) {
    var numbers = SeededNumbers(seed: 5)
    let items = order.sorted((1...120).map { Self.randomItem(UInt64($0), &numbers) })
    for (one, next) in zip(items, items.dropFirst()) {
      #expect(order.position(of: one).precedes(order.position(of: next), in: order))
      #expect(!order.position(of: next).precedes(order.position(of: one), in: order))
    }
  }

  @Test func newestFirstAndUnknownLast() {
    let items = Library.items.filter(Query.all.answers)
    #expect(SortOrder.standard.sorted(items).map(Library.letter).joined() == "FEDJCBAHG")
    #expect(SortOrder(.time, isDescending: false).sorted(items).map(Library.letter).joined() == "ABCJDEFGH")
  }

  @Test func aCursorHasOneText() throws {
    var numbers = SeededNumbers(seed: 1)
    for _ in 0..<500 {
      let item = Self.randomItem(UInt64.random(in: 0 ... .max, using: &numbers), &numbers)
      let order = try #require(Self.orders.randomElement(using: &numbers))
      let cursor = Cursor(order: order, position: order.position(of: item))
      #expect(Cursor(cursor.text) == cursor)
    }
  }

  @Test(arguments: TestLength.seedArguments(20)) func anyTextIsACursorOrNone(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    for _ in 0..<500 {
      let item = Self.randomItem(7, &numbers)
      let order = Self.orders.randomElement(using: &numbers) ?? .standard
      let text = Cursor(order: order, position: order.position(of: item)).text
      let damaged = String(decoding: numbers.damaged(Array(text.utf8)), as: UTF8.self)
      if let cursor = Cursor(damaged) { #expect(cursor.text == damaged) }
    }
    #expect(Cursor(String(repeating: "1", count: 1 << 20)) == nil)
  }
}

@Suite struct GroupingTests {
  /// Each group says how many photos its own query finds.
  @Test(arguments: GroupField.allCases) func aGroupIsWhatItsQueryFinds(field: GroupField) throws {
    var numbers = SeededNumbers(seed: 9)
    let items =
      (1...300).map { SortingTests.randomItem(UInt64($0), &numbers) }
      + Library.items.map { item in
        var item = item
        item.inode += 1000
        return item
      }
    for base in ["", "type:photo", "rating:>=3"] {
      let query = try QueryParser.parse(base)
      let groups = Grouping.of(items, to: query, by: field)
      #expect(!groups.isEmpty)
      for group in groups {
        guard let text = group.query else { continue }
        let found = SortOrder.standard.sorted(items.filter(try QueryParser.parse(base + " " + text).answers))
        #expect(found.count == group.count, "\(text)")
        #expect(found.first?.inode == group.newest, "\(text)")
      }
    }
  }

  private static func titles(_ field: GroupField) -> [String] {
    Grouping.of(Library.items, to: .all, by: field).map { "\($0.title ?? "?") \($0.count)" }
  }

  @Test func titlesAndCounts() {
    #expect(Self.titles(.year) == ["2024 3", "2023 1", "2019 3", "? 2"])
    #expect(Self.titles(.month) == ["2024-08 3", "2023-12 1", "2019-07 3", "? 2"])
    #expect(
      Self.titles(.day) == ["2024-08-16 2", "2024-08-15 1", "2023-12-24 1", "2019-07-15 1", "2019-07-14 2", "? 2"])
    #expect(Self.titles(.place) == ["Paris, Île-de-France, France 3", "Tokyo, Tokyo, Japan 2", "? 4"])
    #expect(Self.titles(.country) == ["France 3", "Japan 2", "? 4"])
    #expect(Self.titles(.tag) == ["Family 2", "Fireworks 1", "Places/Paris 1", "? 6"])
    #expect(Self.titles(.camera) == ["Canon EOS 5D 2", "Apple iPhone 15 1", "? 6"])
    #expect(Self.titles(.rating) == ["5 1", "4 1", "0 6", "-1 1"])
    #expect(Self.titles(.album) == ["2019/Paris 3", "2024/Holiday 3", "scans 2", "Alps 1"])
    #expect(Self.titles(.type) == ["jpeg 3", "tiff 2", "heic 1", "mov 1", "mp4 1", "raw 1"])
  }

  /// Directories are bytes; texts that fold alike are one group under the most usual spelling.
  @Test func directoriesAreBytesAndTagsAreNot() {
    func item(_ inode: UInt64, _ path: String, _ tag: String) -> MediaItem {
      var item = MediaItem(inode: inode, names: [ItemName(path)], kind: .jpeg)
      item.words.tags = [tag]
      return item
    }
    let items = [item(1, "\u{E9}/a", "sea"), item(2, "e\u{301}/a", "Sea"), item(3, "E/a", "Sea")]
    #expect(Grouping.of(items, to: .all, by: .album).map(\.count) == [1, 1, 1])
    #expect(Grouping.of(items, to: .all, by: .tag).map(\.title) == ["Sea"])
  }
}
