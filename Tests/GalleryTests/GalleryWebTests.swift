import Catalog
import Client
import Testing

@testable import Gallery

/// What is read from requests and written into answers.
@Suite struct GalleryWebTests {
  @Test func ranges() {
    func range(_ header: String?, if condition: String? = nil, size: Int64 = 100) -> ByteRange {
      ByteRange(header, if: condition, tag: "t", size: size)
    }
    #expect(range("bytes=0-9") == .part(0..<10) && range("bytes=90-") == .part(90..<100))
    #expect(range("bytes=-10") == .part(90..<100) && range("bytes=-1000") == .part(0..<100))
    #expect(range("bytes=99-1000") == .part(99..<100) && range("BYTES=0-0") == .part(0..<1))
    #expect(range("bytes=5-99999999999999999999999") == .part(5..<100))
    #expect(range("bytes=100-") == .unsatisfiable && range("bytes=-0") == .unsatisfiable)
    #expect(range("bytes=99999999999999999999999-") == .unsatisfiable && range("bytes=0-", size: 0) == .unsatisfiable)
    for header in [nil, "", "bytes=", "bytes=-", "bytes=9-5", "bytes=a-b", "bytes=0-1,3-4", "lines=0-1", "bytes=+1-2"] {
      #expect(range(header) == .whole, "\(header ?? "none")")
    }
    #expect(range("bytes=0-9", if: "\"t\"") == .part(0..<10))
    for condition in ["\"u\"", "t", "W/\"t\"", "Sun, 06 Nov 1994 08:49:37 GMT"] {
      #expect(range("bytes=0-9", if: condition) == .whole)
    }
  }

  @Test func timesAreThoseOfHTTP() {
    #expect(HTTPDate.text(of: 784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
  }

  @Test func base64IsReadAndWritten() {
    for (bytes, text, standard) in [
      ([], "", ""), ([0xFF], "_w", "/w=="), ([0xFF, 0xFE], "__4", "//4="), ([1, 2, 3], "AQID", "AQID"),
      ([0xFB, 0xEF, 0xBE, 0], "----AA", "++++AA=="),
    ] as [([UInt8], String, String)] {
      #expect(Base64.text(of: bytes) == text && Base64.text(of: bytes, isStandard: true) == standard)
      #expect(Base64.bytes(of: text) == bytes && Base64.bytes(of: standard) == bytes)
    }
    for wrong in ["A", "A=", "AQ=", "AQ===", "====", "A Q", "AQ\n", "é"] {
      #expect(Base64.bytes(of: wrong) == nil, "\(wrong)")
    }
  }

  @Test func namesInHeadersHoldNothingThatActs() {
    let value = HeaderName.attachment(Array("a\"\r\nX: y\\ü%.jpg".utf8) + [0xFF])
    #expect(
      value == "attachment; filename=\"a___X: y____.jpg_\"; "
        + "filename*=UTF-8''a%22%0D%0AX%3A%20y%5C%C3%BC%25.jpg%EF%BF%BD")
  }

  @Test func requestsAreReadOrRefused() throws {
    let request = try WebRequest(
      Array(#"{"snapshot":"s","items":[1,0],"album":"QS9i","set":{"rating":3,"favourite":false,"addTags":["x"]}}"#.utf8)
    )
    #expect(try request.snapshot == "s" && request.items == [1, 0])
    #expect(try request.path("album").bytes == Array("A/b".utf8) && request.path("none") == .root)
    #expect(try request.edit.rating == 3 && request.edit.isFavourite == false && request.edit.addedTags == ["x"])
    #expect(kind { _ = try WebRequest(Array("{".utf8)) } == .badRequest)
    for text in [
      "{}", "[]", "1", #"{"items":{},"snapshot":1,"set":[]}"#, #"{"items":["1"],"set":{"rating":"x"}}"#,
      #"{"items":[1.5],"set":{"name":"x"}}"#, #"{"items":[99999999999999999999],"set":{"favourite":1}}"#,
      #"{"items":[null],"set":{"addTags":"x"}}"#,
    ] {
      let request = try WebRequest(Array(text.utf8))
      #expect(kind { _ = try request.items } == .badRequest, "\(text)")
      #expect(kind { _ = try request.snapshot } == .badRequest, "\(text)")
      #expect(kind { _ = try request.edit } == .badRequest, "\(text)")
    }
    let leading = try WebRequest(Array(#"{"path":"Li4vZXRj","other":"%%"}"#.utf8))
    #expect(kind { _ = try leading.path("path") } == .badName)
    #expect(kind { _ = try leading.path("other") } == .badRequest)
  }

  @Test func answersAreJSONWhateverNamesHold() throws {
    let name = Array("<b>\u{202E}\"\n".utf8) + [0xFF]
    let items = try JSONReader.value(of: WebAnswer.items([ListedItem(index: 3, name: name, facts: .null)]))
    #expect(items.elements.first?["name"]?.text == "<b>\u{202E}\"\n\u{FFFD}")
    #expect(items.elements.first?["i"]?.whole == 3 && items.elements.first?["displayable"] == .bool(false))
    let albums = try JSONReader.value(
      of: WebAnswer.albums([AlbumSummary(path: SpacePath(name), count: 1, allCount: 3, albums: 2, hasCover: true)]))
    #expect(albums.elements.first?["path"]?.text.flatMap { Base64.bytes(of: $0) } == name)
    let counts = try JSONReader.value(of: WebAnswer.otherFileCounts([(album: SpacePath(name), count: 4)]))
    #expect(counts.elements.first?["path"]?.text.flatMap { Base64.bytes(of: $0) } == name)
    #expect(counts.elements.first?["files"]?.whole == 4)
    let mistake = WebAnswer.mistake(GalleryError(.badRequest, "x", at: 2..<5))
    #expect(try JSONReader.value(of: try #require(mistake))["error"]?["at"]?.whole == 2)
    #expect(WebAnswer.mistake(GalleryError(.badRequest, "x")) == nil)
  }
}
