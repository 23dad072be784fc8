import FaultyStorage
import Index
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums

/// The directory for files that are not whole yet.
@Suite struct IncomingTests {
  private static func names(_ directory: InodeNumber, _ files: FileSystem) throws -> [String] {
    var names: [String] = []
    try files.list(directory, after: 2) { name, _, _, _ in
      names.append(name.description)
      return true
    }
    var same: [String] = []
    try files.listWithAttributes(directory, after: 2) { name, _, _ in
      same.append(name.description)
      return true
    }
    #expect(names == same)
    return names
  }

  @Test func itIsTheOwnersAndUnlisted() throws {
    let vault = try TestVault()
    _ = try vault.files.make("a")
    expect(.noSuchFileOrDirectory) { _ = try vault.files.incoming.attributes(for: 1001) }
    let made = try vault.files.incoming.attributes(for: 1000)
    #expect(made.owner == 1000 && made.mode & 0o7777 == 0o700 && made.kind == FileKind.directory >> 12)
    #expect(try vault.files.incoming.attributes(for: 1001).inode == made.inode)
    #expect(try vault.files.incoming.attributes(for: 0).inode == made.inode)
    #expect(try Self.names(.root, vault.files) == ["a"])
    let inode = try vault.files.make(".partial-1", in: made.inode)
    try vault.files.put(pattern(5000, 1), inode)
    try vault.files.rename(.of(".partial-1"), in: made.inode, to: .of("b"), in: .root, flags: .noReplace)
    #expect(try vault.files.get(inode) == pattern(5000, 1))
    #expect(try Self.names(.root, vault.files) == ["a", "b"])
    try vault.reopen()
    #expect(try vault.files.incoming.attributes(for: 1001).inode == made.inode)
    try vault.files.close()
    let space = try vault.vault.openSpace(vault.body, copyWindow: 0)
    #expect(Checker.check(space, readData: true).problems == [])
    try space.close()
  }

  @Test func whatIsPartialGoesAfterAWeek() throws {
    let vault = try TestVault()
    let incoming = try vault.files.incoming.attributes(for: 1000).inode
    for name in [".partial-old", ".partial-new", "journal", ".other"] {
      let inode = try vault.files.make(name, in: incoming)
      if name == ".partial-new" { continue }
      try vault.files.locked { files in
        let found = try files.inode(inode)
        found.record.changed = Timestamp(seconds: Timestamp.now().seconds - 7 * 24 * 3600 - 1, nanoseconds: 0)
        files.markChanged(found)
      }
    }
    let folder = try vault.files.folder(".partial-folder", in: incoming)
    #expect(folder != incoming)
    try vault.reopen()
    #expect(
      try Set(Self.names(incoming, vault.files)) == [".partial-new", "journal", ".other", ".partial-folder"])
    try vault.files.close()
  }

  /// A file and its log stay and go together.
  @Test func aLogGoesWithItsFile() throws {
    let vault = try TestVault()
    let incoming = try vault.files.incoming.attributes(for: 1000).inode
    for (name, isOld) in [
      (".partial-1", true), (".partial-1.log", false), (".partial-2", false), (".partial-2.log", true),
      (".partial-3", true), (".partial-3.log", true), (".partial-4.log", true), (".partial-5", true),
      (".partial-6.log", false),
    ] {
      let inode = try vault.files.make(name, in: incoming)
      guard isOld else { continue }
      try vault.files.locked { files in
        let found = try files.inode(inode)
        found.record.changed = Timestamp(seconds: Timestamp.now().seconds - 7 * 24 * 3600 - 1, nanoseconds: 0)
        files.markChanged(found)
      }
    }
    try vault.reopen()
    #expect(
      try Set(Self.names(incoming, vault.files)) == [
        ".partial-1", ".partial-1.log", ".partial-2", ".partial-2.log", ".partial-6.log",
      ])
    try vault.files.close()
  }

  @Test func nothingIsMadeWhereNothingMayBeChanged() throws {
    let vault = try TestVault()
    try vault.files.close()
    vault.options.isReadOnly = true
    vault.space = try vault.vault.openSpace(vault.body, copyWindow: 0)
    vault.files = try FileSystem(space: vault.space, options: vault.options)
    expect(.noSuchFileOrDirectory) { _ = try vault.files.incoming.attributes(for: 1000) }
    try vault.files.close()
  }

  /// No name that a program gives is that of the directory.
  @Test func noProgramCanNameIt() {
    #expect(FileName("a/b") == nil)
    #expect(FileName("/incoming/") == nil)
    #expect(FileName("/incoming") == .incoming)
    #expect(!FileName.incoming.isListed)
  }
}
