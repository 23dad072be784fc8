import Media
import TestSupport
import Testing

@testable import Catalog

@Suite struct QueryTests {
  private static func answers(_ text: String) throws -> Set<UInt64> {
    let query = try QueryParser.parse(text, today: ArticleTests.today)
    return Set(Library.items.filter(query.matches).map(\.inode))
  }

  /// What signs mean is what sets do.
  @Test(arguments: TestLength.seedArguments(20)) func signsAreSets(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let atoms = try ArticleTests.lines("example").map(\.query)
    let all = Set(Library.items.map(\.inode))
    func expression(_ depth: Int) throws -> (text: String, items: Set<UInt64>) {
      let kind = depth == 0 ? 0 : Int.random(in: 0..<5, using: &numbers)
      if kind == 0 {
        let atom = try #require(atoms.randomElement(using: &numbers))
        return ("(\(atom))", try Self.answers(atom))
      }
      let one = try expression(depth - 1)
      if kind == 1 { return ("-" + one.text, all.subtracting(one.items)) }
      let other = try expression(depth - 1)
      if kind == 2 { return ("(\(one.text)|\(other.text))", one.items.union(other.items)) }
      if kind == 3 { return ("(\(one.text)  |\t\(other.text))", one.items.union(other.items)) }
      return ("( \(one.text)\u{3000}\(other.text)\n)", one.items.intersection(other.items))
    }
    for _ in 0..<50 {
      let (text, items) = try expression(4)
      #expect(try Self.answers(text) == items, "\(text)")
    }
  }

  @Test func barsBindMoreCloselyThanSpaces() throws {
    let text = try Self.answers("paris | lake type:photo")
    #expect(try Self.answers("(paris | lake) type:photo") == text)
    #expect(try Self.answers("tag:family|-type:video") == (try Self.answers("(tag:family | -type:video)")))
    #expect(try Self.answers("tag:family|(type:video)") == (try Self.answers("(tag:family | type:video)")))
    #expect(try Self.answers("tag:family|-fireworks") == (try Self.answers("tag:family|\"-fireworks\"")))
  }

  @Test(arguments: ["", "  ", "\u{A0}\u{3000}\n"]) func anEmptyQueryIsEverything(text: String) throws {
    #expect(try QueryParser.parse(text) == .all)
  }

  /// It sorts, but nobody knows when such a photo was taken.
  @Test func theTimeOfTheFileIsNotKnown() throws {
    let wall = try #require(WallTime(seconds: 1_565_872_496))
    for (source, isKnown) in [(FactSource.fileTime, false), (.fileName, true), (.override, true)] {
      var item = MediaItem(inode: 1, kind: .jpeg)
      item.taken = CapturedTime(wall: wall, source: source)
      #expect(try QueryParser.parse("has:time").matches(item) == isKnown, "\(source)")
      #expect(try QueryParser.parse("-has:time").matches(item) == !isKnown, "\(source)")
      #expect(try QueryParser.parse("date:2019-08").matches(item), "\(source)")
      #expect(SortOrder.standard.position(of: item).value != nil)
    }
  }

  /// Facts come from files; a number that is none must not be in every range.
  @Test(arguments: [
    "aperture:>0", "aperture:<9", "aperture:1..2", "aperture:2.8", "-aperture:>=0 type:video", "duration:<1h",
  ])
  func whatIsNoNumberIsInNoRange(text: String) throws {
    var item = MediaItem(inode: 1, kind: .jpeg)
    item.camera.aperture = .nan
    item.video.duration = .nan
    #expect(!(try QueryParser.parse(text).matches(item)))
  }

  @Test func quotesOfPhonesAreQuotes() throws {
    #expect(try Self.answers("\u{201C}eiffel tower\u{201D}") == [1])
    #expect(try Self.answers("title:\u{201E}eiffel tower\u{201C}") == [1])
    #expect(try QueryParser.parse("title:\"a \\\"b\\\\\"") == (try QueryParser.parse("title:\"a b\"")))
  }

  @Test func trashIsNoAnswerUnlessSpokenOf() throws {
    #expect(Library.items.filter(try QueryParser.parse("").answers).count == 9)
    #expect(Library.items.filter(try QueryParser.parse("-is:trashed").answers).count == 9)
    #expect(Library.items.filter(try QueryParser.parse("gone").answers).isEmpty)
    #expect(Library.items.filter(try QueryParser.parse("gone is:trashed").answers).count == 1)
  }

  /// Quoting makes any text a value.
  @Test(arguments: TestLength.seedArguments(20)) func quotedTextsAreFound(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    for _ in 0..<100 {
      let scalars: [Unicode.Scalar] = (0..<Int.random(in: 1...12, using: &numbers)).map { _ in
        let odd: [Unicode.Scalar] = [
          "\"", "\\", "*", "|", "(", ")", "-", ":", " ", ",", "\n", "\u{201C}", "/", "=", "é", "\u{0}",
        ]
        return numbers.chance(1, of: 2)
          ? odd.randomElement(using: &numbers) ?? "a"
          : Unicode.Scalar(UInt32.random(in: 0x21...0x24F, using: &numbers)) ?? "a"
      }
      var view = String.UnicodeScalarView()
      view.append(contentsOf: scalars)
      guard let tag = TagList.normal([String(view)]).first else { continue }
      var item = MediaItem(inode: 1, kind: .jpeg)
      item.words.tags = [tag]
      let query = try QueryParser.parse("tag:=" + QueryQuoting.quoted(tag))
      #expect(query.matches(item), "\(tag)")
      item.words.tags = ["x" + tag]
      #expect(!query.matches(item), "\(tag)")
    }
  }

  @Test func limitsAreErrors() throws {
    func message(_ text: String) -> String? {
      do {
        _ = try QueryParser.parse(text)
        return nil
      } catch {
        let shown = error.pointing(in: Array(text.utf8))
        #expect(shown.utf8.count < 2000)
        return error.message
      }
    }
    #expect(message(String(repeating: "a", count: 1 << 20)) == "A query has at most 65536 bytes")
    #expect(message(String(repeating: "a", count: 65_536)) == nil)
    #expect(message(String(repeating: "a ", count: 1000)) == nil)
    #expect(message(String(repeating: "a ", count: 1001)) == "A query has at most 1000 conditions")
    #expect(message("tag:" + String(repeating: "a|", count: 1000) + "a") == "A query has at most 1000 conditions")
    let deep = String(repeating: "(", count: 64) + "a" + String(repeating: ")", count: 64)
    #expect(message(deep) == nil)
    #expect(message("(" + deep + ")") == "More than 64 levels of parentheses and minus signs")
    #expect(
      message(String(repeating: "-", count: 60_000) + "a") == "More than 64 levels of parentheses and minus signs")
    #expect(message(String(repeating: "(", count: 60_000)) == "More than 64 levels of parentheses and minus signs")
  }

  @Test func bytesThatAreNoTextAreAnError() {
    #expect(throws: QueryError("These bytes are not UTF-8", at: 4..<5)) {
      try QueryParser.parse([0x74, 0x61, 0x67, 0x3A, 0xFF, 0x61])
    }
    #expect(throws: QueryError.self) { try QueryParser.parse([0xED, 0xA0, 0x80]) }
  }

  @Test func theMarkIsBelowThePlace() throws {
    let text = "größe camra:x größe"
    let error = try #require(throws: QueryError.self) { try QueryParser.parse(text) }
    #expect(
      error.pointing(in: Array(text.utf8))
        == "There is no field camra: did you mean camera\n  größe camra:x größe\n        ^^^^^")
  }

  @Test func anErrorIsShortAndMovesNoTerminal() throws {
    let texts = [
      "a\u{1B}[31m\u{202E}:x", "a" + String(repeating: "\u{301}", count: 20_000) + ":x", "\u{1B}]0;x\u{7}\"",
      "x\r\n\u{2028}(",
    ]
    for text in texts {
      let error = try #require(throws: QueryError.self) { try QueryParser.parse(text) }
      let shown = error.message + error.pointing(in: Array(text.utf8))
      #expect(shown.utf8.count < 20_000)
      #expect(error.message.utf8.count < 300)
      let codes = shown.unicodeScalars.filter { $0 != "\n" }.map(\.properties.generalCategory)
      #expect(!codes.contains(.control) && !codes.contains(.format) && !codes.contains(.lineSeparator))
      #expect(shown.split(separator: "\n").count == 3)
    }
  }

  @Test(arguments: ["today", "yesterday"]) func withoutAClockThereIsNoToday(word: String) {
    #expect(throws: QueryError("The current day is not known here", at: 5..<5 + word.utf8.count)) {
      try QueryParser.parse("date:" + word)
    }
  }

  /// Whatever is written: an understood query or an error inside of it, and never a trap.
  @Test(arguments: TestLength.seedArguments(40)) func anyBytesAreAQueryOrAnError(seed: UInt64) throws {
    var numbers = SeededNumbers(seed: seed)
    let seeds = try ArticleTests.lines("example").map(\.query) + (try ArticleTests.lines("error").map(\.query))
    let fields = QueryField.allCases.map { $0.rawValue + ":" }
    let values = [
      "..", "-", "0", "1e9", "9999", "99999999999999999999", "nan", "inf", "0x1", "1/0", "-1", "*", "=", ">",
      "2024-02-30T", ",", ":", "\"", "|", "(", "é", "1:2:3:4", "T", "k", "f/",
    ]
    var understood = 0
    for _ in 0..<400 {
      let bytes: [UInt8]
      switch Int.random(in: 0..<3, using: &numbers) {
      case 0: bytes = numbers.damaged(Array((seeds.randomElement(using: &numbers) ?? "").utf8))
      case 1: bytes = numbers.bytes(Int.random(in: 0...20, using: &numbers))
      default:
        let parts = (0..<Int.random(in: 1...5, using: &numbers)).map { _ in values.randomElement(using: &numbers) ?? ""
        }
        bytes = Array(((fields.randomElement(using: &numbers) ?? "") + parts.joined()).utf8)
      }
      do {
        let query = try QueryParser.parse(bytes, today: ArticleTests.today)
        understood += 1
        for item in Library.items { _ = query.answers(item) }
      } catch {
        #expect(error.range.lowerBound >= 0 && error.range.upperBound <= bytes.count, "\(bytes) \(error)")
        #expect(!error.message.isEmpty)
        _ = error.pointing(in: bytes)
      }
    }
    #expect(understood > 10)
  }
}
