import Catalog
import Testing

@testable import Client
@testable import agonyfs

/// What users say about photos, as attributes.
@Suite struct WordsTests {
  private typealias Attributes = [UserWord: [UInt8]]

  private func attributes(_ texts: [UserWord: String]) -> Attributes { texts.mapValues { Array($0.utf8) } }

  private func apply(_ changes: [UserWord: [UInt8]?], to attributes: inout Attributes) {
    for (word, value) in changes { attributes[word] = value }
  }

  private func texts(_ attributes: Attributes) -> [UserWord: String] {
    attributes.mapValues { String(decoding: $0, as: UTF8.self) }
  }

  /// Tags as the catalog finds them.
  private func found(_ own: [String], _ attributes: Attributes) -> [String] {
    let left = WordList.without(own, called: WordList.tags(attributes[.without] ?? []))
    guard let value = attributes[.tags] else { return left }
    return value.isEmpty ? [] : WordList.unique(WordList.tags(value) + left)
  }

  /// Applies a change to a file that itself has tags; gives the tags that are found then.
  private func tags(_ change: WordsChange, own: [String] = [], _ attributes: inout Attributes) throws -> [String] {
    let wasNone = attributes[.tags]?.isEmpty == true
    apply(try change.changes(of: attributes), to: &attributes)
    let further = try change.furtherChanges(of: attributes, found: found(own, attributes), wasNone: wasNone)
    if change.concernsOwnTags || wasNone { apply(further, to: &attributes) }
    return found(own, attributes).sorted()
  }

  @Test func tagsAreAddedAndTakenAway() throws {
    var file: Attributes = [:]
    #expect(try tags(WordsChange(addedTags: ["Family", "Paris"]), &file) == ["Family", "Paris"])
    #expect(texts(file) == [.tags: "Family,Paris"])
    #expect(try tags(WordsChange(addedTags: ["family"]), &file) == ["Family", "Paris"])
    #expect(try tags(WordsChange(removedTags: ["FAMILY"]), &file) == ["Paris"])
    #expect(texts(file) == [.tags: "Paris"])
    #expect(try tags(WordsChange(removedTags: ["Paris", "x"]), &file) == [])
    #expect(texts(file) == [:])
  }

  @Test func tagsOfTheFileItselfStayAway() throws {
    let own = ["Beach", "Sun"]
    var file: Attributes = [:]
    #expect(try tags(WordsChange(removedTags: ["sun"]), own: own, &file) == ["Beach"])
    #expect(texts(file) == [.without: "Sun"])
    #expect(try tags(WordsChange(addedTags: ["Sun"]), own: own, &file) == ["Beach", "Sun"])
    #expect(texts(file) == [.tags: "Sun"])
    // A tag that both have goes, too.
    #expect(try tags(WordsChange(removedTags: ["Sun"]), own: own, &file) == ["Beach"])
    #expect(try tags(WordsChange(tags: ["Sea"]), own: own, &file) == ["Sea"])
    #expect(texts(file) == [.tags: "Sea", .without: "Sun,Beach"])
    #expect(try tags(WordsChange(tags: []), own: own, &file) == [])
    // Nothing comes back with the next tag.
    file = attributes([.tags: ""])
    #expect(try tags(WordsChange(addedTags: ["Sea"]), own: own, &file) == ["Sea"])
    #expect(try tags(WordsChange(addedTags: ["Beach"]), own: own, &file) == ["Beach", "Sea"])
    var clear = WordsChange()
    clear.values = [UserWord.tags, .without].reduce(into: [:]) { $0[$1] = .some(nil) }
    #expect(try tags(clear, own: own, &file) == own)
    #expect(file.isEmpty)
  }

  /// As a query finds it; levels are another tag than a name with a slash.
  @Test func aTagWithASlashInItsNameGoesWithoutItsBackslash() throws {
    let own = [#"AC\/DC"#, "Sun"]
    var file: Attributes = [:]
    #expect(try tags(WordsChange(removedTags: ["ac/dc"]), own: own, &file) == ["Sun"])
    #expect(texts(file) == [.without: #"AC\/DC"#])
    file = attributes([.tags: #"AC\/DC,Sea"#])
    #expect(try tags(WordsChange(removedTags: ["AC/DC"]), &file) == ["Sea"])
    #expect(texts(file) == [.tags: "Sea"])
    file = attributes([.tags: "AC/DC"])
    #expect(try tags(WordsChange(removedTags: [#"AC\/DC"#]), &file) == ["AC/DC"])
  }

  @Test func aFileThatIsNotExaminedYetLosesTheTagAllTheSame() throws {
    let change = WordsChange(removedTags: ["Sun"])
    #expect(try change.furtherChanges(of: [:], found: nil, wasNone: false) == [.without: Array("Sun".utf8)])
  }

  @Test func people() throws {
    var file: Attributes = [:]
    apply(try WordsChange(addedPeople: ["Anna Schmidt, jr", "Bob"]).changes(of: file), to: &file)
    #expect(texts(file) == [.people: "Anna Schmidt, jr\nBob"])
    apply(try WordsChange(removedPeople: ["BOB"]).changes(of: file), to: &file)
    #expect(texts(file) == [.people: "Anna Schmidt, jr"])
    apply(try WordsChange(removedPeople: ["Anna Schmidt, jr"]).changes(of: file), to: &file)
    #expect(file.isEmpty)
  }

  @Test func values() throws {
    func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
    #expect(text(try UserWord.value(title: " A\nB\u{7} ")) == "A B")
    #expect(text(try UserWord.value(caption: " A\r\nB\tC ")) == "A\nB C")
    #expect(text(try UserWord.value(rating: 5)) == "10")
    #expect(text(try UserWord.value(taken: "2019-08-15T12:34:56+02:00")) == "2019-08-15T12:34:56+02:00")
    #expect(text(try UserWord.value(taken: "2019-08-15 12:34")) == "2019-08-15T12:34")
    #expect(text(try UserWord.value(taken: "2019:08:15")) == "2019-08-15")
    #expect(text(try UserWord.value(taken: "1961")) == "1961")
    #expect(text(try UserWord.value(taken: " 1961:07:00 00:00:00")) == "1961-07")
    #expect(text(try UserWord.value(position: "-33.86, 151.2")) == "-33.86,151.2")
    #expect(text(try UserWord.value(position: "0.0000001,-0.5")) == "0.0000001,-0.5")
    #expect(text(try UserWord.value(position: "NONE")) == "none")
    #expect(text(try UserWord.value(stack: "trip")) == "trip")
    #expect(text(try UserWord.value(stack: "none")) == nil)
    #expect(throws: WordsRefused.self) { try UserWord.value(rating: 6) }
    for wrong in ["yesterday", "0000-00-00", "2019-13-01", "", "0000", "1961-13", "1961-7", "19610700"] {
      #expect(throws: WordsRefused.self) { try UserWord.value(taken: wrong) }
    }
    for wrong in ["91,0", "0,0", "48.85", "x,y", ""] {
      #expect(throws: WordsRefused.self) { try UserWord.value(position: wrong) }
    }
    #expect(throws: WordsRefused.self) { try UserWord.value(tags: ["a,b"]) }
    #expect(throws: WordsRefused.self) { try UserWord.value(tags: (0..<1_000_000).map { "t\($0)" }) }
    #expect(throws: WordsRefused.self) { try UserWord.value(title: String(repeating: "x", count: 5000)) }
  }

  @Test(
    arguments: [
      ("2019-08-15T23:30:05.25+02:00", "exif", "exif", "+1h", "2019-08-16T00:30:05.25+02:00"),
      ("2019-08-15T23:30", "name", nil, "-30m", "2019-08-15T23:00"),
      ("2019-10-27T01:30:00+02:00", "exif", "gazetteer", "+1d", "2019-10-28T01:30:00"),
      ("2019-08-15T10:00:00+00:00", "header", "utc", "-1d1h", "2019-08-14T09:00:00+00:00"),
      ("2024-12-31T21:00:05-05:00", "header", "home", "+1h", "2024-12-31T22:00:05"),
      ("1961", "override", nil, "+365d", nil), ("1961-07", "xmp", nil, "+31d", nil),
      ("2019-08-15", "override", nil, "+1d", "2019-08-16"), ("2019-08-15", "override", nil, "+1h", nil),
      ("2019-08-15T23:30", "name", nil, "+10s", nil), ("9999-12-31T23:30:00", "exif", nil, "+1h", nil),
      ("2019-08-15T23:30:05+00:00", "modified", "utc", "+1h", nil), (nil, nil, nil, "+1h", nil),
    ] as [(String?, String?, String?, String, String?)])
  func shifted(taken: String?, source: String?, zone: String?, shift: String, value: String?) throws {
    let fields = [("taken", taken), ("takenSource", source), ("zoneSource", zone)].compactMap { name, text in
      text.map { JSONValue.Field(name: name, value: .string($0)) }
    }
    let found = UserWord.value(takenOf: .object(fields), shiftedBy: try #require(TimeShift(shift)))
    #expect(found.map { String(decoding: $0, as: UTF8.self) } == value)
  }

  @Test(arguments: ["1953", "1953-07"]) func whatIsKnownInPartIsWrittenAsItCame(text: String) throws {
    let words = try [UserWord.taken: UserWord.value(taken: text)]
    let sidecar = try #require(WordsSidecar(words, takeout: nil, places: true, times: true))
    let xmp = String(decoding: sidecar.bytes, as: UTF8.self)
    #expect(xmp.contains("<exif:DateTimeOriginal>\(text)</exif:DateTimeOriginal>"), "\(xmp)")
  }

  @Test func listsOfOtherProgramsAreRead() {
    #expect(WordList.tags(Array(" a , ,b,A,\u{7}c\n".utf8)) == ["a", "b", "c"])
    #expect(WordList.tags([0x61, 0xFF]) == ["a\u{FFFD}"])
  }
}

/// Tables of facts.
@Suite struct FactTableTests {
  private func rows(_ text: String, _ name: String, map: String = "") throws -> ([FactRow], FieldMap) {
    var fields: FieldMap?
    let rows = try FactRow.read(Array(text.utf8), named: name) { known in
      let read = try FieldMap(map, known: known)
      fields = read
      return Array(read.theirs.values)
    }
    return (rows, try #require(fields))
  }

  @Test func CSV() throws {
    var reader = CSVReader(Array("\u{FEFF}a,\"b \"\"c\"\"\",\r\n\r\n\"x\ny\",,\n1".utf8))
    #expect(try reader.next() == ["a", "b \"c\"", ""])
    #expect(try reader.next() == ["x\ny", "", ""])
    #expect(try reader.next() == ["1"])
    #expect(try reader.next() == nil)
    reader = CSVReader(Array("a;b;c,d\n1;2;3".utf8))
    #expect(try reader.next() == ["a", "b", "c,d"])
    for wrong in ["\"a", "\"a\"b,c", "a,\"b\n"] {
      #expect(throws: CSVReader.Malformed.self) {
        var reader = CSVReader(Array(wrong.utf8))
        while try reader.next() != nil {}
      }
    }
  }

  @Test func rowsSayWhatTheyAreMappedTo() throws {
    let (found, fields) = try rows(
      "File,Keywords,Stars,Lat,Lon,When\na.jpg,\"x, y\",4,48.85,2.35,2019:08:15 12:34:56\nb.jpg,,,,,\n", "x.csv",
      map: "File=path,Keywords=tags,Stars=rating,Lat=latitude,Lon=longitude,When=taken")
    let change = try fields.change(found[0])
    #expect(change.addedTags == ["x", "y"])
    #expect(change.values[.rating] == Array("8".utf8))
    #expect(change.values[.position] == Array("48.85,2.35".utf8))
    #expect(change.values[.taken] == Array("2019-08-15T12:34:56".utf8))
    #expect(try fields.change(found[1]).isEmpty)
  }

  @Test func JSON() throws {
    for text in [
      "[{\"SourceFile\":\"a.jpg\",\"photo\":{\"stars\":3},\"tags\":[\"a\",\"b; c\"],\"title\":null}]",
      "{\"SourceFile\":\"a.jpg\",\"photo\":{\"stars\":3},\"tags\":[\"a\",\"b; c\"]}\n{\"SourceFile\":\"b.jpg\"}\n",
    ] {
      let (found, fields) = try rows(text, "x.json", map: "SourceFile=path,photo.stars=rating,tags=tags")
      let change = try fields.change(found[0])
      #expect(change.addedTags == ["a", "b; c"])
      #expect(change.values[.rating] == Array("6".utf8))
    }
  }

  @Test func impossibleRowsAreRefused() throws {
    let (found, fields) = try rows(
      "[{\"path\":\"a\",\"tags\":[\"a,b\",\"c\"]},{\"path\":\"a\",\"rating\":9},{\"path\":\"a\",\"taken\":\"soon\"},"
        + "{\"path\":\"a\",\"position\":\"91,0\"},{\"path\":\"a\",\"favourite\":\"perhaps\"}]", "x.json",
      map: "path=path,tags=tags,rating=rating,taken=taken,position=position,favourite=favourite")
    #expect(found.map(\.number) == [1, 2, 3, 4, 5])
    for row in found { #expect(throws: WordsRefused.self) { try fields.change(row) } }
  }

  @Test func mappings() throws {
    let known = ["path", "Keywords", "tag", "stars", "other"]
    let plain = try FieldMap("", known: known)
    #expect(plain.theirs == [.path: "path", .tags: "Keywords", .rating: "stars"])
    for wrong in ["a", "a=frob,b=path", "=path", "a=path,b=path", "a=tags", "a="] {
      #expect(throws: CommandFailure.self) { try FieldMap(wrong, known: known) }
    }
  }

  @Test(arguments: ["a,b\n1,2,3\n", "[{]", "\"a", "{\"path\":1", "a\n\"1"]) func whatIsNoTable(text: String) {
    #expect(throws: CommandFailure.self) { try rows(text, "x", map: "a=path") }
  }
}
