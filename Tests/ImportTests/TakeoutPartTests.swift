import HostFiles
import System
import TestSupport
import Testing

@testable import Import

/// Parts of a Takeout whose photos have their JSONs in other parts.
@Suite struct TakeoutPartTests {
  /// The first part has one photo with its JSON and the JSONs of the others, the second one has these others, and a photo
  /// that the first one has as well.
  private static let script = #"""
    top = "Takeout/Google Photos/"; year, album = top + "Photos from 2019/", top + "Rome/"
    first = {
        year + "a.jpg": data(1, 1000), year + "a.jpg.supplemental-metadata.json": b"title=a.jpg",
        year + "b.jpg.supplemental-metadata.json": b"title=b.jpg", album + "metadata.json": b"title=Rome",
        year + "c.jpg.json": b"title=c.jpg"}
    second = {year + "b.jpg": data(2, 1100), album + "b.jpg": data(2, 1100), year + "c.jpg": data(3, 1200)}
    names = "takeout-20240101T000000Z-001", "takeout-20240101T000000Z-002"

    """#

  private static let zips = #"zipped(names[0] + ".zip", first.items()); zipped(names[1] + ".zip", second.items())"#
  private static let folders = #"""
    for part, files in zip(names, (first, second)):
        for name, content in files.items():
            os.makedirs(os.path.dirname(f"{part}/{name}"), exist_ok=True); open(f"{part}/{name}", "wb").write(content)
    """#

  private static func made(_ form: String) throws -> (archives: ArchiveFixture, names: [String]) {
    let archives = try ArchiveFixture()
    try archives.make(script + form)
    let names = try Directory.names(in: archives.fixture.source).map { String(decoding: $0, as: UTF8.self) }.sorted()
    return (archives, names)
  }

  private static let photos: [String: [UInt8]] = [
    "Photos from 2019/b.jpg": ArchiveFixture.data(2, 1100), "Rome/b.jpg": ArchiveFixture.data(2, 1100),
    "Photos from 2019/c.jpg": ArchiveFixture.data(3, 1200),
  ]

  private static func inode(_ path: String, in archives: ArchiveFixture) throws -> UInt64 {
    try archives.fixture.calls.status(of: Array((archives.fixture.space + "/" + path).utf8), in: nil).inode
  }

  /// A part without a JSON lands where the whole does, and the whole adds what was missing, and nothing else.
  @Test(arguments: [zips, folders]) func photosFirst(_ form: String) throws {
    let (archives, names) = try Self.made(form)
    let alone = try archives.run([names[1]])
    #expect(alone.summary.isWhole && alone.summary.all == 3)
    #expect(try archives.space == Self.photos)
    let before = try Self.inode("Photos from 2019/b.jpg", in: archives)
    let whole = try archives.run(names)
    #expect(whole.summary.isWhole, "\(whole.outcomes)")
    #expect(whole.summary.imported == 5 && whole.summary.known + whole.summary.duplicates == 3, "\(whole.outcomes)")
    let space = try archives.space
    #expect(
      Set(space.keys)
        == Set(Self.photos.keys).union([
          "Photos from 2019/a.jpg", "Photos from 2019/a.jpg.json", "Photos from 2019/b.jpg.json", "Rome/metadata.json",
          "Photos from 2019/c.jpg.json", "Rome/b.jpg.json",
        ]))
    #expect(space["Photos from 2019/b.jpg.json"] == Array("title=b.jpg".utf8))
    #expect(try Self.inode("Photos from 2019/b.jpg", in: archives) == before)
    #expect(try Self.inode("Rome/b.jpg", in: archives) == before)
    #expect(try archives.incoming.isEmpty)
  }

  /// JSONs that came before their photos stay what they are: there is no second copy beside the photo.
  @Test(arguments: [zips, folders]) func descriptionsFirst(_ form: String) throws {
    let (archives, names) = try Self.made(form)
    #expect(try archives.run([names[0]]).summary.isWhole)
    let first = try archives.space
    #expect(
      Set(first.keys) == [
        "Photos from 2019/a.jpg", "Photos from 2019/a.jpg.json", "Rome/metadata.json",
        "Photos from 2019/b.jpg.supplemental-metadata.json", "Photos from 2019/c.jpg.json",
      ])
    let whole = try archives.run(names)
    #expect(whole.summary.isWhole && whole.summary.imported == 2, "\(whole.outcomes)")
    let space = try archives.space
    // The album's name of the photo gets the description as well.
    #expect(Set(space.keys).isSuperset(of: Set(first.keys).union(Self.photos.keys)))
    #expect(space["Photos from 2019/b.jpg.json"] == nil)
    #expect(space["Rome/b.jpg.json"] == Array("title=b.jpg".utf8))
    #expect(space.count(where: { $0.key.hasPrefix("Photos from 2019/") }) == 6)
    #expect(try archives.incoming.isEmpty)
  }

  /// A description with the same bytes beside another photo, under the next number, is no description of this one.
  @Test func theDescriptionOfAnotherPhotoIsNotTaken() throws {
    let (archives, names) = try Self.made(Self.folders)
    #expect(try archives.run([names[1]]).summary.isWhole)
    let year = archives.fixture.space + "/Photos from 2019/"
    try ImportFixture.write(Array("title=x.jpg".utf8), to: year + "b.jpg.supplemental-metadata.json")
    try ImportFixture.write(Array("title=b.jpg".utf8), to: year + "b (2).jpg.supplemental-metadata.json")
    let whole = try archives.run(names)
    #expect(whole.summary.isWhole, "\(whole.outcomes)")
    let space = try archives.space
    #expect(space["Photos from 2019/b.jpg.json"] == Array("title=b.jpg".utf8), "\(whole.outcomes)")
    #expect(space["Photos from 2019/b.jpg.supplemental-metadata.json"] == Array("title=x.jpg".utf8))
    #expect(space["Photos from 2019/b (2).jpg.supplemental-metadata.json"] == Array("title=b.jpg".utf8))
    #expect(try archives.incoming.isEmpty)
  }

  /// The directory that has all others may be the source, or be in one.
  @Test(arguments: ["Takeout", "Takeout/Google Photos", "Takeout/Google Photos/Photos from 2019"])
  func directoriesInside(_ inner: String) throws {
    let (archives, names) = try Self.made(Self.folders)
    let result = try archives.run(["\(names[1])/\(inner)"])
    let isYear = inner.hasSuffix("2019")
    #expect(result.summary.isWhole)
    // A year alone is a folder like others, whose name the command keeps.
    #expect(try Set(archives.space.keys) == (isYear ? ["b.jpg", "c.jpg"] : Set(Self.photos.keys)))
  }

  /// The trash is left out of a part, too, and other folders keep their places.
  @Test func whatIsBesideThem() throws {
    let archives = try ArchiveFixture()
    try archives.make(
      Self.script + #"""
        second[top + "Trash/gone.jpg"] = data(4, 1300)
        zipped(names[1] + ".zip", second.items())
        os.makedirs("Pictures/Trash"); open("Pictures/Trash/mine.jpg", "wb").write(data(5, 1400))
        """#)
    let result = try archives.run(["Pictures", "takeout-20240101T000000Z-002.zip"])
    #expect(result.summary.skipped == 1)
    #expect(try Set(archives.space.keys) == Set(Self.photos.keys).union(["Trash/mine.jpg"]))
  }

  /// Whether photos without any JSON are taken for a Takeout's.
  private static func isKnown(_ path: String, below above: String = "") -> Bool {
    var builder = TakeoutPlan.Builder()
    builder.add(Array(path.utf8), below: Array(above.utf8), part: 0, nil)
    return builder.plan(includesTrash: false, isForced: false) != nil
  }

  @Test(arguments: [
    "Takeout/Google Photos/Rome/a.jpg", "Takeout/Google Fotos/Fotos von 2019/a.jpg", "x/Takeout/Zdjęcia Google/a.jpg",
    "Google Photos/Photos from 2019/a.jpg", "Takeout/Unknown language/Photos from 2019/a.jpg",
    "Takeout/Google フォト/2019年の写真/a.jpg",
  ])
  func partsAreKnown(_ path: String) { #expect(Self.isKnown(path)) }

  @Test(arguments: [
    "Photos/a.jpg", "Photos/2019/a.jpg", "Google Photos/Rome/a.jpg", "Photos from 2019/a.jpg", "Takeout/a.jpg",
    "Takeout/Photos/a.jpg", "Takeout/Mail/a.jpg", "takeout/Google Photos/a.jpg", "Takeout/x/Google Photos/a.jpg",
    "Photos from 2019/Google Photos/a.jpg", "Takeout/Google Photos",
  ])
  func othersAreNot(_ path: String) {
    #expect(!Self.isKnown(path))
    #expect(!Self.isKnown(path, below: "takeout-20240101T000000Z-002.zip"))
  }

  @Test func whereASourceLiesCounts() {
    #expect(Self.isKnown("Rome/a.jpg", below: "/home/ann/Takeout/Google Photos"))
    #expect(Self.isKnown("Google Photos/Rome/a.jpg", below: "/home/ann/Takeout"))
    #expect(!Self.isKnown("a.jpg", below: "/home/ann/Takeout/Google Photos/Rome"))
    #expect(!Self.isKnown("a.jpg", below: "/home/ann/Google Photos/Photos from 2019"))
    #expect(!Self.isKnown("Rome/a.jpg", below: "/home/ann/Google Photos"))
  }

  private static func parts(_ names: String...) -> TakeoutParts {
    var parts = TakeoutParts()
    for name in names { parts.add(Array(name.utf8)) }
    return parts
  }

  @Test func missingPartsAreKnownByNumbers() {
    let export = "takeout-20240101T000000Z"
    #expect(Self.parts("\(export)-001.zip", "\(export)-002.tgz").missing.isEmpty)
    #expect(Self.parts("\(export)-002.zip").missing == ["\(export)-001"])
    #expect(Self.parts("\(export)-002.zip").last == ["\(export)-002"])
    #expect(Self.parts("\(export)-004", "\(export)-006 (1).zip").missing == ["\(export)-001 to -003", "-005"])
    // Two exports are counted by themselves, and so are archives of different numbers before that of the part.
    let both = Self.parts(
      "\(export)-002.zip", "takeout-20240202T000000Z-3-002.zip", "takeout-20240202T000000Z-3-001.zip")
    #expect(both.missing == ["\(export)-001"])
    #expect(both.last == ["\(export)-002", "takeout-20240202T000000Z-3-002"])
    #expect(Self.parts("\(export)-1000.zip").missing == ["\(export)-001 to -999"])
  }

  @Test(arguments: [
    "takeout-002.zip", "takeout-20240101T000000Z.zip", "takeout-20240101T000000Z-02.zip",
    "takeout-20240101-000000-002.zip",
    "takeout-20240101T000000Z-002x.zip", "takeout-20240101T000000Z-000.zip", "takeout-20240101T000000Z-a-002.zip", "",
    "takeout-20240101T000000Z-99999.zip", "my-takeout-20240101T000000Z-002.zip",
  ])
  func otherNamesHaveNoNumber(_ name: String) { #expect(Self.parts(name) == TakeoutParts()) }
}
