import AlbumsSupport
import FaultyStorage
import Index
import Storage
import SystemPackage
import Testing
import Vault

@testable import Albums

@Suite struct CheckerTests {
  @Test func findsNothingWhereNothingIsWrong() throws {
    let vault = try TestVault.filled()
    let operations = vault.storage.operationCount
    let report = try vault.check()
    #expect(report.problems == [])
    #expect(report.files == 20 && report.directories == 3 && report.others == 1)
    #expect(report.dataBytes == 20 * 60_000 + 50_000 && report.readBytes == report.dataBytes)
    #expect(report.isClean)
    #expect(vault.storage.operationCount == operations)
  }

  /// A file of this space or of another one, whose inode is damaged.
  @Test func namesAFileThatCannotBeListed() throws {
    let vault = try TestVault.filled()
    let name = SegmentIdentifier.numbered(1)
    vault.storage.place(randomBytes(TestVault.segmentSize), as: name)
    vault.storage.failLists(at: name, .ioError)
    let problems = try vault.check().problems.map(\.text)
    #expect(
      problems == [
        "the files of the vault cannot all be listed: the file system cannot examine segments/\(name.path): "
          + "\(Errno.ioError)"
      ])
  }

  /// Changes the index behind the file system's back, and gives the problems' texts.
  private func problems(after change: (Index) throws(IndexError) -> Void) throws -> [String] {
    let vault = try TestVault.filled()
    try vault.changeIndex(change)
    return try vault.check().problems.map { "\($0.path ?? "-"): \($0.text)" }.sorted()
  }

  @Test func findsWhatContradictsItself() throws {
    #expect(
      try problems { (index) throws(IndexError) in
        try index.deleteDentry(parent: .root, name: .of("again"))
      } == ["/d/e/f0: its link count is 2, but should be 1"])
    #expect(
      try problems { (index) throws(IndexError) in
        var record = try index.record(at: "")
        record.links += 1
        try index.update(record)
      } == ["/: its link count is 4, but should be 3"])
    #expect(
      try problems { (index) throws(IndexError) in
        var record = try index.record(at: "/s")
        try index.deleteDentry(parent: .root, name: .of("s"))
        record.links = 0
        try index.update(record)
      } == ["-: inode 24 has no name"])
    #expect(
      try problems { (index) throws(IndexError) in
        try index.extents.removeExtents(of: index.record(at: "/again").number, in: .zero..<FileOffset(10), limit: 5)
      } == ["/again: 110000 bytes are counted for it, but it has 109990"])
  }

  @Test func findsWhatIsNoTree() throws {
    #expect(
      try problems { (index) throws(IndexError) in
        try index.attributes.removeAll(of: index.record(at: "/d").number)
      } == ["/d: its extended attributes are missing"])
    // Two directories that hold each other: the links fit, but nobody gets there.
    let found = try problems { (index) throws(IndexError) in
      var root = try index.record(at: "")
      var inner = try index.moveIntoItself()
      root.links -= 1
      inner.links += 1
      for changed in [root, inner] { try index.update(changed) }
    }
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.hasSuffix("the directory cannot be reached from the root") })
  }

  @Test func namesDamagedFilesByTheirPaths() throws {
    let vault = try TestVault.filled()
    try vault.damage("/again", at: 5000)
    let report = try vault.check()
    #expect(report.problems.contains { $0.path == "/again" && $0.text.hasSuffix("are damaged") })
    #expect(!report.isClean)
  }
}
