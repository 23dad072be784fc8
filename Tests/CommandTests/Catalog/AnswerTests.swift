import Testing

@testable import Catalog
@testable import Client
@testable import agonyfs

/// An answer that comes in pieces of some size.
final class PiecesOfAnswer: AnswerStream {
  private var rest: ArraySlice<UInt8>
  private let size: Int

  init(_ text: String, size: Int) {
    rest = Array(text.utf8)[...]
    self.size = size
  }

  func read() -> [UInt8] {
    defer { rest = rest.dropFirst(size) }
    return Array(rest.prefix(size))
  }
}

/// The protocol of the door.
@Suite struct AnswerTests {
  private static let trailer = "{\"end\":true,\"count\":2,\"next\":\"1d1.5\",\"pending\":3}"

  @Test(arguments: [1, 2, 7, 1000]) func pathsMayHoldEverythingButZero(size: Int) throws {
    var reader = try AnswerReader(PiecesOfAnswer("ok\na\n\nb/c\0\u{FF}\0\0\(Self.trailer)\n", size: size))
    var paths: [String] = []
    let trailer = try reader.paths { paths.append(String(decoding: $0, as: UTF8.self)) }
    #expect(paths == ["a\n\nb/c", "\u{FF}"])
    #expect(trailer == AnswerTrailer(count: 2, next: "1d1.5", pending: 3))
  }

  @Test(arguments: [1, 3, 1000]) func linesOfJSON(size: Int) throws {
    var reader = try AnswerReader(
      PiecesOfAnswer("ok\n{\"path\":\"a\"}\n{\"path\":\"b\"}\n\(Self.trailer)\n", size: size))
    var lines = 0
    let trailer = try reader.lines { _ in lines += 1 }
    #expect(lines == 2 && trailer.next == "1d1.5")
  }

  /// What one answer lacks another one has, and both are one for who reads them.
  @Test func anAnswerThatBreaksOffIsGoneOnWith() throws {
    var request = CatalogRequest()
    request.limit = 9
    func broken(_ cursor: String) -> String { "{\"end\":false,\"error\":\"gone\",\"next\":\"\(cursor)\"}\n" }
    func ends(_ end: String) -> [(text: String, isPaths: Bool)] {
      [("ok\na\0b\0\0\(end)", true), ("ok\n{\"a\":1}\n{\"b\":1}\n\(end)", false)]
    }
    for (first, isPaths) in ends(broken("1d1.5")) {
      var asked: [CatalogRequest] = []
      let second = isPaths ? "ok\nc\0\0\(broken("1d1.6"))" : "ok\n{\"c\":1}\n\(broken("1d1.6"))"
      let third = isPaths ? "ok\nd\0e\0\0\(Self.trailer)\n" : "ok\n{\"d\":1}\n{\"e\":1}\n\(Self.trailer)\n"
      var reader = try AnswerReader(PiecesOfAnswer(first, size: 3)) { cursor, told in
        asked.append(request.rest(after: cursor, told: told))
        return PiecesOfAnswer(asked.count == 1 ? second : third, size: 5)
      }
      var entries = 0
      let trailer = try isPaths ? reader.paths { _ in entries += 1 } : reader.lines { _ in entries += 1 }
      #expect(entries == 5 && trailer.count == 5 && trailer.next == "1d1.5")
      #expect(asked.map(\.after) == ["1d1.5", "1d1.6"] && asked.map(\.limit) == [7, 6])
      // Whoever cannot go on is told why; so is who would for ever.
      let failure = AnswerFailure("The answer is incomplete: gone.")
      var other = try AnswerReader(PiecesOfAnswer(first, size: 3))
      #expect(throws: failure) { _ = try isPaths ? other.paths { _ in } : other.lines { _ in } }
      var endless = try AnswerReader(PiecesOfAnswer(first, size: 3)) { _, _ in PiecesOfAnswer(first, size: 9) }
      #expect(throws: failure) { _ = try isPaths ? endless.paths { _ in } : endless.lines { _ in } }
    }
  }

  @Test func anAnswerThatIsCutIsNoAnswer() throws {
    for text in ["", "ok", "ok\n", "ok\na\0", "ok\na\0\0", "ok\na\0\0{\"end\":true"] {
      #expect(throws: (any Error).self) {
        var reader = try AnswerReader(PiecesOfAnswer(text, size: 100))
        _ = try reader.paths { _ in }
      }
      #expect(throws: (any Error).self) {
        var reader = try AnswerReader(PiecesOfAnswer(text, size: 100))
        _ = try reader.lines { _ in }
      }
    }
  }

  /// What an older program refuses is no zone; another error is one.
  @Test func theHomeZoneIsThatOfTheAnswer() throws {
    func zone(_ text: String) throws -> String? { try SpaceZone(PiecesOfAnswer(text, size: 5)).name }
    #expect(try zone("ok\n{\"zone\":\"Asia/Tokyo\"}\n\(Self.trailer)\n") == "Asia/Tokyo")
    #expect(try zone("ok\n{}\n\(Self.trailer)\n") == nil)
    let towns = try SpaceZone(
      PiecesOfAnswer("ok\n{\"towns\":\"/t\u{FFFD}\",\"townsBytes\":\"2f74ff\"}\n\(Self.trailer)\n", size: 5)
    ).towns
    #expect(towns == [0x2F, 0x74, 0xFF])
    let others = try SpaceZone(PiecesOfAnswer("ok\n{\"townsHidden\":true}\n\(Self.trailer)\n", size: 5))
    #expect(others.townsAreHidden && others.towns == nil)
    let older = "The option \"zone\" is not understood: there is no such option; an empty line stands between"
    #expect(try zone("error\n\(older)\n") == nil)
    for wrong in ["error\nThe catalog cannot be read (EIO)\n", "error\n", "ok\n{\"zone\":\"Asia/Tokyo\"}\n", ""] {
      #expect(throws: AnswerFailure.self) { try zone(wrong) }
    }
  }

  @Test func errorsAreThoseOfTheDoor() {
    let failure = AnswerFailure(isQuery: true, "There is no field x\n  x:1\n  ^")
    #expect(throws: failure) { try AnswerReader(PiecesOfAnswer("error There is no field x\n  x:1\n  ^\n", size: 4)) }
    #expect(throws: AnswerFailure("No.")) { try AnswerReader(PiecesOfAnswer("error\nNo\n", size: 4)) }
  }

  @Test func numbers() throws {
    var reader = try AnswerReader(PiecesOfAnswer("ok\n12\n", size: 2))
    #expect(try reader.number().0 == 12)
    reader = try AnswerReader(PiecesOfAnswer("ok\n12\n\(Self.trailer)\n", size: 2))
    #expect(try reader.number().1.pending == 3)
  }

  @Test func requests() {
    var request = CatalogRequest(format: .paths, query: "paris\n|rome")
    request.limit = 5
    request.sort = "-size"
    request.stacks = true
    #expect(
      String(decoding: request.bytes, as: UTF8.self) == "format paths0\nsort -size\nlimit 5\nstacks 1\n\nparis\n|rome")
    request = CatalogRequest()
    request.file = Array("a b.jpg".utf8)
    #expect(String(decoding: request.bytes, as: UTF8.self) == "facts a b.jpg\n\n")
  }
}

/// JSON, which comes from files of strangers as well.
@Suite struct JSONReaderTests {
  private func read(_ text: String) throws -> JSONValue { try JSONReader.value(of: Array(text.utf8)) }

  @Test func values() throws {
    let text = " {\"a\" : [1, -2.5e+3, true, false, null, \"\\u00e9\\n\\ud83d\\ude00\\/\"], \"b\":{}} "
    let value = try read(text)
    let list = value["a"]?.elements ?? []
    #expect(list.count == 6)
    #expect(list[0].whole == 1 && list[1].real == -2500 && list[2].isTrue && list[4] == .null)
    #expect(list[5].text == "é\n😀/")
    #expect(value["b"] == .object([]))
    #expect(try read("\"\\ud83d\\n\"").text == "\u{FFFD}\n")
    #expect(JSONWriter.bytes(value) == JSONWriter.bytes(try JSONReader.value(of: JSONWriter.bytes(value))))
  }

  @Test func fieldsOfFields() throws {
    let value = try read("{\"photoTakenTime\":{\"timestamp\":\"1563\"},\"a.b\":1}")
    #expect(value.value(at: "photoTakenTime.timestamp")?.text == "1563")
    #expect(value.value(at: "a.b")?.whole == 1)
    #expect(value.value(at: "a.c") == nil)
  }

  @Test(arguments: [
    "", "{", "[1,]", "{\"a\"}", "{\"a\":}", "01", "1.", "1e", "-", "+1", ".5", "nul", "\"", "\"\\x\"", "\"\\u12g4\"",
    "\"\n\"", "[1] 2", "{'a':1}", "{\"a\":1,}", "NaN", "\"\\u123\"", "\"\\",
  ]) func whatIsNone(text: String) {
    #expect(throws: JSONReader.Malformed.self) { try read(text) }
  }

  @Test func depthIsLimited() {
    let text = String(repeating: "[", count: 100_000)
    #expect(throws: JSONReader.Malformed(offset: 100)) { try read(text) }
    #expect(throws: JSONReader.Malformed.self) { try JSONReader.value(of: [0x22, 0xFF, 0x22]) }
  }

  /// Each value takes more memory than the text of it.
  @Test func aTextHasSoManyValuesAndNoMore() throws {
    let text = Array(#"{"a":[1,[]]}"#.utf8)
    #expect(try JSONReader.value(of: text, mostValues: 4)["a"]?.elements.count == 2)
    #expect(throws: JSONReader.Malformed.self) { try JSONReader.value(of: text, mostValues: 3) }
  }
}
