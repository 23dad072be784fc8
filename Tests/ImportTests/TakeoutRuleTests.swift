import Catalog
import Testing

@testable import Import

/// A test for each rule by which a file gets its JSON.
@Suite struct TakeoutRuleTests {
  /// Names of files of one directory, with the name of the JSON that each got, and JSONs that none got.
  struct Outcome: Equatable {
    var found: [String: String] = [:]
    var rules: [String: TakeoutRule] = [:]
    var unused: [String] = []
  }

  static func outcome(_ names: [String], titles: [String: String] = [:]) -> Outcome {
    var tree = TakeoutTree()
    for name in names {
      tree.add(path: Array("Takeout/Google Photos/A/\(name)".utf8), title: titles[name].map { Array($0.utf8) })
    }
    let matches = tree.matched()
    var outcome = Outcome()
    for (name, state) in zip(names, matches.states) {
      switch state {
      case .matched(let json, let rule):
        outcome.found[name] = names[json]
        outcome.rules[name] = rule
      case .unused: outcome.unused.append(name)
      default: break
      }
    }
    outcome.unused.sort()
    return outcome
  }

  @Test(arguments: [
    ("X.jpg", "X.jpg.json", TakeoutRule.exactName), ("X", "X.json", .exactName), ("X.jpg", "X.jpg.JSON", .exactName),
    ("X.JPG", "X.jpg.json", .exactName), ("É.jpg", "E\u{301}.jpg.json", .exactName),
    ("é.jpg", "É.jpg.json", .exactName),
    ("PXL_20210102_221126856.MP~2.jpg", "PXL_20210102_221126856.MP~2.jpg.json", .exactName),
    ("X.jpg", "X.jpg.supplemental-metadata.json", .supplemental), ("X.jpg", "X.jpg.suppl.json", .supplemental),
    ("X.jpg", "X.jpg.s.json", .supplemental), ("X.jpg", "X.jpg..json", .supplemental),
    ("X.jpg", "X.jpg.metadata.json", .supplemental), ("X(1).jpg", "X(1).jpg.supplemental-me.json", .supplemental),
    ("X(1).jpg", "X.jpg(1).json", .index), ("X(1).jpg", "X.jpg.supplemental-metadata(1).json", .index),
    ("X(1).jpg", "X.jpg(1).supplemental-metadata.json", .index), ("X(1).jpg", "X.jpg.suppl(1).json", .index),
    ("X(1)(2).jpg", "X(1).jpg(2).json", .index),
    ("X.jpg", "X.json", .missingEnding), ("X(2).jpg", "X(2).json", .missingEnding),
    ("X.jpg", "X.j.json", .missingEnding),
    ("X.jpg", "X.supplemental-metadata.json", .missingEnding), ("X", "X.jpg.json", .missingEnding),
    ("X.mp4", "X.json", .missingEnding), ("X(1)", "X.jpg(1).json", .missingEnding),
    ("X.mp4", "X.HEIC.supplemental-metadata.json", .livePhoto),
    ("X(1).mp4", "X.HEIC.supplemental-metadata(1).json", .livePhoto), ("X.MOV", "X.jpg.json", .livePhoto),
    (
      "IMG_0123456789012345678901234567890123456.MOV", "IMG_0123456789012345678901234567890123456.HEIC.json", .livePhoto
    ),
    (
      "IMG_01234567890123456789012345678901234567.MOV", "IMG_01234567890123456789012345678901234567.HEI.json",
      .livePhoto
    ),
    ("X-edited.jpg", "X.jpg.json", .edited), ("X-bearbeitet(1).jpg", "X.jpg(1).json", .edited),
    ("X(3)-edited.jpg", "X.jpg(3).json", .edited), ("X-modifié.jpg", "X.HEIC.supplemental-metadata.json", .edited),
  ])
  func rule(_ file: String, _ json: String, _ rule: TakeoutRule) {
    #expect(Self.outcome([file, json]) == Outcome(found: [file: json], rules: [file: rule]))
    // It is no other file's.
    let other = Self.outcome(["Y.jpg", "X(7).jpg", "XX.jpg", "X-2.mp4", "Y-edited.jpg", json])
    #expect(other == Outcome(unused: [json]))
  }

  /// Names as Takeout gave them to others.
  @Test(arguments: [
    ("PXL_20230809_203449253.LONG_EXPOSURE-02.ORIGINA.jpg", "PXL_20230809_203449253.LONG_EXPOSURE-02.ORIGIN.json"),
    ("05yqt21kruxwwlhhgrwrdyb6chhwszi9bqmzu16w0 2.jpg", "05yqt21kruxwwlhhgrwrdyb6chhwszi9bqmzu16w0 2.jp.json"),
    ("😀😃😄😁😆😅😂🤣🥲☺️😊😇🙂🙃😉😌😍🥰😘😗😙😚😋😛.jpg", "😀😃😄😁😆😅😂🤣🥲☺️😊😇🙂🙃😉😌😍🥰😘😗😙😚😋.json"),
    (
      "Backyard_ceremony_wedding_photography_xxxxxxx_m(494).jpg",
      "Backyard_ceremony_wedding_photography_xxxxxxx_(494).json"
    ),
    (
      "13039_327707840323_537645323_9470255_27214_n(1).jpg", "13039_327707840323_537645323_9470255_27214_n.j(1).json"
    ),
    ("Ürlaub ïn Knaufspesch ïn dér Schnéifel (38).JPG", "Ürlaub ïn Knaufspesch ïn dér Schnéifel (38).JP.json"),
    (
      "a_name_of_more_than_fifty_one_characters_that_is_kept.jpg",
      "a_name_of_more_than_fifty_one_characters_that_is_ke.json"
    ),
  ])
  func cutNames(_ file: String, _ json: String) {
    let outcome = Self.outcome([file, json])
    #expect(outcome.found == [file: json])
    #expect(outcome.rules[file] == .cutName || outcome.rules[file] == .missingEnding)
  }

  @Test func accentsThatWereWrittenInAnotherWayAreCutAsWell() {
    // Takeout cut "é" as one character; another program wrote it as two.
    let json = String(repeating: "é", count: 46) + ".json"
    let file = String(repeating: "e\u{301}", count: 50) + ".jpg"
    #expect(Self.outcome([file, json]).found == [file: json])
  }

  @Test func aCutMayGoThroughACharacter() {
    // 45 units of UTF-16, 44 scalars.
    let start = "😀" + String(repeating: "n", count: 43)
    for json in [start + ".json", start + "😀.json"] {
      #expect(Self.outcome([start + "😀😀😀.jpg", json]).rules == [start + "😀😀😀.jpg": .cutName])
    }
  }

  @Test func aTitleNamesTheFile() {
    #expect(
      Self.outcome(["Photo 1.jpg", "x.json"], titles: ["x.json": "Photo 1.jpg"]).rules == ["Photo 1.jpg": .title])
    // Characters that no name has.
    #expect(Self.outcome(["Q_A_ 1_2.jpg", "x.json"], titles: ["x.json": "Q&A: 1/2.jpg"]).rules.count == 1)
    // A title that was cut before the ending.
    let stem = "Backyard_ceremony_wedding_photography_xxxxxxx_m"
    #expect(Self.outcome([stem + ".jpg", "x.json"], titles: ["x.json": stem + "ore_of_it.jpg"]).rules.count == 1)
    // The number of a copy is in the name only.
    let two = Self.outcome(
      ["X.jpg", "X(1).jpg", "y.json", "y(1).json"], titles: ["y.json": "X.jpg", "y(1).json": "X.jpg"])
    #expect(two.found == ["X.jpg": "y.json", "X(1).jpg": "y(1).json"])
    // Names that were cut alike are told apart by titles.
    let long = String(repeating: "n", count: 46)
    let cut = Self.outcome(
      [long + "a.jpg", long + "b.jpg", long + ".json", long + "(1).json"],
      titles: [long + ".json": long + "b.jpg", long + "(1).json": long + "a.jpg"])
    #expect(cut.found[long + "b.jpg"] == long + ".json")
    #expect(cut.found[long + "a.jpg"] == nil)
  }

  /// A name that says all is surer than a title, which anyone may have written.
  @Test func aNameIsSurerThanATitle() {
    let titles = ["X.jpg.supplemental-metadata.json": "Y.jpg", "Y.jpg.json": "X.jpg"]
    let outcome = Self.outcome(["X.jpg", "Y.jpg"] + titles.keys, titles: titles)
    #expect(outcome.found == ["X.jpg": "X.jpg.supplemental-metadata.json", "Y.jpg": "Y.jpg.json"])
  }

  @Test func nothingIsGuessed() {
    #expect(Self.outcome(["X.jpg", "X.png", "X.json"]) == Outcome(unused: ["X.json"]))
    let long = String(repeating: "n", count: 46)
    #expect(Self.outcome([long + "a.jpg", long + "b.jpg", long + ".json"]) == Outcome(unused: [long + ".json"]))
    #expect(
      Self.outcome(["X.jpg", "a.json", "b.json"], titles: ["a.json": "X.jpg", "b.json": "X.jpg"])
        == Outcome(unused: ["a.json", "b.json"]))
    #expect(Self.outcome(["X.jpg", "X.jpg(1).json"]) == Outcome(unused: ["X.jpg(1).json"]))
    #expect(Self.outcome(["X(1).jpg", "X.jpg.json"]) == Outcome(unused: ["X.jpg.json"]))
    #expect(Self.outcome(["X(1).jpg", "X.jpg(2).json"]) == Outcome(unused: ["X.jpg(2).json"]))
    #expect(Self.outcome(["X.jpg", "X(1).jpg", "X.jpg.json"]).found == ["X.jpg": "X.jpg.json"])
    #expect(Self.outcome(["X(01).jpg", "X.jpg(1).json"]).found == [:])
    // The JSON of a file that was named "X(1).jpg", and neither of a copy of that nor of "X.jpg".
    let other = "X(1).jpg.json"
    #expect(Self.outcome(["X(1)(1).jpg", other], titles: [other: "X(1).jpg"]).found == [:])
    #expect(Self.outcome(["X.jpg", other], titles: [other: "X.jpg"]).found == [:])
    // Neither of the originals is the likelier one.
    #expect(
      Self.outcome(["X.png", "X.webp", "X.png.json", "X.webp.json", "X-edited.tif"]).found["X-edited.tif"] == nil)
  }

  @Test func namesThatDifferInCaseOnlyAreTwo() {
    let outcome = Self.outcome(["X.JPG", "X.jpg", "X.jpg.json", "X.JPG.json"])
    #expect(outcome.found == ["X.JPG": "X.JPG.json", "X.jpg": "X.jpg.json"])
    #expect(Self.outcome(["X.JPG", "X.jpg", "x.jpg.json"]) == Outcome(unused: ["x.jpg.json"]))
    let small = String(repeating: "n", count: 46)
    let large = small.uppercased()
    #expect(
      Self.outcome([small + "1.jpg", large + "1.jpg", small + ".json", large + ".json"]).found == [
        small + "1.jpg": small + ".json", large + "1.jpg": large + ".json",
      ])
  }

  @Test func ofTwoExportsTheNewerFormIsTaken() {
    let jsons = ["X.jpg.suppl.json", "X.jpg.supplemental-metadata.json"]
    #expect(Self.outcome(["X.jpg"] + jsons).found == ["X.jpg": jsons[1]])
  }

  @Test func aVideoHasItsPhotosJSON() {
    let json = "X.HEIC.supplemental-metadata.json"
    let outcome = Self.outcome(["X.HEIC", "X.MP4", "X-edited.HEIC", "X-edited.MP4", json])
    #expect(
      outcome.rules == [
        "X.HEIC": .supplemental, "X.MP4": .livePhoto, "X-edited.HEIC": .edited, "X-edited.MP4": .edited,
      ])
    #expect(Self.outcome(["P.MP.jpg", "P.MP", "P.MP.jpg.json"]).rules == ["P.MP.jpg": .exactName, "P.MP": .livePhoto])
    // Its own is the video's.
    #expect(Self.outcome(["X.jpg", "X.mp4", "X.jpg.json", "X.mp4.json"]).rules.values.allSatisfy { $0 == .exactName })
    // A JSON that is named as the video is, but is the photo's.
    let titles = ["L.MP4.metadata.json": "L.jpeg"]
    #expect(Self.outcome(["L.jpeg", "L.MP4"] + titles.keys, titles: titles).rules.count == 2)
    #expect(Self.outcome(["L.jpeg", "L.MP4"] + titles.keys).found["L.jpeg"] == nil)
    // The photo has it where only one can.
    #expect(Self.outcome(["X.jpg", "X.mp4", "X.json"]).rules == ["X.jpg": .missingEnding, "X.mp4": .livePhoto])
  }

  @Test(arguments: EditedSuffixes.all)
  func everyLanguageOfEdited(_ suffix: String) {
    let files = ["X.jpg", "X\(suffix).jpg", "X\(suffix.uppercased())(1).jpg", "X(1).jpg"]
    let outcome = Self.outcome(files + ["X.jpg.json", "X.jpg.supplemental-metadata(1).json"])
    #expect(outcome.found[files[1]] == "X.jpg.json")
    #expect(outcome.found[files[2]] == "X.jpg.supplemental-metadata(1).json")
  }

  @Test func suffixesOfEditedVersionsThatWereCut() {
    let stem = String(repeating: "n", count: 42)
    for suffix in ["-e", "-edit", "-bearb", "-ha edi", "-modifi"] {
      let files = [stem + ".jpg", stem + suffix + ".jpg"]
      #expect(Self.outcome(files + [stem + ".jpg.json"]).rules == [files[0]: .exactName, files[1]: .edited])
    }
    #expect(Self.outcome(["X.jpg", "X-e.jpg", "X.jpg.json"]).found["X-e.jpg"] == nil)
    // Nothing is left of the suffix.
    let file = "original_1d4caa6f-16c6-4c3d-901b-9387de10e528_P"
    let json = "original_1d4caa6f-16c6-4c3d-901b-9387de10e528_.json"
    #expect(
      Self.outcome([file + ".jpg", file + "(1).jpg", json]).rules == [
        file + ".jpg": .cutName, file + "(1).jpg": .edited,
      ])
  }
}
