import AlbumsSupport
import Index
import SystemPackage
import Testing
import Vault

@testable import Albums

/// The directory for files that are not whole yet.
@Suite struct IncomingTests {
  private let vault: TestVault
  private var files: FileSystem { vault.files }
  init() throws { vault = try TestVault() }

  private func names(_ directory: InodeNumber) throws -> [String] {
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

  /// Makes a file, of which the last change was a week ago if it is old.
  private func make(_ name: String, in incoming: InodeNumber, isOld: Bool) throws {
    let inode = try files.make(name, in: incoming)
    guard isOld else { return }
    try files.locked { files in
      let found = try files.inode(inode)
      found.record.changed = Timestamp(seconds: Timestamp.now().seconds - 7 * 24 * 3600 - 1, nanoseconds: 0)
      files.markChanged(found)
    }
  }

  @Test func itIsTheOwnersAndUnlisted() throws {
    // No name that a program gives is that of the directory.
    #expect(FileName("a/b") == nil && FileName("/incoming/") == nil)
    #expect(FileName("/incoming") == .incoming && !FileName.incoming.isListed)
    _ = try files.make("a")
    expect(.noSuchFileOrDirectory) { _ = try files.incoming.attributes(for: 1001) }
    let made = try files.incoming.attributes(for: 1000)
    #expect(made.owner == 1000 && made.mode & 0o7777 == 0o700 && made.kind == FileKind.directory >> 12)
    #expect(try files.incoming.attributes(for: 1001).inode == made.inode)
    #expect(try files.incoming.attributes(for: 0).inode == made.inode)
    #expect(try names(.root) == ["a"])
    let inode = try files.make(".partial-1", in: made.inode, with: pattern(5000, 1))
    try files.rename(.of(".partial-1"), in: made.inode, to: .of("b"), in: .root, flags: .noReplace)
    #expect(try files.get(inode) == pattern(5000, 1))
    #expect(try names(.root) == ["a", "b"])
    try vault.reopen()
    #expect(try files.incoming.attributes(for: 1001).inode == made.inode)
    try vault.closeSound()
  }

  @Test func whatIsPartialGoesAfterAWeek() throws {
    let incoming = try files.incoming.attributes(for: 1000).inode
    for name in [".partial-old", ".partial-new", "journal", ".other"] {
      try make(name, in: incoming, isOld: name != ".partial-new")
    }
    _ = try files.folder(".partial-folder", in: incoming)
    try vault.reopen()
    #expect(try Set(names(incoming)) == [".partial-new", "journal", ".other", ".partial-folder"])
    try files.close()
  }

  /// A file and its log stay and go together.
  @Test func aLogGoesWithItsFile() throws {
    let incoming = try files.incoming.attributes(for: 1000).inode
    for (name, isOld) in [
      (".partial-1", true), (".partial-1.log", false), (".partial-2", false), (".partial-2.log", true),
      (".partial-3", true), (".partial-3.log", true), (".partial-4.log", true), (".partial-5", true),
      (".partial-6.log", false),
    ] {
      try make(name, in: incoming, isOld: isOld)
    }
    try vault.reopen()
    #expect(
      try Set(names(incoming)) == [
        ".partial-1", ".partial-1.log", ".partial-2", ".partial-2.log", ".partial-6.log",
      ])
    try files.close()
  }

  @Test func nothingIsMadeWhereNothingMayBeChanged() throws {
    vault.options.isReadOnly = true
    try vault.reopen()
    expect(.noSuchFileOrDirectory) { _ = try files.incoming.attributes(for: 1000) }
    try files.close()
  }
}
