import AlbumsSupport
import Catalog
import Index
import SystemPackage
import Testing
import Vault

@testable import Albums
@testable import Library

/// Answers of the door that break off, or wait.
@Suite struct DoorAnswerTests {
  /// Who asked and does not read on keeps one piece in memory, and stops nobody; what he reads later is whole.
  @Test func whoDoesNotReadOnHoldsOnePiece() throws {
    let library = try CatalogLibrary()
    let folder = try library.files.folder("many")
    let title = String(repeating: "x", count: 4000)
    for number in 0..<2000 { try library.add("\(number).jpg", in: folder) { $0.words.title = title } }
    var answers = (0..<20).map { _ in
      DoorAnswer(Array("format json\n\n".utf8), from: library.files, for: .everything, today: nil)
    }
    for index in answers.indices {
      #expect(answers[index].read(10).count == 10)
      #expect((100_000..<540_000).contains(answers[index].text.bytes.count), "of 8 MB and more")
    }
    try library.files.rename(.of("many"), in: .root, to: .of("others"), in: .root, flags: [])
    let late = try library.add("late.jpg")
    try library.remove(late)
    let lines = answers[7].readLines(1 << 16)
    #expect(lines.count(where: { $0.contains(title) }) == 2000)
    #expect(lines.last?.contains(#""end":true,"count":2000"#) == true)
    try library.files.close()
  }

  /// The moment of an answer may end in the middle. It breaks off after a whole line then, and says where another answer
  /// goes on, so that none is missing and none comes twice.
  @Test(arguments: ["time", "-name", "size"]) func whereTheMomentEndsAnotherAnswerGoesOn(sort: String) throws {
    let library = try CatalogLibrary()
    let folder = try library.files.folder("some")
    let title = String(repeating: "x", count: 2000)
    for number in 0..<900 {
      try library.add("\(number).jpg", in: folder) {
        $0.size = UInt64(number * 7919 % 1000)
        $0.words.title = title
      }
    }
    func door(_ options: String) -> DoorAnswer {
      let request = Array("format json\nsort \(sort)\n\(options)\n".utf8)
      return DoorAnswer(request, from: library.files, for: .everything, today: nil)
    }
    var plain = door("")
    let whole = Array(plain.readLines(1 << 16).dropFirst().dropLast())
    #expect(whole.count == 900)
    var answer = door("")
    let first = Array(answer.read(3))
    #expect(first == Array("ok\n".utf8))
    library.files.endMoments()
    let begun = answer.readLines(1 << 16)
    let mark = #"{"end":false,"error":"The state that this was read from has expired; ask again","next":""#
    let last = try #require(begun.last)
    #expect(last.hasPrefix(mark) && (2..<900).contains(begun.count))
    var other = door("after \(last.dropFirst(mark.count).prefix { $0 != "\"" })\n")
    let rest = other.readLines(1 << 16).dropFirst().dropLast()
    #expect(begun.dropLast() + rest == whole)
    try library.files.close()
  }

  /// What is asked of a moment that has ended is asked of a later one, if nothing was told yet.
  @Test func whatWasNotToldIsAskedAgain() throws {
    let library = try CatalogLibrary(seed: 4, photos: 40)
    let files = library.files
    let count = try files.questions.count(of: CatalogQuestion(.all), for: .everything)
    for ended in 0..<4 {
      var rounds = 0
      let found = try files.questions.asking { state throws(Errno) -> Int in
        rounds += 1
        // At last the files are asked as they are.
        #expect((state.moment == nil) == (rounds == 4))
        if rounds > ended { return count }
        files.endMoments()
        throw .canceled
      }
      #expect(found == count && rounds == ended + 1)
    }
    files.endMoments()
    #expect(try files.questions.count(of: CatalogQuestion(.all), for: .everything) == count)
    try files.close()
  }

  /// Who is asked holds nobody up, and reads what was there when it was asked.
  @Test func aQuestionHoldsNoLock() throws {
    let library = try CatalogLibrary()
    let files = library.files
    let photo = try library.add("a.jpg")
    try files.questions.asking { state throws(Errno) in
      do {
        try files.change(photo) { $0.mode = 0o600 }
        try files.delete("a.jpg")
        try files.synchronize()
      } catch {
        Issue.record("\(error)")
      }
      let record = try state.record(photo)
      let row = try state.result(of: state.index.catalog.item(photo))
      #expect(record?.mode == FileKind.regular | 0o644 && row != nil)
    }
    #expect(try files.questions.count(of: CatalogQuestion(.all), for: .everything) == 0)
    try files.close()
  }

  /// The home zone is told without merging what waits for that.
  @Test func theHomeZoneWaitsForNoMerging() throws {
    let library = try CatalogLibrary()
    let photo = try library.add("a.jpg")
    try library.files.locked { try $0.index.catalog.addStale(photo, .merge) }
    var isWaiting: Bool {
      library.files.locked { (try? $0.index.catalog.stale(for: .merge, limit: 1))?.isEmpty == false }
    }
    #expect(isWaiting)
    #expect(library.files.answer("zone\n\n").first == "ok")
    #expect(isWaiting)
    #expect(library.files.answer("format count\n\n").first == "ok")
    #expect(!isWaiting)
    try library.files.close()
  }

  /// Whoever reads entries of a fixed form finds the empty one, and the reason behind it.
  @Test func theReasonFollowsAnEmptyEntry() {
    let reason = Array("{\"end\":false,\"error\":\"no\"}\n".utf8)
    let entry: [UInt8] = [1, 2, 3]
    for (format, end) in [
      (DoorRequest.Format.tiles, [UInt8](repeating: 0, count: CatalogTile.count + 1)), (.paths0, [0]),
      (.paths, [0x0A, 0x0A]), (.json, [0x0A]),
    ] {
      var text = JSONText()
      text.raw(entry)
      text.breakOff("no", in: format)
      #expect(text.bytes == entry + end + reason, "\(format)")
    }
    var text = JSONText()
    let next = Cursor(order: .standard, position: SortPosition(value: nil, inode: 7))
    text.breakOff("no", in: .json, next: next)
    #expect(text.bytes == Array("{\"end\":false,\"error\":\"no\",\"next\":\"\(next.text)\"}\n".utf8))
  }
}

extension FileSystem {
  /// Ends what questions read, as where room is needed.
  fileprivate func endMoments() {
    let revision = locked { $0.index.revision }
    library.readers.pages(of: revision)?.end()
  }
}
