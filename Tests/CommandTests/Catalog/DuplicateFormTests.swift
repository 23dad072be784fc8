import Catalog
import Glibc
import TestSupport
import Testing

@testable import Client
@testable import agonyfs

/// Which of several files is kept, and what it takes over.
@Suite struct DuplicateFormTests {
  private func group(_ members: String..., kind: String = "pixels") throws -> DuplicateGroup {
    try DuplicateGroup("{\"kind\":\"\(kind)\",\"members\":[\(members.joined(separator: ","))]}".utf8)
  }

  private func first(_ group: DuplicateGroup, _ keeping: DuplicateGroup.Keeping) -> String {
    String(decoding: group.sorted(by: keeping)[0].path, as: UTF8.self)
  }

  @Test func whatIsKept() throws {
    let found = try group(
      "{\"path\":\"b\",\"width\":100,\"height\":100,\"size\":500,\"taken\":\"2019-01-01T00:00:00\"}",
      "{\"path\":\"a\",\"width\":200,\"height\":100,\"size\":400,\"taken\":\"2020-01-01T00:00:00\"}",
      "{\"path\":\"c\",\"size\":900}")
    #expect(first(found, .best) == "a")
    #expect(first(found, .largest) == "c")
    #expect(first(found, .oldest) == "b")
    // Of two albums with the same photos one is kept as a whole.
    let same = try group("{\"path\":\"y/1\",\"size\":5}", "{\"path\":\"x/2\",\"size\":5}")
    for keeping in DuplicateGroup.Keeping.allCases { #expect(first(same, keeping) == "x/2") }
    let bytes = try group("{\"path\":\"\u{FFFD}\",\"pathBytes\":\"ff\",\"names\":[\"\u{FFFD}\"]}", "{\"path\":\"x\"}")
    #expect(bytes.members[0].path == [0xFF])
  }

  @Test func theCamerasOwnFileIsKept() throws {
    let found = try group(
      "{\"path\":\"large\",\"width\":400,\"height\":300,\"size\":900}",
      "{\"path\":\"own\",\"width\":200,\"height\":100,\"size\":400,\"ownFacts\":3,\"taken\":\"2020-01-01T00:00:00+01:00\""
        + ",\"modified\":\"2020-01-01T00:00:00Z\"}",
      "{\"path\":\"late\",\"width\":200,\"height\":100,\"size\":500,\"ownFacts\":3,\"taken\":\"2020-01-01T00:00:00\""
        + ",\"modified\":\"2021-01-01T00:00:00Z\"}",
      "{\"path\":\"small\",\"width\":20,\"height\":10,\"size\":5,\"ownFacts\":3,\"taken\":\"2010-01-01T00:00:00\"}")
    #expect(found.sorted(by: .best).map(\.path) == ["own", "late", "small", "large"].map { Array($0.utf8) })
  }

  /// Each is compared with the one that is kept, not with the first of the group.
  @Test func onlyWhatLooksLikeTheKeptOneGoes() throws {
    let members = [
      "{\"path\":\"first\",\"look\":\"000000000000000f\",\"size\":7}",
      "{\"path\":\"kept\",\"look\":\"00000000000000ff\",\"size\":9,\"stack\":{\"number\":4}}",
      "{\"path\":\"other\",\"look\":\"0000000000000f00\",\"size\":8}",
      "{\"path\":\"burst\",\"look\":\"00000000000000ff\",\"stack\":{\"number\":4}}",
    ]
    func paths(_ members: [DuplicateGroup.Member]) -> [String] {
      members.map { String(decoding: $0.path, as: UTF8.self) }
    }
    let found = try group(members.joined(separator: ","), kind: "similar")
    let same = try group(members.joined(separator: ","))
    #expect(same.others(than: same.members[1]).staying.isEmpty)
    let others = found.others(than: found.members[1])
    #expect(paths(others.going) == ["first"])
    #expect(paths(others.staying) == ["other", "burst"])
    let linked = found.members[0].under { $0 == Array("first".utf8) }
    #expect(linked?.room == 7)
    let names = try group("{\"path\":\"a/1\",\"names\":[\"a/1\",\"b/1\"],\"size\":5}")
    #expect(names.members[0].under { $0.starts(with: "a/".utf8) }?.room == 0)
  }

  @Test func timeAndPlaceAreTakenOver() throws {
    func value(_ text: String) throws -> JSONValue { try JSONReader.value(of: Array(text.utf8)) }
    let bare = try value("{\"taken\":\"2024-01-01T00:00:00\",\"takenSource\":\"modified\"}")
    let full = try value(
      "{\"taken\":\"2019-07-14T21:30:05+02:00\",\"takenSource\":\"exif\",\"latitude\":48.8584,\"longitude\":2.2945,"
        + "\"title\":\"Tower\"}")
    let change = try DuplicateMerge.change(of: bare, [:], by: [full])
    #expect(
      change.values == [
        .taken: Array("2019-07-14T21:30:05+02:00".utf8), .position: Array("48.8584,2.2945".utf8),
        .title: Array("Tower".utf8),
      ])
    #expect(try DuplicateMerge.change(of: full, [:], by: [bare]).isEmpty)
    #expect(try DuplicateMerge.change(of: bare, [.position: Array("none".utf8)], by: [full]).values[.position] == nil)
    // A sidecar that comes to a file does not speak over it.
    let other = try value("{\"title\":\"Other\",\"latitude\":1.5,\"longitude\":2.5}")
    let own = try DuplicateMerge.own(full, [.title: []], differingFrom: [other])
    #expect(own == [.position: Array("48.8584,2.2945".utf8)])
  }

  @Test func whatIsTakenOver() throws {
    func value(_ text: String) throws -> JSONValue { try JSONReader.value(of: Array(text.utf8)) }
    let own = try value("{\"tags\":[\"Sun\"],\"rating\":3,\"title\":\"Mine\"}")
    let others = try [
      value("{\"tags\":[\"sun\",\"Sea\",\"Sand\"],\"people\":[\"Bob\"],\"rating\":4,\"title\":\"Theirs\"}"),
      value("{\"caption\":\"Words\",\"rating\":-1,\"favourite\":true}"),
    ]
    let change = try DuplicateMerge.change(of: own, [.without: Array("Sand".utf8)], by: others)
    #expect(change.addedTags == ["Sea"])
    #expect(change.addedPeople == ["Bob"])
    #expect(change.values == [.rating: Array("8".utf8), .caption: Array("Words".utf8), .favourite: Array("1".utf8)])
    #expect(try DuplicateMerge.change(of: others[0], [:], by: [own]).isEmpty)
    #expect(try DuplicateMerge.change(of: own, [.tags: []], by: others).addedTags == [])
  }

  @Test func partsOfNames() {
    func parts(_ path: String) -> [String] {
      let (stem, ending) = BytePath(Array(path.utf8)).parts
      return [stem, ending].map { String(decoding: $0, as: UTF8.self) }
    }
    #expect(parts("/a.b/c.tar.gz") == ["c.tar", ".gz"])
    #expect(parts("/a.b/c") == ["c", ""])
    #expect(parts("/a/.hidden") == [".hidden", ""])
    #expect(parts("/a/.jpg.jpg") == [".jpg", ".jpg"])
  }

  @Test func trashIsThatOfTheStandard() throws {
    let folder = try TemporaryFolder()
    let root = Array(folder.path.utf8)
    let trash = try TrashFolder(of: SpaceRoot(at: root))
    try trash.prepare()
    try trash.prepare()
    let names: [[UInt8]] = [
      Array("a b.jpg".utf8), Array("ü%\n.jpg".utf8), [0xFF], Array(String(repeating: "x", count: 255).utf8),
    ]
    for name in names {
      for _ in 1...2 {
        try BytePath(root, name).create([1])
        try trash.take(name)
      }
    }
    let own = folder.path + "/.Trash-\(getuid())"
    let listed = try Outcome("/bin/ls", arguments: [own + "/files", own + "/info"]).output
    #expect(listed.contains("\na b.2.jpg\n") && listed.contains("\na b.jpg.trashinfo\n"))
    let info = try Outcome("/bin/cat", arguments: [own + "/info/a b.jpg.trashinfo"]).output
    #expect(info.hasPrefix("[Trash Info]\nPath=a%20b.jpg\nDeletionDate=20"))
    #expect(TrashFolder.escaped(names[1]) == "%C3%BC%25%0A.jpg")
    #expect(TrashFolder.escaped([0xFF, 0x2F, 0x0A]) == "%FF/%0A")
    let counts = try Outcome("/bin/sh", arguments: ["-c", "find '\(own)' -type f -printf x | wc -c"])
    #expect(counts.output == "16\n", "\(counts)")
  }
}
