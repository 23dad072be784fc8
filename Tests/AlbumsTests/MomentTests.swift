import AlbumsSupport
import FaultyStorage
import Index
import SystemPackage
import Testing

@testable import Albums
@testable import Vault

/// A file system as of a moment, while it goes on.
@Suite struct MomentTests {
  private func moment(
    _ files: FileSystem, reusing known: (UInt64) -> IndexPages? = { _ in nil }
  ) throws -> FilesMoment {
    try files.locked { files throws(Errno) in try files.moment(reusing: known) }
  }

  /// The length of a file that a name in the root leads to; nil if there is none.
  private func size(_ name: String, _ moment: FilesMoment) throws -> Int64? {
    let index = try Index(reading: moment.pages)
    guard let entry = try index.dentry(parent: .root, name: .of(name)) else { return nil }
    return try (moment.newer[entry.inode] ?? index.inode(entry.inode))?.size
  }

  @Test func whatIsChangedLaterIsNotInIt() throws {
    let vault = try TestVault {
      $0.commitInterval = 3600
      $0.cleans = false
    }
    let files = vault.files
    try files.make("a", with: pattern(70_000, 1))
    let first = try moment(files)
    try files.make("b", with: pattern(300, 2))
    try files.resize(files.find("a").inode, 10)
    try files.rename(.of("a"), in: .root, to: .of("c"), in: .root, flags: [])
    let second = try moment(files)
    try files.delete("c")
    // Neither a commit nor its absence changes a moment.
    try files.synchronize()
    let third = try moment(files)
    #expect(try [size("a", first), size("b", first), size("c", first)] == [70_000, nil, nil])
    #expect(try [size("a", second), size("b", second), size("c", second)] == [nil, 300, 10])
    #expect(try [size("a", third), size("b", third), size("c", third)] == [nil, 300, nil])
    try vault.closeSound()
  }

  /// Nothing is written for it, so the vault does not tell that somebody reads.
  @Test func takingOneWritesNothing() throws {
    let vault = try TestVault {
      $0.commitInterval = 3600
      $0.cleans = false
      $0.writers = 0
    }
    try vault.files.make("a", with: pattern(1000, 1))
    try vault.files.synchronize(intoIndex: true)
    try vault.files.make("b", with: pattern(1000, 2))
    let before = (number: vault.space.stateNumber, commits: vault.files.locked { $0.commits.begun })
    for number in 0..<50 {
      _ = try moment(vault.files)
      _ = try vault.files.make("c\(number)")
    }
    #expect(try size("c49", moment(vault.files)) == 0)
    #expect(vault.space.stateNumber == before.number && vault.files.locked { $0.commits.begun } == before.commits)
    // What was only gathered is in the next commit.
    try vault.files.synchronize()
    let after = try vault.afterPowerCut(seed: 1)
    #expect(try after.files.names(of: .root).count == 52)
    try after.closeSound()
  }

  /// Where nothing can be written the files are as they are in memory all the same.
  @Test func aFullDiskIsNoMatter() throws {
    let storage = FaultyStorage()
    let vault = try TestVault(storage: storage) {
      $0.commitInterval = 3600
      $0.cleans = false
    }
    try vault.files.make("a", with: pattern(100, 1))
    try vault.files.synchronize()
    storage.setLimit(0)
    try vault.files.change(vault.files.find("a").inode) { $0.mode = 0o600 }
    let full = try moment(vault.files)
    let index = try Index(reading: full.pages)
    let inode = try vault.files.find("a").inode
    #expect(try (full.newer[inode] ?? index.inode(inode))?.mode == FileKind.regular | 0o600)
    storage.setLimit(.max)
    try vault.files.put(pattern(50, 2), inode, at: 100)
    #expect(try [size("a", full), size("a", moment(vault.files))] == [100, 150])
    try vault.closeSound()
  }

  @Test func oneOfTheSameStateSharesItsPages() throws {
    let vault = try TestVault { $0.commitInterval = 3600 }
    _ = try vault.files.make("a")
    let first = try moment(vault.files)
    var asked: [UInt64] = []
    let second = try moment(vault.files) { number in
      asked.append(number)
      return first.pages
    }
    #expect(second.pages === first.pages && asked == [first.revision])
    _ = try vault.files.make("b")
    #expect(try moment(vault.files).revision > first.revision)
    try vault.closeSound()
  }

  @Test func oneThatEndedIsReadNoMore() throws {
    let vault = try TestVault { $0.commitInterval = 3600 }
    _ = try vault.files.make("a")
    let moment = try moment(vault.files)
    moment.pages.end()
    #expect(moment.pages.hasEnded)
    #expect(throws: IndexError.ended) { _ = try Index(reading: moment.pages) }
    try vault.files.close()
    #expect(throws: Errno.canceled) { try self.moment(vault.files) }
  }
}
