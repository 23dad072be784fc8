import Testing

@testable import Media

/// Which names of entries are paths.
@Suite struct ArchivePathTests {
  private func parts(_ name: String, isDirectory: Bool = false) throws(ArchivePath.Refusal) -> [String] {
    try ArchivePath(Array(name.utf8), isDirectory: isDirectory).parts.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func whatLeadsBelowIsAPath() throws {
    #expect(try parts("a") == ["a"])
    #expect(try parts("./a/./b.jpg") == ["a", "b.jpg"])
    #expect(try parts("a/...") == ["a", "..."])
    #expect(try parts("a..b/..c") == ["a..b", "..c"])
    #expect(try parts("C:\\a") == ["C:\\a"])
    #expect(try parts("a/", isDirectory: true) == ["a"])
    #expect(try parts("./", isDirectory: true) == [])
    #expect(try parts(".", isDirectory: true) == [])
    #expect(try ArchivePath([0xff, 0x2f, 0xfe], isDirectory: false).parts == [[0xff], [0xfe]])
    let longest = String(repeating: String(repeating: "a", count: 255) + "/", count: 16)
    #expect(try parts(longest, isDirectory: true).count == 16)
  }

  static let refused: [(String, ArchivePath.Refusal)] = [
    ("", .empty), ("/", .absolute), ("/a", .absolute), ("//a", .absolute), ("..", .parent), ("../a", .parent),
    ("a/..", .parent), ("a/../b", .parent), ("./..", .parent), ("a//b", .empty), ("a/", .empty), ("./", .empty),
    (".", .empty), ("a/.", .empty), ("a\0b", .nul), ("\0", .nul), (String(repeating: "a", count: 256), .tooLong),
    (String(repeating: "a/", count: 2048) + "a", .tooLong),
  ]

  @Test(arguments: refused) func whatLeadsElsewhereIsNone(name: String, refusal: ArchivePath.Refusal) {
    #expect(throws: refusal) { try parts(name) }
  }

  @Test func directoriesKeepTheSameRules() {
    #expect(throws: ArchivePath.Refusal.parent) { try parts("../", isDirectory: true) }
    #expect(throws: ArchivePath.Refusal.empty) { try parts("a//", isDirectory: true) }
    #expect(throws: ArchivePath.Refusal.empty) { try parts("", isDirectory: true) }
  }
}
