import Glibc
import HostFiles
import System
import SystemPackage
import TestSupport
import Testing

@testable import Import

/// What it means for numbers, links and sidecars that names belong together.
@Suite struct CompanionTests {
  @Test func aNumberGoesAfterTheStem() {
    for (name, numbered) in [
      ("a.jpg", "a (2).jpg"), ("a.jpg.xmp", "a (2).jpg.xmp"), ("Rome.001.jpg.xmp", "Rome.001 (2).jpg.xmp"),
      ("2014-08-25 17.20.00.jpg", "2014-08-25 17.20.00 (2).jpg"), ("a-edited.jpg", "a (2)-edited.jpg"),
      ("a.tar.gz", "a.tar (2).gz"), ("a", "a (2)"), ("IMG_E0001.JPG", "IMG_E0001 (2).JPG"), (".x.jpg", ".x (2).jpg"),
    ] {
      #expect(String(decoding: WantedName(Array(name.utf8)).numbered(2), as: UTF8.self) == numbered)
    }
  }

  /// Everything into one album, in place of sorting by day.
  private struct OneDay: AlbumSorter {
    func albums(of group: [SortedFile]) -> [SortedAlbum] { group.map { _ in SortedAlbum([Array("day".utf8)]) } }
  }

  private static func names(_ fixture: ImportFixture) throws -> Set<String> {
    Set(try ImportFixture.files(in: fixture.space).keys)
  }

  /// Two cards that count from 1, both in one run.
  @Test func aGroupKeepsItsNumberWithinOneRun() throws {
    let fixture = try ImportFixture()
    try fixture.put("100/IMG_0001.JPG", [1, 1])
    let companions = ["JPG": [2], "JPG.xmp": [3], "MOV": [4, 4], "THM": [5], "WAV": [6, 6, 6]] as [String: [UInt8]]
    for (ending, bytes) in companions { try fixture.put("101/IMG_0001.\(ending)", bytes) }
    for _ in 0..<2 {
      let summary = fixture.run { $0.sorter = OneDay() }.summary
      #expect(summary.isWhole)
      let found = try ImportFixture.files(in: fixture.space)
      #expect(found.count == 6 && found["day/IMG_0001.JPG"] == [1, 1])
      for (ending, bytes) in companions { #expect(found["day/IMG_0001 (2).\(ending)"] == bytes, "\(ending)") }
    }
  }

  /// As a shell names them.
  @Test func filesThatAreNamedBelongTogetherAsWell() throws {
    let fixture = try ImportFixture()
    try ImportFixture.write([1, 1], to: fixture.space + "/a.jpg")
    for (path, bytes) in [("a.jpg", [2]), ("b.jpg", [3]), ("a.jpg.xmp", [4]), ("b.xmp", [5])] as [(String, [UInt8])] {
      try fixture.put(path, bytes)
    }
    let sources = ["a.jpg", "b.jpg", "a.jpg.xmp", "b.xmp"].map { fixture.source + "/" + $0 }
    #expect(fixture.run(sources).summary.imported == 4)
    #expect(try Self.names(fixture) == ["a.jpg", "a (2).jpg", "a (2).jpg.xmp", "b.jpg", "b.xmp"])
    #expect(fixture.run(sources).summary.known == 4)
  }

  /// A trial names what a run would.
  @Test func aTrialGivesTheSameNumbers() throws {
    let fixture = try ImportFixture()
    for (path, bytes) in [("1/a.jpg", [1]), ("2/a.jpg", [2, 2]), ("2/a.jpg.xmp", [3])] as [(String, [UInt8])] {
      try fixture.put(path, bytes)
    }
    func paths(isTrial: Bool) -> Set<[UInt8]> {
      let run = fixture.run {
        $0.sorter = OneDay()
        $0.isTrial = isTrial
      }
      return Set(run.outcomes.values.compactMap(\.path))
    }
    let planned = paths(isTrial: true)
    #expect(planned == paths(isTrial: false) && planned.contains(Array("day/a (2).jpg.xmp".utf8)))
  }

  /// A photo of another ending goes beside no sidecar that is not its own, and a sidecar beside no other photo.
  @Test func noSidecarLiesBesideAnotherPhoto() throws {
    let fixture = try ImportFixture()
    try fixture.put("1/a.jpg", [1])
    try fixture.put("1/a.xmp", [2])
    try fixture.put("2/a.heic", [3])
    try fixture.put("3/b.jpg", [4])
    try fixture.put("4/b.dng", [5])
    try fixture.put("4/b.xmp", [6])
    // A raw file and its JPEG on two cards are one photo.
    try fixture.put("5/c.dng", [7])
    try fixture.put("6/c.jpg", [8])
    fixture.run { $0.sorter = OneDay() }
    let expected = ["a.jpg", "a.xmp", "a (2).heic", "b.jpg", "b (2).dng", "b (2).xmp", "c.dng", "c.jpg"]
    #expect(try Self.names(fixture) == Set(expected.map { "day/" + $0 }))
    #expect(fixture.run { $0.sorter = OneDay() }.summary.known == 8)
    #expect(try Self.names(fixture).count == 8)
    // One that comes alone goes where it is named.
    try ImportFixture.write([9], to: fixture.space + "/late/d.jpg")
    try fixture.put("d.jpg.xmp", [10])
    fixture.run([fixture.source + "/d.jpg.xmp"]) { $0.album = [Array("late".utf8)] }
    #expect(try Self.names(fixture).contains("late/d.jpg.xmp"))
  }

  /// The members of a group in an archive get one number as well.
  @Test(arguments: [true, false]) func aGroupInAnArchiveKeepsItsNumber(isSorted: Bool) throws {
    let archives = try ArchiveFixture()
    let album = isSorted ? "day" : "s"
    try ImportFixture.write([1], to: archives.fixture.space + "/\(album)/a.jpg")
    try archives.make(
      #"tarred("x.tar", [("s/a.jpg", data(1, 50)), ("s/a.jpg.xmp", data(2, 60)), ("s/a.mov", data(3, 9))])"#)
    for _ in 0..<2 {
      _ = try archives.run(["x.tar"], sorter: isSorted ? OneDay() : nil)
      let expected = ["a.jpg", "a (2).jpg", "a (2).jpg.xmp", "a (2).mov"].map { "\(album)/\($0)" }
      #expect(try Set(archives.space.keys) == Set(expected))
    }
  }

  private static func inode(_ fixture: ImportFixture, _ path: String) throws -> UInt64 {
    var information = stat()
    try systemCall { unsafe stat(fixture.space + "/" + path, &information) }
    return UInt64(information.st_ino)
  }

  /// Sidecars of equal bytes are files of their own.
  @Test(arguments: ["xmp", "json", "aae", "thm", "srt", "txt"])
  func onlyPhotosAndVideosShareTheirBytes(ending: String) throws {
    let fixture = try ImportFixture()
    for number in 1...3 {
      try fixture.put("\(number)/p\(number).jpg", [UInt8(number), 9])
      try fixture.put("\(number)/p\(number).\(ending)", [7, 7, 7])
    }
    let summary = fixture.run().summary
    #expect(summary.imported == 6 && summary.duplicates == 0)
    let inodes = try (1...3).map { try Self.inode(fixture, "\($0)/p\($0).\(ending)") }
    #expect(Set(inodes).count == 3)
    #expect(fixture.run().summary.known == 6)
  }

  /// A photo in two albums with equal sidecars is one photo with one sidecar.
  @Test func aSidecarIsALinkWhereItsPhotoIs() throws {
    let fixture = try ImportFixture()
    for album in ["a", "b"] {
      try fixture.put(album + "/p.jpg", [1, 2, 3])
      try fixture.put(album + "/p.jpg.xmp", [4, 5])
    }
    #expect(fixture.run().summary.isWhole)
    #expect(try Self.inode(fixture, "a/p.jpg") == Self.inode(fixture, "b/p.jpg"))
    #expect(try Self.inode(fixture, "a/p.jpg.xmp") == Self.inode(fixture, "b/p.jpg.xmp"))
  }

  /// What only the second copy of a photo says counts for the first one, also if that comes later.
  @Test(arguments: ["p.xmp", "p.jpg.xmp", "p.aae", "p.jpg.json"])
  func wordsOfASecondCopyCount(sidecar: String) throws {
    let fixture = try ImportFixture()
    try ImportFixture.write([1, 2, 3], to: fixture.space + "/old/q.jpg")
    try fixture.put("new/p.jpg", [1, 2, 3])
    if sidecar == "p.jpg.xmp" { fixture.run() }
    try fixture.put("new/" + sidecar, [4])
    #expect(fixture.run().summary.isWhole)
    let ending = sidecar.suffix(4)
    let beside = ending == ".aae" ? "old/q.aae" : "old/q.jpg" + (ending == "json" ? ".json" : ending)
    #expect(try ImportFixture.read(fixture.space + "/" + beside) == [4])
    #expect(try Self.inode(fixture, beside) == Self.inode(fixture, "new/" + sidecar))
    let before = try Self.names(fixture)
    fixture.run()
    #expect(try Self.names(fixture) == before)
  }

  /// Where both have one, each keeps its own; one of another photo is no photo's.
  @Test func wordsThatAreThereAreNotReplaced() throws {
    let fixture = try ImportFixture()
    let stored = ["q.jpg": [1, 2, 3], "q.jpg.xmp": [5], "q.heic": [6], "q.heic.json": [7]] as [String: [UInt8]]
    for (path, bytes) in stored {
      try ImportFixture.write(bytes, to: fixture.space + "/old/" + path)
    }
    try fixture.put("new/p.jpg", [1, 2, 3])
    try fixture.put("new/p.xmp", [4])
    fixture.run()
    let expected = ["old/q.jpg", "old/q.jpg.xmp", "old/q.heic", "old/q.heic.json", "new/p.jpg", "new/p.xmp"]
    #expect(try Self.names(fixture) == Set(expected))
  }
}
