import AlbumsSupport
import SystemPackage
import Testing
import Vault

@testable import Albums

@Suite struct AccessControlListTests {
  private static func bytes(_ entries: [(Int, Int, Int)], version: UInt8 = 2) -> [UInt8] {
    AccessControlList.value(entries, version: version)
  }

  static let minimal = bytes([(1, 6, -1), (4, 5, -1), (0x20, 4, -1)])
  static let extended = bytes([(1, 7, -1), (2, 6, 1001), (4, 5, -1), (8, 7, 50), (0x10, 6, -1), (0x20, 1, -1)])

  @Test func readsAndWrites() throws {
    #expect(try #require(AccessControlList(Self.minimal)).isMinimal)
    #expect(try #require(AccessControlList(Self.minimal)).permissions == 0o654)
    let list = try #require(AccessControlList(Self.extended))
    #expect(!list.isMinimal)
    #expect(list.permissions == 0o761)
    #expect(list.encoded == Self.extended)
    #expect(AccessControlList.isEmpty([2, 0, 0, 0]))
  }

  @Test(arguments: [
    [], [2, 0, 0], bytes([]), minimal + [0], bytes([(1, 6, -1), (4, 5, -1)]),
    bytes([(1, 8, -1), (4, 5, -1), (32, 4, -1)]),
    bytes([(4, 6, -1), (1, 5, -1), (32, 4, -1)]), bytes([(1, 6, -1), (2, 5, 7), (4, 5, -1), (32, 4, -1)]),
    bytes([(1, 6, -1), (4, 5, -1), (32, 4, -1)], version: 1), bytes([(1, 6, -1), (4, 5, -1), (4, 5, -1), (32, 4, -1)]),
    bytes([(1, 6, -1), (3, 5, -1), (4, 5, -1), (32, 4, -1)]),
  ]) func refusesWhatIsNone(bytes: [UInt8]) {
    #expect(AccessControlList(bytes) == nil)
  }

  @Test func chmodChangesTheMask() throws {
    var list = try #require(AccessControlList(Self.extended))
    list.setPermissions(0o640)
    #expect(list.permissions == 0o640)
    #expect(list.entries[2].permissions == 5)
    #expect(list.entries[4].permissions == 4)
    var narrow = try #require(AccessControlList(Self.extended))
    #expect(narrow.narrow(to: 0o666) == 0o660)
  }

  private let access = AccessControlList.accessName
  private let standard = AccessControlList.defaultName

  @Test func settingAListSetsTheMode() throws {
    let vault = try TestVault()
    let files = vault.files
    let file = try files.make("a", mode: 0o2600)
    try files.setExtendedAttribute(access, of: file, value: Self.extended, flags: [], caller: caller)
    #expect(try files.attributes(of: file).mode & 0o7777 == 0o2761)
    #expect(try files.extendedAttribute(access, of: file) == Self.extended)
    var changes = AttributeChanges(caller: caller)
    changes.mode = 0o640
    #expect(try files.setAttributes(of: file, changes).mode & 0o7777 == 0o640)
    let list = try #require(AccessControlList(try files.extendedAttribute(access, of: file)))
    #expect(list.permissions == 0o640)
    // A list that says no more than the mode is not kept.
    try files.setExtendedAttribute(access, of: file, value: Self.minimal, flags: [], caller: caller)
    #expect(try files.attributes(of: file).mode & 0o7777 == 0o654)
    expect(.noData) { _ = try files.extendedAttribute(access, of: file) }
    try files.removeExtendedAttribute(access, of: file)
    expect(.permissionDenied) {
      try files.setExtendedAttribute(standard, of: file, value: Self.minimal, flags: [], caller: caller)
    }
    expect(.invalidArgument) {
      try files.setExtendedAttribute(access, of: file, value: [1, 2, 3], flags: [], caller: caller)
    }
    changes.mode = 0o2777
    _ = try files.setAttributes(of: file, changes)
    try files.setExtendedAttribute(
      access, of: file, value: Self.extended, flags: [], caller: caller, clearsSetGroup: true)
    #expect(try files.attributes(of: file).mode & 0o7777 == 0o761)
    try files.close()
  }

  @Test func newFilesInheritTheDefaultList() throws {
    let vault = try TestVault()
    let files = vault.files
    let folder = try files.folder("d")
    try files.setExtendedAttribute(standard, of: folder, value: Self.extended, flags: [], caller: caller)
    var masked = caller
    masked.umask = 0o077
    // The default list takes the place of the umask.
    let file = try files.create(.of("f"), in: folder, mode: 0o666, flags: [], caller: masked)
    #expect(file.mode & 0o7777 == 0o660)
    let list = try #require(AccessControlList(try files.extendedAttribute(access, of: file.inode)))
    #expect(list.entries.map(\.permissions) == [6, 6, 5, 7, 6, 0])
    let inner = try files.makeDirectory(.of("e"), in: folder, mode: 0o777, caller: masked)
    #expect(inner.mode & 0o7777 == 0o761)
    #expect(try files.extendedAttribute(standard, of: inner.inode) == Self.extended)
    let link = try files.makeSymbolicLink(target: [65], named: .of("l"), in: folder, caller: masked)
    #expect(link.mode & 0o7777 == 0o777)
    expect(.noData) { _ = try files.extendedAttribute(access, of: link.inode) }
    let plain = try files.create(.of("g"), in: .root, mode: 0o666, flags: [], caller: masked)
    #expect(plain.mode & 0o7777 == 0o600)
    try files.close()
  }
}
