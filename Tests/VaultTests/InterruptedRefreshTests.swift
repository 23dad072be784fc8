import Crypto
import FaultyStorage
import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Storage
@testable import Vault

/// What a killed refresh left goes when a space is opened to write. Till then it keeps nothing that is wiped.
@Suite struct InterruptedRefreshTests {
  private let folder: TemporaryFolder
  private var storage: DirectoryStorage
  private var vault: Vault

  init() throws {
    folder = try TemporaryFolder()
    storage = try DirectoryStorage.make(at: folder.path)
    _ = try Vault.create(in: storage, options: try VaultCreationTests.options())
    vault = try Vault.open(in: storage, weakDerivations: .opening)
  }

  /// Ends a refresh, as a kill does, right after the trees, or a file and its copy, were exchanged; then the vault is
  /// opened again.
  private mutating func killRefresh(afterExchangeOf name: SegmentIdentifier, ofFileAlone: Bool = false) throws {
    let place = folder.path("segments/") + (ofFileAlone ? name.path : String(name.path.prefix(2)))
    let inode = HostFile.status(place).st_ino
    let refresh = DirectoryRefresh(storage, segmentSize: vault.parameters.segmentSize)
    refresh.mayChange = { HostFile.status(place).st_ino == inode }
    #expect(throws: RefreshError.self) { try refresh.run() }
    #expect(HostFile.names(in: folder.path("refreshing/") + name.path.prefix(2)).contains(name.description))
    storage = try DirectoryStorage(path: FilePath(folder.path))
    vault = try Vault.open(in: storage, weakDerivations: .opening)
  }

  /// A space with a page, closed.
  private func makeSpace() throws -> (body: SlotBody, head: SegmentIdentifier) {
    let made = try vault.createSpace(suite: .aes256gcm)
    try made.space.commitAndClose(version: 1)
    return (made.body, made.space.keys.headIdentifier(made.space.highestEpoch))
  }

  @Test mutating func whoWritesRemovesIt() throws {
    let (body, head) = try makeSpace()
    let before = HostFile.segments(of: folder.path)
    try killRefresh(afterExchangeOf: head)
    let reader = try vault.openSpace(body, readOnly: true)
    #expect(storage.hasInterruptedRefresh)
    // Nobody may be looking at the vault meanwhile.
    let other = try makeSpace().body
    try vault.openSpace(other).close()
    #expect(storage.hasInterruptedRefresh)
    try reader.close()
    let space = try vault.openSpace(body)
    #expect(HostFile.names(in: folder.path) == ["agonyfs.json", "segments"])
    #expect(Set(before).isSubset(of: HostFile.segments(of: folder.path)))
    #expect(space.gate.isOpen)
    #expect(try space.pageBytes(1) == page(1, version: 1))
  }

  /// Where the host cannot exchange names, a kill may leave a vault without `segments`.
  @Test mutating func aSpaceOpensAfterAKillBetweenTwoRenames() throws {
    let body = try makeSpace().body
    let before = HostFile.segments(of: folder.path)
    let path = folder.path
    storage.abilities.note(.exchange, false)
    let refresh = DirectoryRefresh(storage, segmentSize: vault.parameters.segmentSize)
    refresh.mayChange = { HostFile.names(in: path).contains("segments") }
    #expect(throws: RefreshError.self) { try refresh.run() }
    #expect(HostFile.names(in: path) == ["agonyfs.json", "refreshing"])
    storage = try DirectoryStorage(path: FilePath(path))
    vault = try Vault.open(in: storage, weakDerivations: .opening)
    let reader = try vault.openSpace(body, readOnly: true)
    #expect(try reader.pageBytes(1) == page(1, version: 1))
    try reader.close()
    #expect(HostFile.names(in: path) == ["agonyfs.json", "refreshing"])
    let space = try vault.openSpace(body)
    #expect(HostFile.names(in: path) == ["agonyfs.json", "segments"])
    #expect(Set(before).isSubset(of: HostFile.segments(of: path)))
    #expect(try space.pageBytes(1) == page(1, version: 1))
  }

  @Test mutating func aWipedSlotIsNowhere() throws {
    let slot = try #require(try vault.slotKeys(for: .of("a password")).first)
    try vault.putSlot(slot, try makeSpace().body)
    let name = slot.identifiers[0]
    let content = try storage.content(of: name)
    try killRefresh(afterExchangeOf: name, ofFileAlone: true)
    let old = folder.path("refreshing/") + name.path
    #expect(try HostFile.read(old) == content)
    try vault.deleteSlotFiles(slot.identifiers)
    #expect(throws: VaultError.noSpaceOpens) { try vault.openSlot([slot]) }
    var files = HostFile.segments(of: folder.path)
    for folder in HostFile.names(in: self.folder.path("refreshing")) {
      let path = self.folder.path("refreshing/") + folder + "/"
      files += HostFile.names(in: path).map { path + $0 }
    }
    #expect(files.count > 3)
    for file in files { #expect(try HostFile.read(file) != content, "\(file)") }
  }
}
