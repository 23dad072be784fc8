import AlbumsSupport
import Catalog
import Index
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

  /// One that lets others come first whenever it can says the same, and what goes wrong meanwhile.
  @Test func whoLetsOthersComeFirstSaysTheSame() throws {
    let library = try CatalogLibrary(rowsUnderLock: 100)
    let folder = try library.files.folder("some")
    for number in 0..<450 { try library.add("\(number).jpg", in: folder) { $0.size = UInt64(number * 7919 % 1000) } }
    func answer(_ request: String, stops: Bool) -> (bytes: [UInt8], pauses: Int) {
      let request = Array(request.utf8)
      var answer = DoorAnswer(request, from: library.files, for: .everything, today: nil)
      var (bytes, pauses): ([UInt8], Int) = ([], 0)
      while pauses < 1000 {
        guard let piece = answer.read(1 << 16, stops: { stops }) else {
          pauses += 1
          continue
        }
        if piece.isEmpty { break }
        bytes += piece
      }
      return (bytes, pauses)
    }
    let sorted = ["paths", "paths0", "json", "tiles"].flatMap { format in
      ["time", "-name", "size"].map { "format \(format)\nsort \($0)\n\n" }
    }
    for request in sorted + ["format count\n\n", "format groups\ngroup day\n\n"] {
      for query in ["", "size:>990", "size:>1000"] {
        let (plain, interrupted) = (answer(request + query, stops: false), answer(request + query, stops: true))
        #expect(String(decoding: plain.bytes.prefix(3), as: UTF8.self) == "ok\n")
        #expect(plain.pauses == 0 && interrupted.bytes == plain.bytes, "\(request)\(query)")
        // All rows are looked at before the first answer is known.
        if request.contains("name") || request.contains("size\n") { #expect(interrupted.pauses > 2) }
      }
    }
    try library.files.close()
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
  }
}
