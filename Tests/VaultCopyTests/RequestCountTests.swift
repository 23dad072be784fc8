import FaultyObjects
import ObjectStore
import SystemPackage
import TestSupport
import Testing

@testable import VaultCopy

/// The requests of a run, as the page on buckets counts them.
enum RequestCounts {
  /// Most requests of a run besides those for each object and for lists of all objects.
  static let most = 40
  /// Most of them if a sync changes nothing.
  static let mostIdle = 10

  /// A first copy, or a restore: each object once, and one list of all.
  static func copy(objects: Int, page: Int = ObjectLimits.mostEntries) -> Int {
    objects + lists(objects, page) + most
  }

  /// A sync that changes nothing: one list of all objects.
  static func sync(objects: Int, page: Int = ObjectLimits.mostEntries) -> Int { lists(objects, page) + mostIdle }

  /// The requests that one list of all objects takes.
  static func lists(_ objects: Int, _ page: Int) -> Int { (objects + page - 1) / page }

  /// The requests that a store gets while something runs.
  static func of(_ store: MemoryStore, during run: () throws -> Void) rethrows -> Int {
    let before = all(store)
    try run()
    return all(store) - before
  }

  private static func all(_ store: MemoryStore) -> Int {
    [StoreAction.list, .head, .get, .put, .delete].reduce(0) { $0 + store.requests($1) }
  }
}

/// A copy makes as few requests as the page on buckets says, and costs what its tables say.
@Suite struct RequestCountTests {
  private static let page = 10

  /// The requests for a vault: its first copy, the same again, and its restore.
  private func requests(files: Int) throws -> (copy: Int, again: Int, restore: Int) {
    let subject = try CopySubject(files: files)
    let store = MemoryStore()
    store.setPageCount(Self.page)
    let copy = try RequestCounts.of(store) { try CopyRun(from: subject.end, to: end(store, atOnce: true)).run() }
    let again = try RequestCounts.of(store) { try CopyRun(from: subject.end, to: end(store, atOnce: true)).run() }
    let back = FilePath(subject.folder.path("back"))
    let restore = try RequestCounts.of(store) { try CopyRun(from: end(store), to: DirectoryEnd(back)).run() }
    #expect(try CopySubject.content(of: back) == subject.content)
    return (copy, again, restore)
  }

  @Test func aCopySendsEachObjectOnceAndListsAllOnce() throws {
    let (few, many) = (8, 60)
    let (small, large) = (try requests(files: few), try requests(files: many))
    let added = many - few
    let lists = RequestCounts.lists(many, Self.page) - RequestCounts.lists(few, Self.page)
    #expect(large.copy <= RequestCounts.copy(objects: many, page: Self.page))
    #expect(large.copy - small.copy == added + lists)
    #expect(large.restore <= RequestCounts.copy(objects: many, page: Self.page))
    #expect(large.restore - small.restore == added + lists)
    #expect(large.again <= RequestCounts.copy(objects: 0, page: Self.page) + RequestCounts.lists(many, Self.page))
    #expect((lists...2 * lists).contains(large.again - small.again))
  }

  @Test func theTablesOfThePageAreWhatTheFormulasGive() throws {
    let rows = try self.rows()
    func numbers(_ title: String) throws -> [Double] {
      let found: [String]? = rows.first { $0.first == title }
      return try #require(found, "\(title)").dropFirst().compactMap { Self.number($0) }
    }
    let stored: [Int] = [10_000, 1_000_000].map { $0 * 1_440_000 }
    let objects: [Int] = stored.map { ($0 + (4 << 20) - 1) / (4 << 20) }
    let gigabytes: [Double] = stored.map { Double($0) / 1e9 }
    #expect(try numbers("stored, GB") == gigabytes)
    #expect(try numbers("objects") == objects.map { Double($0) })
    let copies: [Double] = objects.map { Double(RequestCounts.copy(objects: $0)) }
    #expect(try numbers("requests of the first copy, or to restore") == copies)
    let syncs: [Double] = objects.map { Double(RequestCounts.sync(objects: $0)) }
    #expect(try numbers("requests of a sync that changes nothing") == syncs)
    var providers = 0
    for row in rows where row.count == 6 {
      let prices = row.dropFirst().compactMap { Self.number($0) }
      // The others are titles.
      guard prices.count == 5 else { continue }
      providers += 1
      let found: [String]? = rows.first { $0.count == 5 && $0[0] == row[0] && $0[1].hasPrefix("$") }
      let costs = try #require(found, "\(row[0])")
      for place in objects.indices {
        let stated: [Int?] = costs.dropFirst().map { cell in
          let parts = cell.split(separator: ";")
          return parts.count == objects.count ? Self.number(String(parts[place])).map { Self.cents($0) } : nil
        }
        let expected = Self.costs(objects: objects[place], gigabytes: gigabytes[place], prices: prices)
        #expect(stated == expected, "\(row[0])")
      }
    }
    #expect(providers == 3)
  }

  /// The cents for a month, the first copy, a sync at each hour of a month, and a restore.
  ///
  /// - Parameter prices: dollars for a GB in a month, 1,000 requests of PUT, LIST and GET, and a GB that is read.
  private static func costs(objects: Int, gigabytes: Double, prices: [Double]) -> [Int?] {
    let others = Double(RequestCounts.copy(objects: objects) - objects)
    let count = Double(objects)
    let month = gigabytes * prices[0]
    let copy = (count * prices[1] + others * prices[2]) / 1000
    let syncs = 720 * Double(RequestCounts.sync(objects: objects)) * prices[2] / 1000
    let restore = (count * prices[3] + others * prices[2]) / 1000 + gigabytes * prices[4]
    return [month, copy, syncs, restore].map { cents($0) }
  }

  private static func cents(_ dollars: Double) -> Int { Int((dollars * 100).rounded()) }

  /// The number in a cell, without the dollar sign and the commas of thousands.
  private static func number(_ cell: String) -> Double? {
    Double(cell.filter { $0 != "," && $0 != "$" && $0 != " " })
  }

  /// The cells of all tables of the page.
  private func rows() throws -> [[String]] {
    let root = #filePath.split(separator: "/").dropLast(3).reduce("") { $0 + "/" + $1 }
    let page = String(decoding: try HostFile.read(root + "/Sources/agonyfs/agonyfs.docc/Buckets.md"), as: UTF8.self)
    return page.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { cell in cell.split(separator: " ").joined(separator: " ") }
    }
  }
}
