import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import Traces

@Suite struct HomeTrashTests {
  private func trashed(_ home: TraceHome, _ name: String, from origin: String) throws {
    try home.write(
      "[Trash Info]\nPath=\(origin)\nDeletionDate=2026-01-02T03:04:05\n",
      to: ".local/share/Trash/info/\(name).trashinfo")
  }

  private func isAsked(_ finding: Finding) -> Bool { if case .removeIfAsked = finding.remedy { true } else { false } }

  @Test func filesAndFolders() throws {
    let home = try TraceHome()
    try trashed(home, "a b.jpg", from: "\(home.albums)/Iceland/a%20b.jpg")
    try home.write("photo", to: ".local/share/Trash/files/a b.jpg")
    try trashed(home, "Wedding", from: home.albums + "/Wedding")
    try home.write("photo", to: ".local/share/Trash/files/Wedding/deep/1.jpg")
    let aside = try home.write("not ours", to: "aside/file")
    unsafe symlink(home.folder.path("aside"), home.folder.path(".local/share/Trash/files/Wedding/link"))
    try trashed(home, "gone.jpg", from: home.albums + "/gone.jpg")
    try trashed(home, "other.jpg", from: home.albums + "2/other.jpg")
    try home.write("photo", to: ".local/share/Trash/files/other.jpg")
    try home.write("1 2 Wedding\n3 4 Other%20One\n", to: ".local/share/Trash/directorysizes")
    let before = home.state()
    let found = home.findings(.trash)
    #expect(found.count == 3)
    #expect(found.allSatisfy(isAsked), "it may be the only copy")
    #expect(found.filter { $0.reveals == .picture }.count == 2)
    #expect(home.state() == before)
    for finding in found { try finding.removal?.carryOut() }
    let trash = home.folder.path(".local/share/Trash")
    #expect(HostFile.names(in: trash + "/files") == ["other.jpg"])
    #expect(HostFile.names(in: trash + "/info") == ["other.jpg.trashinfo"])
    #expect(try HostFile.read(trash + "/directorysizes") == Array("3 4 Other%20One\n".utf8))
    let left = home.state()
    for path in [aside, trash + "/files/other.jpg", trash + "/info/other.jpg.trashinfo"] {
      #expect(left[path] == before[path])
    }
  }

  @Test func whatWasReplacedMeanwhileStays() throws {
    let home = try TraceHome()
    try trashed(home, "a.jpg", from: home.albums + "/a.jpg")
    let path = try home.write("photo", to: ".local/share/Trash/files/a.jpg")
    let removal = try #require(home.findings(.trash).first?.removal)
    unsafe rename(try home.write("another", to: "new"), path)
    #expect(throws: Errno.resourceBusy) { try removal.carryOut() }
    #expect(try HostFile.read(path) == Array("another".utf8))
    #expect(HostFile.names(in: home.folder.path(".local/share/Trash/info")) == ["a.jpg.trashinfo"])
  }

  @Test func hostileNotes() throws {
    let home = try TraceHome()
    for (index, text) in ["", "Path=", "Path=..", "Path=Albums/x", "Path=%00\(home.albums)", "Path", "\0"].enumerated()
    {
      try home.write(text, to: ".local/share/Trash/info/\(index).trashinfo")
    }
    try home.write("Path=\(home.albums)/x", to: ".local/share/Trash/info/.trashinfo")
    let large = try home.write("Path=\(home.albums)/x", to: ".local/share/Trash/info/large.trashinfo")
    unsafe truncate(large, 1 << 30)
    let victim = try home.write("mine", to: ".local/share/Trash/files/x")
    let found = home.findings(.trash)
    // A note without a name has no copy: what it says is removed, and nothing else.
    for finding in found { _ = try? finding.removal?.carryOut() }
    #expect(try HostFile.read(victim) == Array("mine".utf8))
    #expect(HostFile.names(in: home.folder.path(".local/share/Trash/files")) == ["x"])
  }
}
