import AlbumsSupport
import Catalog
import Index
import Media
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums
@testable import Library

/// What the engine answers, against the evaluator that defines the language.
@Suite struct CatalogEngineTests {
  private static let orders = SortKey.allCases.flatMap {
    [SortOrder($0, isDescending: true), SortOrder($0, isDescending: false)]
  }

  /// What everything answers, what is in the trash as well.
  private static let anything = Query.or([.all, .condition(.flag(.trashed))])

  /// The photos of a library as somebody sees them who may see everything.
  private static func items(
    _ library: CatalogLibrary, showsTrash: Bool, within: [UInt8] = []
  ) throws -> [MediaItem] {
    let everywhere = try library.photos.compactMap { inode -> MediaItem? in
      guard var item = try library.item(inode) else { return nil }
      if !showsTrash { item.names.removeAll { TrashFolder.contains(path: $0.path) } }
      return item.names.isEmpty ? nil : item
    }
    return everywhere.compactMap { item in
      var item = item
      // What the other one is hidden from is no duplicate, whatever the row says.
      let hasTwin = everywhere.contains { $0.inode != item.inode && $0.contentHash == item.contentHash }
      if item.contentHash == nil || !hasTwin { item.links.isDuplicate = false }
      if !within.isEmpty { item.names.removeAll { !$0.path.starts(with: within + [0x2F]) } }
      return item.names.isEmpty ? nil : item
    }
  }

  private static func answers(
    _ question: CatalogQuestion, _ library: CatalogLibrary
  ) throws -> (answers: [CatalogAnswer], next: Cursor?) {
    var answers: [CatalogAnswer] = []
    let next = try library.files.questions.answers(to: question, for: .everything) { answer in
      answers.append(answer)
      return true
    }
    return (answers, next)
  }

  /// Whether an item stands for its stack among answers.
  private static func stands(_ item: MediaItem, _ all: [MediaItem], _ query: Query) -> Bool {
    guard let stack = item.links.stack, !stack.isCover else { return true }
    return !all.contains { $0.inode == stack.stack && query.matches($0) }
  }

  /// Directories that a question may be about; one is beside another whose name it begins with, one is not there.
  private static let places = ["", "2019", "2019/Paris", "Paris", "été", ".Trash", ".Trash-1000", "Par", "none"]

  @Test(arguments: TestLength.seedArguments(12)) func answersAreThoseOfTheEvaluator(seed: UInt64) throws {
    let library = try CatalogLibrary(seed: seed, photos: 120)
    for _ in 0..<60 {
      let query = try library.randomQuery()
      var question = CatalogQuestion(query, order: library.pick(Self.orders))
      question.includesTrash = library.chance(1, of: 5)
      question.stacks = library.chance(1, of: 5)
      question.within = library.chance(1, of: 3) ? Array(library.pick(Self.places).utf8) : []
      let all = try Self.items(library, showsTrash: question.showsTrash, within: question.within)
      let standing = all.filter { query.matches($0) && (!question.stacks || Self.stands($0, all, query)) }
      let limit = library.pick([0, 1, 7, 500])
      func position(_ item: MediaItem) -> SortPosition { question.order.position(of: item) }
      let expected = standing.sorted { position($0).precedes(position($1), in: question.order) }
      let whole = try Self.answers(question, library)
      #expect(whole.answers.map(\.inode.rawValue) == expected.map(\.inode), "\(query) \(question.order)")
      #expect(whole.next == nil)
      #expect(try library.files.questions.count(of: question, for: .everything) == expected.count, "\(query)")
      var view = CatalogView(question, for: .everything)
      for (answer, item) in zip(whole.answers, expected) {
        #expect(answer.position == position(item))
        #expect(answer.path == item.names.map(\.path).min { $0.lexicographicallyPrecedes($1) })
        let facts = try library.files.questions.present { files throws(Errno) in try view.item(answer.inode, files) }
        #expect(facts.map { Set($0.names) } == Set(item.names))
      }
      question.limit = limit
      if limit > 0, !expected.isEmpty {
        question.after = Cursor(order: question.order, position: position(library.pick(expected)))
      }
      let rest = expected.filter { question.after?.position.precedes(position($0), in: question.order) ?? true }
      let found = try Self.answers(question, library)
      #expect(found.answers.map(\.inode.rawValue) == rest.prefix(limit).map(\.inode), "\(query) \(question)")
      let last = rest.count > limit ? rest.prefix(limit).last : nil
      #expect(found.next == last.map { Cursor(order: question.order, position: position($0)) })
    }
    try library.files.close()
  }

  @Test(arguments: TestLength.seedArguments(6)) func groupsAndCountsAreThoseOfTheEvaluator(seed: UInt64) throws {
    let library = try CatalogLibrary(seed: 100 + seed, photos: 100)
    for _ in 0..<20 {
      let query = try library.randomQuery()
      let within = library.chance(1, of: 3) ? Array(library.pick(Self.places).utf8) : []
      let question = CatalogQuestion(query, within: within)
      let all = try Self.items(library, showsTrash: query.mentionsTrash, within: within).filter { query.matches($0) }
      #expect(try library.files.questions.count(of: question, for: .everything) == all.count, "\(query)")
      for field in GroupField.allCases {
        let groups = try library.files.questions.groups(of: question, by: field, for: .everything)
        #expect(groups == Grouping.of(all, to: Self.anything, by: field), "\(query) \(field)")
      }
    }
    try library.files.close()
  }

  /// Pages by cursors, while photos come and go between and within them.
  @Test(arguments: orders) func pagesStayRightWhilePhotosComeAndGo(order: SortOrder) throws {
    let library = try CatalogLibrary(seed: 7, photos: 80)
    var lasting = Set(library.photos)
    var found: [CatalogAnswer] = []
    var cursor: Cursor?
    repeat {
      var question = CatalogQuestion(.all, order: order, limit: 9, includesTrash: true)
      // Through the text, as a client gives it back.
      question.after = try cursor.map { try #require(Cursor($0.text)) }
      let page = try Self.answers(question, library)
      found += page.answers
      cursor = page.next
      let victims = [page.answers.last?.inode, library.photos.isEmpty ? nil : library.pick(library.photos)]
      for victim in Set(victims.compactMap { $0 }) where library.photos.contains(victim) {
        try library.remove(victim)
        lasting.remove(victim)
      }
      try library.addRandom()
    } while cursor != nil && found.count < 1000
    #expect(Set(found.map(\.inode)).count == found.count, "none comes twice")
    #expect(lasting.isSubset(of: Set(found.map(\.inode))), "none is missed")
    for (one, two) in zip(found, found.dropFirst()) { #expect(one.position.precedes(two.position, in: order)) }
    try library.files.close()
  }

  @Test func whoStopsGetsTheCursorOfWhatWasLast() throws {
    let library = try CatalogLibrary(seed: 3, photos: 30)
    var seen: [InodeNumber] = []
    let cursor = try library.files.questions.answers(to: CatalogQuestion(.all), for: .everything) { answer in
      seen.append(answer.inode)
      return seen.count < 10
    }
    let rest = try Self.answers(CatalogQuestion(.all, after: cursor), library).answers.map(\.inode)
    #expect(try Self.answers(CatalogQuestion(.all), library).answers.map(\.inode) == seen + rest)
    try library.files.close()
  }

  /// A tag that more photos have than a page shows.
  @Test func aTagOfThousands() throws {
    let library = try CatalogLibrary(seed: 5)
    let numbers = 1...UInt64(9000)
    func hasTag(_ number: UInt64) -> Bool { number % 2 == 0 }
    try library.files.locked { files in
      try files.index.withSavepoint { () throws(IndexError) in
        for number in numbers {
          var item = MediaItem(inode: 1000 + number, kind: number % 3 == 0 ? .png : .jpeg)
          item.taken = WallTime(seconds: Int64(number * 977 % 9001)).map {
            CapturedTime(wall: $0, source: .exif, offset: 0, zoneSource: .exif)
          }
          if hasTag(number) { item.words.tags = ["Large"] }
          let place = ItemPlace(
            names: [(.root, Array("\(number).jpg".utf8))],
            rights: ItemRights(mode: 0o100644, owner: 0, group: 0, mayHaveList: false))
          try files.index.catalog.setMediaItem(item, at: place, found: [], version: Int64(MediaItem.factsVersion))
        }
      }
    }
    let newest = numbers.sorted { $0 * 977 % 9001 > $1 * 977 % 9001 }
    for (text, holds) in [
      ("tag:large", hasTag), ("-tag:large", { !hasTag($0) }),
      ("tag:large type:png", { hasTag($0) && $0 % 3 == 0 }),
      ("tag:large|other type:png", { hasTag($0) && $0 % 3 == 0 }),
    ] as [(String, (UInt64) -> Bool)] {
      let query = try QueryParser.parse(text)
      let expected = newest.filter(holds).map { $0 + 1000 }
      for limit in [10, 9000] {
        let found = try Self.answers(CatalogQuestion(query, limit: limit), library)
        #expect(found.answers.map(\.inode.rawValue) == Array(expected.prefix(limit)), "\(text)")
        #expect((found.next != nil) == (limit < expected.count))
      }
      let bySize = CatalogQuestion(query, order: SortOrder(.name, isDescending: true), limit: 10)
      #expect(try Self.answers(bySize, library).answers.count == 10)
      #expect(
        try library.files.questions.count(of: CatalogQuestion(query), for: .everything) == expected.count, "\(text)")
    }
    try library.files.close()
  }
}
