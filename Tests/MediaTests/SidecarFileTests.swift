import Catalog
import TestSupport
import Testing

@testable import Media

/// What files beside photos say.
@Suite struct SidecarFileTests {
  private func facts(_ kind: SidecarKind, _ content: [UInt8]) throws -> FileFacts {
    try FileFacts(Bench.decoder().sidecar(kind, content: content))
  }

  @Test func xmp() throws {
    let content = [UInt8].xmp(
      """
      <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/" xmp:Rating="-1">
      <dc:subject><rdf:Bag><rdf:li>a &amp; "b"</rdf:li><rdf:li>c
      d</rdf:li></rdf:Bag></dc:subject><dc:description><rdf:Alt><rdf:li xml:lang="de">zwei</rdf:li>
      <rdf:li xml:lang="x-default">one</rdf:li></rdf:Alt></dc:description></rdf:Description>
      """)
    let item = try facts(.xmp, content).item
    #expect(item.words.rating == -1 && item.words.caption == "one")
    #expect(item.words.tags.count == 2 && item.words.tags.first == "a & \"b\"")
    #expect(item.sources.first(.rating) == .sidecar)
  }

  /// Only a sidecar says that it is of a file with an ending; a photo may have the same words from its raw file.
  @Test func theEndingOfItsFile() throws {
    let words = """
      <rdf:Description xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" photoshop:SidecarForExtension="CR3"/>
      """
    let list = try facts(.xmp, .xmp(words)).list
    #expect(list.mediaEnding == "CR3" && list.facts == [Fact(.mediaEnding("CR3"), from: .sidecar)])
    let photo = try Bench().quarters("a.jpg", width: 96, height: 64).adding(xmp: words)
    #expect(try Bench.decoder().facts(photo).list.mediaEnding == nil)
  }

  @Test func takeout() throws {
    let json = #"""
      {"title": "IMG_1234.jpg", "description": "By the \u00e9tang \ud83d\ude00\nhere", "favorited": true, "imageViews": "3",
       "photoTakenTime": {"timestamp": "1714979289", "formatted": "x"}, "people": [{"name": "Anna"}, {"name": "Bob"}],
       "geoData": {"latitude": 0.0, "longitude": 0.0, "altitude": 0.0, "latitudeSpan": 0.0},
       "geoDataExif": {"latitude": 48.8584, "longitude": 2.2945, "altitude": 35.5}, "other": [1, [2, {}], null, -1.5e3]}
      """#
    let facts = try facts(.takeout, Array(json.utf8))
    let item = facts.item
    #expect(
      item.words.caption == "By the étang 😀\nhere" && item.words.isFavourite && item.words.people == ["Anna", "Bob"])
    #expect(item.position == Position(latitude: 48.8584, longitude: 2.2945) && item.altitude == 35.5)
    #expect(facts.taken?.instant == 1_714_979_289 && facts.taken?.zoneSource == .universal)
    #expect(facts.says(.mediaName).map(\.value) == [.mediaName("IMG_1234.jpg")])
    #expect(item.sources.first(.caption) == .takeout)
  }

  /// Bytes that are no text are one character that nobody knows; everything else counts.
  @Test func takeoutWithBytesThatAreNoText() throws {
    var json: [UInt8] = [0xEF, 0xBB, 0xBF]
    json += Array(#"{"description": "a"#.utf8)
    json.append(0xFF)
    json += Array(#"b", "favorited": true}"#.utf8)
    let item = try facts(.takeout, json).item
    #expect(item.words.caption == "a\u{FFFD}b" && item.words.isFavourite)
  }

  @Test func adjustmentsSayNothing() throws {
    let plist = "<?xml version=\"1.0\"?><!DOCTYPE plist><plist version=\"1.0\"><dict/></plist>"
    #expect(try facts(.appleAdjustments, Array(plist.utf8)).list.facts.isEmpty)
  }

  static let broken: [(SidecarKind, String)] = [
    (.xmp, ""), (.xmp, "text"), (.xmp, "<x:xmpmeta"), (.takeout, ""), (.takeout, "[]"), (.takeout, "{\"a\": }"),
    (.takeout, "{\"a\": \"\\x\"}"), (.takeout, "{\"a\": \"\\u12\"}"), (.takeout, "{\"a\": tru}"), (.takeout, "{} {}"),
    (.takeout, String(repeating: "{\"a\":", count: 100_000)), (.takeout, "{\"a\":" + String(repeating: "[", count: 40)),
    (.appleAdjustments, "text"),
  ]

  @Test(arguments: broken) func whatIsNoneIsTold(kind: SidecarKind, text: String) throws {
    let decoder = Bench.decoder()
    #expect(throws: DecoderError.self) { try decoder.sidecar(kind, content: Array(text.utf8)) }
    #expect(throws: DecoderError.tooLarge) {
      try decoder.sidecar(kind, content: [UInt8](repeating: 0x20, count: (1 << 20) + 1))
    }
  }

  /// Each costs itself only: what comes of it is a list that the catalog takes, or an error of that file.
  @Test(.timeLimit(.minutes(3))) func hostileSidecars() throws {
    let decoder = Bench.decoder(timeout: .seconds(10))
    let head =
      "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
    let entities = (1...9).map { "<!ENTITY a\($0) \"" + String(repeating: "&a\($0 - 1);", count: 10) + "\">" }.joined()
    let texts = [
      head + String(repeating: "<rdf:Description>", count: 20_000),
      "<!DOCTYPE x [<!ENTITY a0 \"aaaaaaaaaa\">\(entities)]><x>&a9;</x>",
      head + "<rdf:Description xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:subject><rdf:Bag>"
        + String(repeating: "<rdf:li>t</rdf:li>", count: 50_000)
        + "</rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>",
      head + "<rdf:Description xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:subject><rdf:Bag><rdf:li>"
        + String(repeating: "t", count: 65_536)
        + "</rdf:li><rdf:li>short</rdf:li></rdf:Bag></dc:subject></rdf:Description></rdf:RDF></x:xmpmeta>",
    ]
    var random = SplitMix64(seed: 5)
    var all = texts.map { Array($0.utf8) }
    for _ in 0..<60 {
      var bytes = [UInt8].xmp(
        "<rdf:Description xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" xmp:Rating=\"3\" xmp:Label=\"a\"/>")
      for _ in 0..<3 {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      all.append(bytes)
    }
    for (number, bytes) in all.enumerated() {
      do throws(DecoderError) {
        let list = try decoder.sidecar(.xmp, content: bytes)
        #expect(throws: Never.self, "\(number)") { try FactList(decoding: list) }
      } catch {
        #expect(![.notMedia, .killed].contains(error), "\(number): \(error)")
      }
    }
    let last = try FileFacts(decoder.sidecar(.xmp, content: all[3]))
    #expect(last.item.words.tags == ["short"])
  }
}
