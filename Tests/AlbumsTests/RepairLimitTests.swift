import Crypto
import FaultyStorage
import Glibc
import Index
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// What a repair refuses, and what it does not call a loss.
@Suite struct RepairLimitTests {
  private let password = Password.of("a password")

  /// A vault with one space that a password opens.
  private func vault() throws -> (vault: Vault, storage: FaultyStorage) {
    let storage = FaultyStorage()
    let vault = Vault(storage: storage, parameters: .cheap)
    try SpaceManager.addSpace(to: vault, password: password)
    let files = try FileSystem(
      space: try SpaceManager.openSpace(in: vault, password: password),
      options: FileSystemOptions(logger: quietLogger))
    try files.put(pattern(5000, 1), files.make("f"))
    try files.close()
    return (vault, storage)
  }

  @Test func aVaultThatCannotBeWrittenIsCheckedAndNotRepaired() throws {
    let (vault, storage) = try vault()
    let sealed = storage.copy(isReadOnly: true)
    let readOnly = Vault(storage: sealed, parameters: vault.parameters)
    #expect(throws: VaultError.readOnly("the vault is read-only")) {
      try SpaceManager.planRepair(in: readOnly, password: password)
    }
    #expect(try SpaceManager.check(in: readOnly, password: password, readData: true).problems == [])
    #expect(sealed.operationCount == 0)
  }

  @Test func aSpaceInUseIsLeftAlone() throws {
    let (vault, storage) = try vault()
    let space = try SpaceManager.openSpace(in: vault, password: password)
    let operations = storage.operationCount
    #expect(throws: VaultError.spaceInUse) { try SpaceManager.planRepair(in: vault, password: password) }
    #expect(storage.operationCount == operations)
    try space.close()
    // The plan keeps others out as well, until it is gone.
    do {
      let repair = try SpaceManager.planRepair(in: vault, password: password)
      #expect(repair.found.problems == [])
      #expect(throws: VaultError.spaceInUse) { try SpaceManager.openSpace(in: vault, password: password) }
    }
    try SpaceManager.openSpace(in: vault, password: password).close()
  }

  @Test func aDamagedThumbnailIsMadeAgainAndThePhotoIsNotBlamed() throws {
    let maker = TestMaker()
    let vault = try TestVault { options in
      var thumbnails = ThumbnailOptions(maker: maker)
      thumbnails.quietTime = 0
      options.thumbnails = thumbnails
    }
    let photo = Array("photo ".utf8) + pattern(40_000, 3)
    let number = try vault.files.make("a.jpg")
    try vault.files.put(photo, number)
    try waitUntil("a thumbnail was made") { try vault.files.thumbnailer.mediaCounts().known == 1 }
    try vault.files.close()
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let index = try Index(space: space)
    let small = try #require(try index.media.row(number)?.small)
    let extent = try #require(try index.extents.rows(of: small, overlapping: .zero..<FileOffset(1), limit: 1).first)
    let segment = extent.position.segment
    let name = space.keys.identifier(
      segment, branch: try #require(space.log.locked({ $0.catalog.branch(of: segment.epoch) })))
    try space.close()
    vault.storage.tamper(name) { content in
      var content = content
      content[extent.position.offset + RecordHeader.sealedSize + 100] ^= 1
      return content
    }
    let before = try vault.contents()
    let jobs = maker.jobs
    let repair = try vault.plannedRepair()
    #expect(
      repair.found.problems.contains { $0.path == "/a.jpg" && $0.text.hasPrefix("only its thumbnail is damaged") })
    #expect(!repair.plan.hasLosses && repair.plan.unrepairable == [])
    #expect(repair.plan.items.contains { $0.path == "/a.jpg" && $0.text == "its thumbnail is dropped and rebuilt" })
    #expect(try repair.carryOut().problems == [])
    let after = try vault.contents()
    #expect(before.keys.sorted() == after.keys.sorted())
    #expect(after["/a.jpg"]?.record == before["/a.jpg"]?.record)
    #expect(isSame(after["/a.jpg"]?.bytes ?? [], photo))
    vault.space = try vault.vault.openSpace(vault.body, copyWindow: 0)
    vault.files = try FileSystem(space: vault.space, options: vault.options)
    try waitUntil("a thumbnail was made") { try vault.files.thumbnailer.mediaCounts().known == 1 }
    #expect(maker.jobs == jobs + 1)
    try vault.files.close()
    let again = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    #expect(Checker.check(again, readData: true).problems == [])
    try again.close()
  }
}
