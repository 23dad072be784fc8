import Crypto
import Index
import Storage
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums

/// Vaults that earlier versions wrote, and that are committed.
@Suite struct FixtureTests {
  /// A space of a vault, opened as a mount does.
  private struct Opened {
    let space: Space
    let files: FileSystem

    init(_ vault: Vault, _ password: String, readOnly: Bool) throws {
      space = try SpaceManager.openSpace(in: vault, password: .of(password), readOnly: readOnly)
      var options = FileSystemOptions(logger: quietLogger)
      options.isReadOnly = readOnly
      files = try FileSystem(space: space, options: options)
    }
  }

  private func expect(_ opened: Opened, shows expected: [String: Fixture.Entry]) throws {
    let found = try Fixture.contents(of: opened.files)
    for path in Set(found.keys).union(expected.keys).sorted() {
      #expect(found[path] == expected[path], "\(path)")
    }
  }

  /// Reads everything, changes something, and looks again after that was closed.
  @Test(arguments: TestLength.sample(Fixture.Kind.allCases, 2))
  func isReadAndWritten(_ kind: Fixture.Kind) throws {
    let fixture = try Fixture(kind)
    let vault = try Vault.open(in: DirectoryStorage(path: FilePath(fixture.path)))
    for (number, space) in fixture.spaces.enumerated() {
      #expect(space.files.count >= 4)
      let readOnly = try Opened(vault, space.password, readOnly: true)
      #expect(try readOnly.space.writeIntents().isEmpty == (kind == .closed || number == 1))
      try expect(readOnly, shows: space.files)
      try readOnly.files.close()

      let writable = try Opened(vault, space.password, readOnly: false)
      #expect(writable.space.gate.reason == nil)
      try expect(writable, shows: space.files)
      let inode = try writable.files.make("made by a test")
      try writable.files.put([1, 2, 3], inode)
      let root = try writable.files.attributes(of: .root)
      try writable.files.close()

      let changed = try Opened(vault, space.password, readOnly: true)
      #expect(try changed.space.writeIntents().isEmpty)
      #expect(try changed.files.get(changed.files.find("made by a test").inode) == [1, 2, 3])
      #expect(Checker.check(changed.space, readData: true).problems == [])
      var found = try Fixture.contents(of: changed.files)
      try changed.files.close()
      found["made%20by%20a%20test"] = nil
      #expect(found["."]?.modified == Fixture.nanoseconds(root.modified))
      found["."] = space.files["."]
      #expect(found == space.files)
    }
  }

  /// Nothing of that format was released.
  @Test func anOlderFormatIsRefused() throws {
    let fixture = try Fixture("format-1")
    #expect(throws: VaultError.olderFormat(1)) { try Vault.open(in: DirectoryStorage(path: FilePath(fixture.path))) }
  }
}
