import Media
import Testing

@testable import Catalog

/// Slashes that separate levels of tags, and such that belong to a name.
@Suite struct TagLevelTests {
  @Test(
    arguments: [
      ("Family", ["Family"]), ("Places/Paris", ["Places", "Paris"]), (#"AC\/DC"#, [#"AC\/DC"#]),
      (#"Music/AC\/DC/Live"#, ["Music", #"AC\/DC"#, "Live"]), (#"a\b/c\"#, [#"a\b"#, #"c\"#]), ("/", ["", ""]),
      ("", [""]),
      (#"\/"#, [#"\/"#]), (#"\\/x"#, [#"\\/x"#]),
    ] as [(String, [String])])
  func levels(tag: String, levels: [String]) { #expect(TagLevels.all(of: tag).map { String($0) } == levels) }

  /// What other programs have comes back as it was.
  @Test(arguments: ["AC/DC", "/", "//", #"AC\/DC"#, #"\"#, #"a\"#, "", "Family", #"C:\photos/2019"#])
  func aNameComesBack(_ name: String) {
    let tag = TagLevels.escaped(name)
    #expect(TagLevels.all(of: tag).count == 1)
    #expect(TagLevels.plain(tag) == name)
  }

  private static func finds(_ query: String, _ tag: String) throws -> Bool {
    var item = MediaItem(inode: 1, kind: .jpeg)
    item.words.tags = [tag]
    return try QueryParser.parse(query).matches(item)
  }

  @Test(arguments: [#"tag:ac\/dc"#, #"tag:=AC\/DC"#, "tag:ac/dc", "tag:ac*", "tag:*", #"tag:="AC\\/DC""#, "dc"])
  func oneTagIsFoundByItsName(_ query: String) throws { #expect(try Self.finds(query, #"AC\/DC"#)) }

  @Test(arguments: ["tag:ac", "tag:dc", "tag:=ac/dc", "tag:=ac", "tag:d*"])
  func oneTagIsNoneBelowAnother(_ query: String) throws { #expect(try !Self.finds(query, #"AC\/DC"#)) }

  @Test func aSlashInALevel() throws {
    let tag = #"Music/AC\/DC/Live"#
    for query in ["tag:music", #"tag:music/ac\/dc"#, "tag:music/ac/dc", "tag:live", "tag:music/ac/dc/live"] {
      #expect(try Self.finds(query, tag), "\(query)")
    }
    for query in ["tag:music/ac", "tag:dc/live", "tag:ac"] { #expect(try !Self.finds(query, tag), "\(query)") }
    #expect(try Self.finds("tag:ac/dc", #"Music/AC\/DC"#))
    #expect(try !Self.finds(#"tag:ac\/dc"#, "AC/DC"))
  }

  private func tags<Key>(_ table: [FieldMapping<Key>], _ find: (Key) -> [String]) -> [String] {
    var list = FactList()
    list.add(table, from: .xmp, find)
    for case .tags(let found) in list.facts.map(\.value) { return found }
    return []
  }

  /// Formats without levels have slashes in names, and only digiKam separates levels by them.
  @Test func foreignTags() {
    let texts = [
      "dc:subject[]": ["AC/DC"], "digiKam:TagsList[]": ["A/B"], "lr:hierarchicalSubject[]": ["C|D/E", "AC/DC"],
    ]
    #expect(tags(FieldTables.xmp) { texts[$0] ?? [] } == ["A/B", #"AC\/DC"#, #"C/D\/E"#])
    #expect(tags(FieldTables.iptc) { $0 == DatasetKey(2, 25) ? ["AC/DC", "x"] : [] } == [#"AC\/DC"#, "x"])
    #expect(tags(FieldTables.exif) { $0 == ExifKey(.main, 40094) ? ["AC/DC;x"] : [] } == [#"AC\/DC"#, "x"])
    #expect(tags(FieldTables.quickTime) { $0 == "keywords" ? ["AC/DC,x"] : [] } == [#"AC\/DC"#, "x"])
  }
}
