import AlbumsSupport
import Storage
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums

/// Vaults that earlier versions wrote, and that are committed.
@Suite struct FixtureTests {
  private func expect(_ files: FileSystem, shows expected: [String: Fixture.Entry]) throws {
    let found = try Fixture.contents(of: files)
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
      let readOnly = try vault.mount(.of(space.password), readOnly: true)
      #expect(try readOnly.space.writeIntents().isEmpty == (kind == .closed || number == 1))
      try expect(readOnly, shows: space.files)
      try readOnly.close()

      let writable = try vault.mount(.of(space.password))
      #expect(writable.space.gate.reason == nil)
      try expect(writable, shows: space.files)
      try writable.put([1, 2, 3], writable.make("made by a test"))
      let root = try writable.attributes(of: .root)
      try writable.close()

      let changed = try vault.mount(.of(space.password), readOnly: true)
      #expect(try changed.space.writeIntents().isEmpty)
      #expect(try changed.get(changed.find("made by a test").inode) == [1, 2, 3])
      #expect(Checker.check(changed.space, readData: true).problems == [])
      var found = try Fixture.contents(of: changed)
      try changed.close()
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
