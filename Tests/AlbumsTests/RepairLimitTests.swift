import AlbumsSupport
import Crypto
import FaultyStorage
import Index
import Library
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
    let files = try vault.mount(password)
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
    let vault = try TestVault(thumbnails: maker)
    let photo = Array("photo ".utf8) + pattern(40_000, 3)
    let number = try vault.files.make("a.jpg", with: photo)
    try waitUntil("a thumbnail was made") { try vault.files.thumbnailer.mediaCounts().known == 1 }
    try vault.files.close()
    let space = try vault.vault.openSpace(vault.body, readOnly: true, copyWindow: 0)
    let index = try Index(space: space)
    let position = try index.firstExtent(of: #require(try index.media.row(number)?.small)).position
    let name = try space.name(of: position.segment)
    try space.close()
    vault.storage.flip(name, at: position.offset + RecordHeader.sealedSize + 100)
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
    try vault.mount()
    try waitUntil("a thumbnail was made") { try vault.files.thumbnailer.mediaCounts().known == 1 }
    #expect(maker.jobs == jobs + 1)
    try vault.closeSound()
  }
}
