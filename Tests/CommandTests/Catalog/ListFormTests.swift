import Catalog
import TestSupport
import Testing

@testable import Client
@testable import Mount
@testable import agonyfs

/// How answers are shown.
@Suite struct ListFormTests {
  private func record(_ json: String) throws -> CatalogRecord { try CatalogRecord(Array(json.utf8)) }

  private struct Silent: PhotoSource {
    func answer(to request: CatalogRequest) throws -> AnswerReader { throw AnswerReader.unknownAnswer }
  }

  private func library(_ album: String, as path: String) -> PhotoLibrary {
    PhotoLibrary(
      SpacePlace(mountPoint: Array("/home/me/Albums".utf8), path: Array(album.utf8)), as: Array(path.utf8),
      source: Silent())
  }

  private func shown(_ path: String, _ library: PhotoLibrary) -> String {
    String(decoding: library.shown(Array(path.utf8)), as: UTF8.self)
  }

  @Test func pathsWorkFromWhereTheUserStands() throws {
    #expect(shown("2019/a.jpg", library("", as: "../Albums")) == "../Albums/2019/a.jpg")
    #expect(shown("2019/a.jpg", library("", as: "../Albums/")) == "../Albums/2019/a.jpg")
    #expect(shown("2019/a.jpg", library("2019", as: ".")) == "./a.jpg")
    #expect(shown("2019/a.jpg", library("2019", as: "-x")) == "./-x/a.jpg")
    // Another name of the same file is outside of the directory.
    #expect(shown("20190/a.jpg", library("2019", as: ".")) == "/home/me/Albums/20190/a.jpg")
    #expect(shown("a.jpg", PhotoLibrary(unmounted: Silent())) == "a.jpg")
  }

  @Test func aDirectoryIsAskedForByItsBytes() {
    let request = library("20\"19/Paris", as: ".").request("a | b")
    #expect(request.query == "a | b" && request.within == Array("20\"19/Paris".utf8))
    #expect(!request.trash)
    #expect(library(".Trash-1000/files", as: ".").request("").trash)
    #expect(throws: CommandFailure.self) { try PhotoLibrary.check("| a") }
    let bytes = SpacePlace(mountPoint: [0x2F], path: [0xFF])
    #expect(PhotoLibrary(bytes, as: [0x2E], source: Silent()).request("").within == [0xFF])
  }

  @Test func pathsInJSONWork() throws {
    func line(_ text: String, _ library: PhotoLibrary) throws -> String {
      let fields = JSONPaths.shown(try record(text), in: library)
      return String(decoding: JSONWriter.bytes(.object(fields)), as: UTF8.self)
    }
    let several = "{\"path\":\"x/a.jpg\",\"names\":[\"x/a.jpg\",\"y/b.jpg\"],\"size\":5}"
    #expect(
      try line(several, library("x", as: "."))
        == "{\"path\":\"./a.jpg\",\"names\":[\"./a.jpg\",\"/home/me/Albums/y/b.jpg\"],\"size\":5}")
    let bytes = "{\"path\":\"\u{FFFD}.jpg\",\"pathBytes\":\"ff2e6a7067\"}"
    #expect(try line(bytes, library("", as: "M")) == "{\"path\":\"M/\u{FFFD}.jpg\",\"pathBytes\":\"4d2fff2e6a7067\"}")
  }

  @Test func namesDoNothingToATerminal() {
    #expect(TerminalText.safe("plain é 写真 👨‍👩‍👧") == "plain é 写真 👨‍👩‍👧")
    #expect(TerminalText.safe("a\nb\tc\u{1B}[31m\u{7F}\u{202E}\\") == "a\\nb\\tc\\x1B[31m\\x7F\\u{202E}\\\\")
    #expect(TerminalText.safe([0x61, 0xFF, 0xC3, 0xA9, 0xC3]) == "a\\xFFé\\xC3")
    #expect(TerminalText.safe([0xED, 0xA0, 0x80]) == "\\xED\\xA0\\x80")
  }

  @Test func widths() {
    #expect(TerminalText.width("abc") == 3)
    #expect(TerminalText.width("e\u{301}") == 1)
    #expect(TerminalText.width("写真") == 4)
    #expect(TerminalText.fitted("abc", to: 5) == "abc  ")
    #expect(TerminalText.fitted("abc", to: 5, toTheRight: true) == "  abc")
    #expect(TerminalText.fitted("abcdef", to: 4) == "abc…")
    #expect(TerminalText.fitted("abcdef", to: 4, keepsEnd: true) == "…def")
    #expect(TerminalText.fitted("写真写真", to: 4) == "写… ")
  }

  @Test(arguments: [10, 24, 40, 60, 80, 120, 200]) func tablesFit(width: Int) throws {
    let records = try [
      "{\"path\":\"2019/Paris/IMG_1234.jpg\",\"kind\":\"jpeg\",\"size\":13002342,\"taken\":\"2019-07-14T21:30:05+02:00\","
        + "\"rating\":4,\"place\":{\"town\":\"Paris\"}}",
      "{\"path\":\"2019/写真写真写真写真写真写真写真写真写真写真写真写真.mp4\",\"kind\":\"mp4\",\"size\":5,\"duration\":95}",
      "{\"path\":\"\\n.jpg\",\"kind\":\"jpeg\",\"size\":1048576,\"rating\":-1}",
    ].map { try record($0) }
    let rows = records.map { PhotoTable.Row($0, path: $0.path) }
    let table = PhotoTable(for: rows, width: width)
    let lines = rows.map(table.line)
    for line in lines { #expect(TerminalText.width(line) <= width, "\(line)") }
    #expect(lines[0].hasSuffix("1234.jpg"))
    if width == 80 {
      #expect(lines[2].hasSuffix("\\n.jpg"))
      #expect(lines[0].hasPrefix("2019-07-14 21:30  12.4M"))
      #expect(lines[1].contains("1:35"))
    }
  }

  @Test func numbersInNarrowColumns() {
    #expect(
      [0, 999, 1000, 1024, 1536, 1_048_576, 13_002_342, 1_073_741_823].map(ShortWords.size)
        == ["0", "999", "1K", "1K", "1.5K", "1M", "12.4M", "1G"])
    #expect([0.4, 2.8, 59.6, 95, 3723].map(ShortWords.length) == ["0:00", "0:03", "1:00", "1:35", "1:02:03"])
  }

  @Test func templates() throws {
    let item = try record(
      "{\"path\":\"x/a\\u001b.jpg\",\"rating\":4,\"tags\":[\"a\",\"b\"],\"place\":{\"town\":\"Paris\",\"code\":\"FR\"},"
        + "\"motion\":true,\"names\":[\"x/a\\u001b.jpg\",\"y/b.jpg\"],\"caption\":\"one\\ntwo\","
        + "\"stack\":{\"kind\":\"burst\",\"isCover\":true,\"cover\":7}}")
    func text(_ template: String, isSafe: Bool = false, isLine: Bool = true) throws -> String {
      let bytes = try AnswerTemplate(template).bytes(item, isSafe: isSafe, isLine: isLine) { Array("M/".utf8) + $0 }
      return String(decoding: bytes, as: UTF8.self)
    }
    #expect(try text("{{{rating}}}|{tags}|{place.town}|{motion}|{title}|") == "{4}|a, b|Paris|true||")
    #expect(try text("{path}\\t{name}\\n{album}\\\\") == "M/x/a\u{1B}.jpg\ta\u{1B}.jpg\nx\\")
    #expect(try text("{name}", isSafe: true) == "a\\x1B.jpg")
    #expect(try text("{names}|{stack}") == "M/x/a\u{1B}.jpg, M/y/b.jpg|burst")
    #expect(try text("{caption}") == "one\\ntwo")
    #expect(try text("{caption}", isLine: false) == "one\ntwo")
    for wrong in ["{", "{path", "{frob}", "{}", "{ path }"] {
      #expect(throws: CommandFailure.self) { try AnswerTemplate(wrong) }
    }
    do throws(CommandFailure) {
      _ = try AnswerTemplate("{frob}")
    } catch {
      #expect(error.status == .usage && error.message.contains("focalLength"))
    }
  }

  private func lines(of item: CatalogRecord) -> [String] {
    FactSheet(item, in: library("", as: "M")).lines(isSafe: true).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func factsWithTheirSources() throws {
    let item = try record(
      """
      {"path":"a.jpg","taken":"2019-07-14T21:30:05+02:00","takenSource":"exif","zoneSource":"gazetteer","size":1536,\
      "exposure":0.004,"title":"A\\nB","edited":false,"width":40,"height":30,\
      "sources":{"taken":["exif"],"title":["attribute","override","xmp"],"dimensions":["pixels"]}}
      """)
    #expect(
      lines(of: item) == [
        "M/a.jpg",
        "  taken       2019-07-14 21:30:05+02:00  from EXIF, zone from the place",
        "  size        1.5 KiB (1536 bytes)",
        "  exposure    1/250 s",
        "  title       A\\nB                       from you, XMP",
        "  dimensions  40 × 30                    from the pixels",
      ])
  }

  /// Files may claim any exposure.
  @Test(arguments: ["1e-300", "5e-324", "1e-9", "0.000125", "0.4", "10000000"]) func anyExposureIsShown(
    _ seconds: String
  ) throws {
    let item = try record("{\"path\":\"a.jpg\",\"exposure\":\(seconds)}")
    let lines = lines(of: item)
    #expect(lines.count == 2 && lines[1].hasSuffix(seconds == "0.000125" ? "1/8000 s" : "\(seconds) s"))
  }
}

/// The words of `agonyfs list`.
@Suite struct QueryWordsTests {
  @Test func minusIsNot() throws {
    #expect(
      QueryWords.arranged(["M", "paris", "-type:video", "--limit", "5", "-0", "-r", "-has:gps"])
        == ["--limit=5", "-0", "-r", "--", "M", "paris", "-type:video", "-has:gps"])
    #expect(
      QueryWords.arranged(["--sort", "-size", "--", "-0", "--count"]) == ["--sort=-size", "--", "-0", "--count"])
    let command = try AgonyfsCommand.parse(["list", "M", "-has:gps", "(", "a", "|", "-b", ")", "--sort", "-size"])
    let list = try #require(command as? ListCommand)
    #expect(
      list.place == Word(Array("M".utf8)) && list.query == ["-has:gps", "(", "a", "|", "-b", ")"]
        && list.sort == "-size")
  }

  @Test func aShiftTakesAQuery() throws {
    let command = try AgonyfsCommand.parse(["tag", "--shift", "-30m", "M", "date:2019", "-type:video"])
    let tag = try #require(command as? TagCommand)
    #expect(tag.shift == "-30m" && tag.files.map(\.text) == ["M", "date:2019", "-type:video"])
  }

  /// Whoever knows only the help finds by it what it says.
  @Test func everyQueryInTheHelpIsUnderstood() throws {
    var count = 0
    for line in HelpText.queries.split(separator: "\n") where line.hasPrefix("  ") && !line.hasPrefix("    ") {
      // The explanation is in a later column.
      try PhotoLibrary.check(String(line.prefix(24)))
      count += 1
    }
    #expect(count > 15)
    let words = HelpText.queries.split { $0.isWhitespace || $0 == "," || $0 == ";" }
    for field in QueryField.allCases {
      #expect(words.contains { $0.hasPrefix(field.rawValue + ":") }, "\(field.rawValue)")
    }
    let example = "agonyfs list ~/Albums paris date:2019 'rating:>3' -type:video\n"
    #expect(HelpText.list.contains(example))
    #expect(HelpText.list.contains("photos of 2019 in Paris with more than three stars, and no videos"))
  }

  /// The parser has no list of them; its own description has.
  @Test(arguments: [
    ("list", QueryWords.optionsWithValue), ("export", QueryWords.exportOptionsWithValue),
    ("tag", QueryWords.tagOptionsWithValue),
  ])
  func optionsWithValueAreThoseOfTheCommand(command: String, options expected: Set<String>) throws {
    let outcome = try Workspace().agonyfs(command, "--experimental-dump-help")
    let help = try JSONReader.value(of: outcome.bytes)
    let options = help["command"]?["arguments"]?.elements.filter { $0["kind"]?.text == "option" } ?? []
    let names = options.flatMap { $0["names"]?.elements.compactMap { $0["name"]?.text } ?? [] }.map { "--" + $0 }
    #expect(Set(names) == expected, "\(outcome)")
  }
}
