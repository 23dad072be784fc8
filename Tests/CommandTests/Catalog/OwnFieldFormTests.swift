import Catalog
import Testing

@testable import Client
@testable import agonyfs

/// Fields of the user's own: how tables bring them in, and what shows and writes them.
@Suite struct OwnFieldFormTests {
  private func changes(_ text: String, _ name: String, map: String = "") throws -> [WordsChange] {
    var fields: FieldMap?
    let rows = try FactRow.read(Array(text.utf8), named: name) { known in
      let read = try FieldMap(map, known: known)
      fields = read
      return read.columns
    }
    let map = try #require(fields)
    return try rows.map { try map.change($0) }
  }

  private func lines(_ change: WordsChange) -> [String] { change.fields.map(\.line).sorted() }

  private func text(_ changes: [UserWord: [UInt8]?]) -> String? {
    changes[.fields].flatMap { $0 }.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func tablesHaveThem() throws {
    let csv = "File,Kundennr,OK by\na.jpg, 4711 ,\"Anna,\non Monday\"\nb.jpg,,\n"
    let found = try changes(csv, "x.csv", map: "File=path,Kundennr=x.customer,OK by=X.Approval")
    #expect(lines(found[0]) == ["Approval=Anna, on Monday", "customer=4711"])
    #expect(found[1].isEmpty)
    let json = "[{\"f\":\"a\",\"job\":{\"no\":7,\"by\":[\"A\",\"B\"]}}]"
    #expect(try lines(changes(json, "x.json", map: "f=path,job.no=x.no,job.by=x.by")[0]) == ["by=A, B", "no=7"])
  }

  /// What `list --json` writes is read again without a mapping, whichever row has it.
  @Test func theirOwnNamesAreTaken() throws {
    let json = #"[{"path":"a"},{"path":"b","x.customer":"7"},{"path":"c","x.Customer":"8","x.b c":"9"}]"#
    #expect(try changes(json, "x.json").map(lines) == [[], ["customer=7"], ["Customer=8"]])
    #expect(try changes("path,X.ok\na,yes\n", "x.csv").map(lines) == [["ok=yes"]])
  }

  @Test(arguments: ["a=x.", "a=x.two words", "a=x.a.b", "a=x.c,b=X.C", "a=x.a=b"]) func wrongMappings(map: String) {
    #expect(throws: CommandFailure.self) { try FieldMap("p=path," + map, known: ["p", "a", "b"]) }
  }

  @Test func eachNameHasOneText() throws {
    var change = WordsChange()
    change.fields = OwnField.list(in: Array("Customer=8\nno=1".utf8))
    let before: [UserWord: [UInt8]] = [.fields: Array("approval=yes\ncustomer=7".utf8)]
    #expect(text(try change.changes(of: before)) == "Customer=8\napproval=yes\nno=1")
    #expect(change.replaced(of: before) == [.fields])
    #expect(text(try change.changes(of: [:])) == "Customer=8\nno=1")
    #expect(change.replaced(of: [:]) == [] && change.replaced(of: [.fields: Array("no=1".utf8)]) == [])
    #expect(try change.changes(of: [.fields: Array("Customer=8\nno=1".utf8)]).isEmpty)
  }

  @Test func aPhotoHasNotTooMany() throws {
    func fields(_ count: Int, _ bytes: Int = 1) -> [OwnField] {
      (0..<count).compactMap { OwnField(name: "n\($0)", text: String(repeating: "x", count: bytes)) }
    }
    #expect(try OwnField.list(in: UserWord.value(fields: fields(32))).count == 32)
    #expect(throws: WordsRefused.self) { try UserWord.value(fields: fields(33)) }
    #expect(try UserWord.value(fields: fields(1, 4093)).count == 4096)
    #expect(throws: WordsRefused.self) { try UserWord.value(fields: fields(1, 4094)) }
    // With those that it has.
    var change = WordsChange()
    change.fields = OwnField.list(in: Array("more=1".utf8))
    let full = try UserWord.value(fields: fields(32))
    #expect(throws: WordsRefused.self) { try change.changes(of: [.fields: full]) }
    let header = (0..<33).map { "x.n\($0)" }.joined(separator: ",")
    let row = (0..<33).map { "\($0)" }.joined(separator: ",")
    #expect(throws: WordsRefused.self) { try changes("path,\(header)\na,\(row)\n", "x.csv") }
  }

  @Test func theyAreShownAndWritten() throws {
    let facts = try JSONReader.value(
      of: Array(#"{"path":"a.jpg","title":"T","x.Customer":"A & B","sources":{"title":["xmp"]}}"#.utf8))
    let line = try #require(FactLine.all(of: facts).first { $0.field == "x.Customer" })
    #expect(line == FactLine(field: "x.Customer", label: "x.Customer", value: "A & B", sources: "from you"))
    let record = try #require(CatalogRecord(facts))
    let printed = try AnswerTemplate("{x.customer}|{x.none}|").bytes(record, isSafe: false, isLine: true) { $0 }
    #expect(String(decoding: printed, as: UTF8.self) == "A & B||")
    #expect(throws: CommandFailure.self) { try AnswerTemplate("{x.}") }
    let words: [UserWord: [UInt8]] = [.fields: Array("Customer=A & B\nok=yes".utf8)]
    let sidecar = try #require(WordsSidecar(words, takeout: nil, places: true, times: true))
    let xmp = String(decoding: sidecar.bytes, as: UTF8.self)
    #expect(xmp.contains("<rdf:li>Customer=A &amp; B</rdf:li>\n     <rdf:li>ok=yes</rdf:li>"), "\(xmp)")
    #expect(xmp.contains("xmlns:agonyfs=") && xmp.contains("<agonyfs:Fields>"))
  }

  /// A duplicate that goes leaves its fields to the one that is kept.
  @Test func theyAreTakenOver() throws {
    func value(_ text: String) throws -> JSONValue { try JSONReader.value(of: Array(text.utf8)) }
    let others = try [value(#"{"x.customer":"8","x.ok":"yes"}"#), value(#"{"x.OK":"no","x.no":"1"}"#)]
    let change = try DuplicateMerge.change(of: value("{}"), [.fields: Array("Customer=7".utf8)], by: others)
    #expect(lines(change) == ["no=1", "ok=yes"])
  }
}
