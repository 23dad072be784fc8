import Crypto
import FaultyStorage
import Glibc
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Vault

/// Names are put in a random order by the last one that has the vault open, if any came.
@Suite struct LogNameOrderTests {
  private let folder: MemoryFolder
  private var path: String { folder.path }
  private let storage: DirectoryStorage
  private let vault: Vault
  private let body: SlotBody

  init() throws {
    folder = try MemoryFolder()
    storage = try DirectoryStorage.make(at: folder.path)
    _ = try Vault.create(in: storage, options: try VaultCreationTests.options())
    vault = try Vault.open(in: storage, weakDerivations: .opening)
    body = try Self.makeSpace(in: vault)
    vault.shuffleNames()
  }

  private static func makeSpace(in vault: Vault) throws -> SlotBody {
    let made = try vault.createSpace(suite: .aes256gcm)
    try made.space.commit([1: page(1, version: 1)], pageCount: 1)
    try made.space.close()
    return made.body
  }

  /// The inodes of all folders.
  private var folders: [ino_t] {
    HostFile.names(in: path + "/segments").map { HostFile.status(path + "/segments/" + $0).st_ino }
  }

  private func use(_ body: SlotBody, in vault: Vault, version: Int) throws {
    let space = try vault.openSpace(body)
    try space.commit([1: page(1, version: version)], pageCount: 1)
    try space.close()
    vault.shuffleNames()
  }

  @Test func theLastOneThatWroteDoesIt() throws {
    let before = folders
    // Nothing came.
    let reader = try vault.openSpace(body, readOnly: true)
    try reader.close()
    vault.shuffleNames()
    #expect(folders == before)
    try use(body, in: vault, version: 2)
    #expect(folders.count == 256 && Set(folders).isDisjoint(with: before))
    let space = try vault.openSpace(body)
    #expect(try space.pageBytes(1) == page(1, version: 2))
    #expect(space.gate.isOpen && space.origin.warning == nil)
  }

  /// Whoever is still there does it, also if it wrote nothing itself, or did not close.
  @Test(arguments: [false, true]) func notWhileSomebodyElseHasTheVaultOpen(closes: Bool) throws {
    let other = try Vault.open(in: DirectoryStorage(path: FilePath(path)), weakDerivations: .opening)
    let made = try Self.makeSpace(in: other)
    other.shuffleNames()
    let before = folders
    var space: Space? = try other.openSpace(made)
    usleep(20_000)
    try use(body, in: vault, version: 2)
    #expect(folders == before)
    if closes {
      try space?.close()
      other.shuffleNames()
    } else {
      // Killed: the next one that writes does it.
      space = nil
      let next = try Vault.open(in: DirectoryStorage(path: FilePath(path)), weakDerivations: .opening)
      try next.openSpace(body).close()
      next.shuffleNames()
    }
    #expect(Set(folders).isDisjoint(with: before))
    #expect(try vault.openSpace(body).pageBytes(1) == page(1, version: 2))
  }

  /// Whoever opens a space meanwhile waits for it.
  @Test func whoComesMeanwhileWaits() throws {
    let alone = try storage.lease(.vault, exclusive: true)
    alone.announceEnd()
    let before = folders
    // It is not the last one.
    try storage.put(SegmentIdentifier(bytes: Array(repeating: 7, count: 16)), [1])
    vault.shuffleNames()
    #expect(folders == before)
    let (path, body) = (path, body)
    let thread = try TestThread {
      let other = try Vault.open(in: DirectoryStorage(path: FilePath(path)), weakDerivations: .opening)
      _ = try other.openSpace(body, readOnly: true)
    }
    usleep(100_000)
    withExtendedLifetime(alone) {}
    try alone.change(exclusive: false)
    try thread.join()
  }

  @Test func aStorageWithoutNamesDoesNothing() throws {
    let test = TestSpace()
    try test.space.commit([1: page(1, version: 1)], pageCount: 1)
    try test.space.close()
    #expect(!test.storage.hasNewNames)
    test.vault.shuffleNames()
    #expect(test.storage.leaseCount == 0)
    #expect(try test.vault.openSpace(test.body).pageBytes(1) == page(1, version: 1))
  }
}
