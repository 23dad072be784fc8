import System
import TestSupport
import Testing

@testable import Import

@Suite struct TakeoutImportTests {
  /// A Takeout of two parts: JSONs in the other one, an album with a second occurrence, a live photo, an edited version,
  /// a cut name, one that nothing describes, and the trash.
  private static let script = #"""
    top = "Takeout/Google Photos/"; year, album = top + "Photos from 2019/", top + "Rome/"
    def json(title): return f"title={title}".encode()
    long = "n" * 60 + ".jpg"
    files = {
        year + "a.jpg": data(1, 1000), year + "a.jpg.supplemental-metadata.json": json("a.jpg"),
        album + "a.jpg": data(1, 1000),
        album + "metadata.json": json("Rome"),
        year + "live.heic": data(2, 1100), year + "live.mp4": data(3, 1200), year + "live.heic.suppl.json": json("live.heic"),
        year + "b.jpg": data(4, 1300), year + "b-edited.jpg": data(5, 1400), year + "b.jpg.json": json("b.jpg"),
        year + long[:47] + ".jpg": data(6, 1500), year + long[:46] + ".json": json(long),
        year + "b(1).jpg": data(7, 1600), year + "b.jpg(1).json": json("b.jpg"),
        year + "alone.jpg": data(8, 1700), year + "nothing.jpg.json": json("nothing.jpg"),
        top + "Trash/gone.jpg": data(9, 1800), top + "Trash/gone.jpg.json": json("gone.jpg"),
    }
    first = {name: content for name, content in files.items() if name.endswith("json")}
    rest = {name: content for name, content in files.items() if name not in first}
    moved = year + "b.jpg.json"; rest[moved] = first.pop(moved)

    """#

  private static let expected: Set<String> = [
    "Photos from 2019/a.jpg", "Photos from 2019/a.jpg.json", "Rome/a.jpg", "Rome/a.jpg.json", "Rome/metadata.json",
    "Photos from 2019/live.heic", "Photos from 2019/live.mp4", "Photos from 2019/live.heic.json",
    "Photos from 2019/b.jpg", "Photos from 2019/b-edited.jpg", "Photos from 2019/b.jpg.json",
    "Photos from 2019/\(String(repeating: "n", count: 47)).jpg",
    "Photos from 2019/\(String(repeating: "n", count: 47)).jpg.json", "Photos from 2019/b(1).jpg",
    "Photos from 2019/b(1).jpg.json", "Photos from 2019/alone.jpg", "Photos from 2019/nothing.jpg.json",
  ]

  private static let forms = [
    #"zipped("one.zip", first.items()); tarred("two.tgz", rest.items())"#,
    #"tarred("one.tgz", rest.items()); zipped("two.zip", first.items())"#,
    #"""
    for part, files in ("one", first), ("two", rest):
        for name, content in files.items():
            os.makedirs(os.path.dirname(f"{part}/{name}"), exist_ok=True); open(f"{part}/{name}", "wb").write(content)
    """#,
  ]

  /// What was made: archives, or directories.
  private static func sources(_ archives: ArchiveFixture) throws -> [String] {
    try Directory.names(in: archives.fixture.source).map { String(decoding: $0, as: UTF8.self) }.sorted()
  }

  @Test(arguments: forms) func allPartsTogether(_ form: String) throws {
    let archives = try ArchiveFixture()
    try archives.make(Self.script + form)
    let names = try Self.sources(archives)
    let result = try archives.run(names, deletes: true)
    #expect(result.outcomes.count == 18 && result.summary.all == 18)
    #expect(result.summary.skipped == 2 && result.summary.failed == 0)
    let space = try archives.space
    #expect(Set(space.keys) == Self.expected)
    #expect(space["Photos from 2019/b(1).jpg"] == ArchiveFixture.data(7, 1600))
    #expect(space["Photos from 2019/b(1).jpg.json"] == Array("title=b.jpg".utf8))
    #expect(space["Photos from 2019/live.mp4"] == ArchiveFixture.data(3, 1200))
    // It goes as a whole, and the trash is not in the space.
    #expect(result.deleted.isEmpty && result.summary.isTakeoutKept)
    let second = try archives.run(names, deletes: true, includesTrash: true)
    #expect(second.summary.isWhole, "\(second.outcomes)")
    let all = try archives.space
    #expect(Set(all.keys) == Self.expected.union(["Trash/gone.jpg", "Trash/gone.jpg.json"]))
    #expect(all.filter { !$0.key.hasPrefix("Trash") } == space)
    #expect(second.deleted.allSatisfy { $0 == .deleted } && !second.deleted.isEmpty)
    #expect(try archives.source.isEmpty && archives.incoming.isEmpty)
  }

  /// A photo whose name is taken gets a number, and its JSON goes with it, not to the photo that was there.
  @Test(arguments: forms) func descriptionsFollowTheirFiles(_ form: String) throws {
    let archives = try ArchiveFixture()
    try archives.make(Self.script + form)
    try ImportFixture.write([1, 2, 3], to: archives.fixture.space + "/Photos from 2019/b.jpg")
    _ = try archives.run(try Self.sources(archives))
    let space = try archives.space
    #expect(space["Photos from 2019/b.jpg"] == [1, 2, 3])
    #expect(space["Photos from 2019/b.jpg.json"] == nil)
    #expect(space["Photos from 2019/b (2).jpg"] == ArchiveFixture.data(4, 1300))
    #expect(space["Photos from 2019/b (2).jpg.json"] == Array("title=b.jpg".utf8))
  }
}
