import Glibc
import TestSupport
import Testing

@testable import Client
@testable import agonyfs

/// Which of several files is kept, and what it takes over.
@Suite struct DuplicateFormTests {
  private func group(_ members: String...) throws -> DuplicateGroup {
    try DuplicateGroup("{\"kind\":\"pixels\",\"members\":[\(members.joined(separator: ","))]}".utf8)
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
