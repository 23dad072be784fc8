import FaultyStorage
import Index
import SystemPackage
import Testing
import Vault

@testable import Albums

@Suite struct CheckerTests {
  private func check(_ vault: TestVault, readsData: Bool = true) throws -> CheckReport {
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    defer { try? space.close() }
    return Checker.check(space, readData: readsData)
  }

  @Test func findsNothingWhereNothingIsWrong() throws {
    let vault = try TestVault.filled()
    let operations = vault.storage.operationCount
    let report = try check(vault)
    #expect(report.problems == [])
    #expect(report.files == 20 && report.directories == 3 && report.others == 1)
    #expect(report.dataBytes == 20 * 60_000 + 50_000 && report.readBytes == report.dataBytes)
    #expect(report.isClean)
    #expect(vault.storage.operationCount == operations)
  }

  /// Changes the index behind the file system's back, and gives the problems' texts.
  private func problems(after change: (Index) throws(IndexError) -> Void) throws -> [String] {
    let vault = try TestVault.filled()
    try vault.changeIndex(change)
    return try check(vault).problems.map { "\($0.path ?? "-"): \($0.text)" }.sorted()
  }

  @Test func findsWhatContradictsItself() throws {
    #expect(
      try problems { (index) throws(IndexError) in
        try index.deleteDentry(parent: .root, name: .of("again"))
      } == ["/d/e/f0: its link count is 2, but should be 1"])
    #expect(
      try problems { (index) throws(IndexError) in
        guard var record = try index.inode(.root) else { return }
        record.links += 1
        try index.update(record)
      } == ["/: its link count is 4, but should be 3"])
    #expect(
      try problems { (index) throws(IndexError) in
        guard let found = try index.dentry(parent: .root, name: .of("s")) else { return }
        try index.deleteDentry(parent: .root, name: .of("s"))
        guard var record = try index.inode(found.inode) else { return }
        record.links = 0
        try index.update(record)
      } == ["-: inode 24 has no name"])
    #expect(
      try problems { (index) throws(IndexError) in
        guard let found = try index.dentry(parent: .root, name: .of("again")) else { return }
        try index.extents.removeExtents(of: found.inode, in: .zero..<FileOffset(10), limit: 5)
      } == ["/again: 110000 bytes are counted for it, but it has 109990"])
  }

  @Test func findsWhatIsNoTree() throws {
    #expect(
      try problems { (index) throws(IndexError) in
        guard let found = try index.dentry(parent: .root, name: .of("d")) else { return }
        try index.removeAllAttributes(of: found.inode)
      } == ["/d: its extended attributes are missing"])
    // Two directories that hold each other: the links fit, but nobody gets there.
    let found = try problems { (index) throws(IndexError) in
      guard let outer = try index.dentry(parent: .root, name: .of("d")),
        let inner = try index.dentry(parent: outer.inode, name: .of("e")),
        var root = try index.inode(.root), var record = try index.inode(outer.inode),
        var other = try index.inode(inner.inode)
      else { return }
      try index.deleteDentry(parent: .root, name: .of("d"))
      try index.insertDentry(
        parent: inner.inode, DentryRecord(name: .of("d"), inode: outer.inode, kind: 4, cookie: index.nextCookie()))
      root.links -= 1
      other.links += 1
      record.parent = inner.inode
      for changed in [root, record, other] { try index.update(changed) }
    }
    #expect(found.count == 1)
    #expect(found.allSatisfy { $0.hasSuffix("the directory cannot be reached from the root") })
  }

  @Test func namesDamagedFilesByTheirPaths() throws {
    let vault = try TestVault.filled()
    // Flip a bit in the middle of every segment's data until some file is hit.
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let index = try Index(space: space)
    guard let entry = try index.dentry(parent: .root, name: .of("again")),
      let extent = try index.extents.rows(of: entry.inode, overlapping: .zero..<FileOffset(1), limit: 1).first
    else {
      Issue.record("the file is not there")
      return
    }
    try space.close()
    for identifier in vault.storage.names {
      vault.storage.tamper(identifier) { content in
        var content = content
        // The segment that holds the extent is not known by name; the same place in the others is mostly padding.
        if content.count == TestVault.segmentSize { content[extent.position.offset + 5000] ^= 1 }
        return content
      }
    }
    let report = try check(vault)
    #expect(report.problems.contains { $0.path == "/again" && $0.text.hasSuffix("are damaged") })
    #expect(!report.isClean)
  }
}
