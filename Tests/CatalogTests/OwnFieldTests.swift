import Media
import Testing

@testable import Catalog

/// Fields of the user's own. The article on the query language has examples of how they are asked for.
@Suite struct OwnFieldTests {
  private func list(_ value: String) -> [String] { OwnField.list(in: Array(value.utf8)).map(\.line) }

  @Test(arguments: ["customer", "Kunden-Nr_2", "número", "e\u{301}t", "顧客"]) func names(name: String) {
    #expect(OwnField.name(in: "x." + name) == name && OwnField.name(in: "X." + name) == name)
  }

  @Test(arguments: [
    "", " ", "a b", "a.b", "a=b", "a:b", "a\n", "a*", "a\"", "\u{202E}a", "\u{0}", String(repeating: "x", count: 65),
  ])
  func whatIsNoName(name: String) {
    #expect(OwnField.name(in: "x." + name) == nil && OwnField(name: name, text: "t") == nil)
  }

  @Test func whatIsWrittenIsReadAgain() throws {
    let texts = [("b", "x=y; z"), ("A", "1"), ("número", "  inside  ")]
    let fields = try texts.map { try #require(OwnField(name: $0, text: $1)) }
    #expect(list(String(decoding: OwnField.value(fields), as: UTF8.self)) == ["A=1", "b=x=y; z", "número=inside"])
    #expect(OwnField(name: "a", text: "") == nil && OwnField(name: "a", text: "b\nc") == nil)
  }

  /// Whoever sets the attribute in another way says what it says, and no more than a photo may have.
  @Test func whatMakesNoSenseDoesNotCount() throws {
    #expect(list(" a = 1 \r\n\n=2\nb\nc=\nno name=3\nÁ=4\nd=5") == ["a=1", "d=5"])
    #expect(list((0..<100).map { "n\($0)=\($0)" }.joined(separator: "\n")).count == 32)
    let long = String(repeating: "x", count: 2045)
    #expect(list("a=\(long)\nb=\(long)\nc=1") == ["a=" + long, "b=" + long])
    #expect(list("a=\(long)\nb=\(long)xxx\nc=1") == ["a=" + long])
    #expect(OwnField.list(in: [0x61, 0x3D, 0xFF]).map(\.text) == ["\u{FFFD}"])
    #expect(list("no field\n" + String(repeating: "x", count: 5000) + "\na=1") == ["a=1"])
  }

  /// The catalog's row is made of the text, without space at its ends, and answers of the bytes.
  @Test(arguments: [1000, 2000]) func whatIsNoUTF8IsTheSameAsItsText(count: Int) {
    let value = Array(" \n\n a=1\nb=".utf8) + [UInt8](repeating: 0xFF, count: count) + Array("\nc=2 \n ".utf8)
    let found = OwnField.list(in: value)
    // Each of these bytes is a character of three.
    #expect(found.map(\.name) == (count == 1000 ? ["a", "b", "c"] : ["a"]))
    #expect(found == OwnField.list(in: Array(Whitespace.trimmed(String(decoding: value, as: UTF8.self)).utf8)))
  }

  @Test func namesAreComparedWithoutCaseAndAccents() throws {
    var item = MediaItem(inode: 1, kind: .jpeg)
    item.words.fields = [try #require(OwnField(name: "Número", text: "Acme 7"))]
    for query in ["x.numero:acme", "X.NÚMERO:=\"acme 7\"", "has:x.numero", "x.numero:*7", "acme", "-x.other:acme"] {
      #expect(try QueryParser.parse(query).matches(item), "\(query)")
    }
    for query in ["x.numero:acm", "x.numero:8", "x.other:acme", "has:x.other", "title:acme", "-has:x.numero"] {
      #expect(try !QueryParser.parse(query).matches(item), "\(query)")
    }
    #expect(try QueryParser.parse("name:a|x.b:c") == QueryParser.parse("name:a | x.b:c"))
  }
}
