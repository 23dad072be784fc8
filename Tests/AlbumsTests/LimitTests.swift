import AlbumsSupport
import SystemPackage
import TestSupport
import Testing
import Vault

@testable import Albums

/// Many entries, many open files, and deep trees, below the mount.
@Suite struct LimitTests {
  /// Times a hundred thousand.
  private static let scale = TestLength.isLong ? 10 : 1

  @Test func aDirectoryOfManyEntriesWithAllOfThemOpen() throws {
    let vault = try TestVault()
    let count = 100_000 * Self.scale
    let album = try vault.files.folder("album")
    for number in 0..<count {
      _ = try vault.files.create(.of("f\(number)"), in: album, mode: 0o600, flags: .exclusive, caller: caller)
    }
    #expect(try vault.files.names(of: album).count == count)
    for number in stride(from: 0, to: count, by: 1000) {
      try vault.files.put(Array("\(number)".utf8), try vault.files.find("f\(number)", in: album).inode)
    }
    expect(.noSuchFileOrDirectory) { _ = try vault.files.find("f\(count)", in: album) }
    try vault.reopen()
    let names = try vault.files.names(of: album)
    let isWhole = (0..<count).allSatisfy { names["f\($0)"] != nil }
    #expect(names.count == count && isWhole)
    for number in stride(from: 0, to: count, by: 1000) {
      let inode = try vault.files.find("f\(number)", in: album).inode
      #expect(inode == names["f\(number)"])
      #expect(try vault.files.get(inode) == Array("\(number)".utf8))
    }
    expect(.directoryNotEmpty) { try vault.files.removeDirectory(.of("album"), in: .root) }
    try vault.files.close()
  }

  @Test func tenThousandDirectoriesInEachOther() throws {
    let vault = try TestVault()
    var path: [InodeNumber] = [.root]
    for _ in 0..<10_000 { path.append(try vault.files.folder("d", in: path[path.count - 1])) }
    try vault.files.put([1, 2, 3], try vault.files.make("deep", in: path[path.count - 1]))
    try vault.reopen()
    var current = InodeNumber.root
    for inode in path.dropFirst() {
      current = try vault.files.find("d", in: current).inode
      #expect(current == inode)
    }
    #expect(try vault.files.get(try vault.files.find("deep", in: current).inode) == [1, 2, 3])
    // No directory goes into one that is below it, however far.
    expect(.invalidArgument) { try vault.files.rename(.of("d"), in: .root, to: .of("x"), in: current, flags: []) }
    try vault.files.unlink(.of("deep"), in: current)
    for parent in path.dropLast().reversed() { try vault.files.removeDirectory(.of("d"), in: parent) }
    #expect(try vault.files.names(of: .root).isEmpty)
    try vault.closeSound()
  }
}
