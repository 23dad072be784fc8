import FaultyStorage
import Testing

@testable import Vault

/// A space that two machines wrote, each in a copy of the vault, whose files then come together.
@Suite struct ForkTests {
  /// With or without cover of its own; what is on both machines is then deleted on one.
  @Test(arguments: [0, 24]) func whatWasContinuedElsewhereIsNotOverwritten(ownFiles: Int) throws {
    let here = try TestSpace.owningCover(ownFiles)
    try here.space.commit([1: page(1, version: 1)], pageCount: 1)
    try here.space.advanceEpoch()

    let elsewhere = here.storage.copy()
    let other = try here.vault(over: elsewhere).openSpace(here.body)
    try other.commitAndClose(version: 2)
    let before = Set(here.storage.names)
    var arrived: [[UInt8]] = []
    for name in elsewhere.names where !before.contains(name) {
      here.storage.place(elsewhere.content(name), as: name)
      arrived.append(elsewhere.content(name))
    }
    try #require(!arrived.isEmpty)

    try here.space.commitDurably(version: 3)
    #expect(throws: VaultError.self) { try here.space.advanceEpoch() }
    #expect(here.space.gate.reason?.contains("was continued elsewhere") == true)
    #expect(throws: VaultError.self) { try here.space.commit([1: page(1, version: 4)], pageCount: 1) }
    #expect(try here.space.pageBytes(1) == page(1, version: 3))
    let after = here.storage.names.filter { !before.contains($0) }.map { here.storage.content($0) }
    #expect(arrived.allSatisfy { after.contains($0) })
  }

  /// Looks after the lease on a look for other writers has run out.
  private func lookAgain(_ space: Space) { space.log.locked { $0.durability.nextLookForOthers = 0 } }

  @Test(arguments: [0, 24]) func aHeadThatAppearsStopsTheOtherWriterAtTheNextCommit(ownFiles: Int) throws {
    let here = try TestSpace.owningCover(ownFiles, version: 1)
    let elsewhere = here.storage.copy()
    let other = try here.vault(over: elsewhere).openSpace(here.body)
    try other.commitDurably(version: 2)
    lookAgain(here.space)
    try here.space.commitDurably(version: 3)
    for name in elsewhere.names where !here.storage.names.contains(name) {
      here.storage.place(elsewhere.content(name), as: name)
    }
    let before = here.storage.names.map { here.storage.content($0) }
    lookAgain(here.space)
    try here.space.commit([1: page(1, version: 4)], pageCount: 1)
    #expect(throws: VaultError.self) { try here.space.sync() }
    #expect(here.space.gate.reason?.contains("was continued elsewhere") == true)
    #expect(throws: VaultError.self) { try here.space.commit([1: page(1, version: 5)], pageCount: 1) }
    #expect(try here.space.pageBytes(1) == page(1, version: 4))
    try? here.space.close()
    // Nothing but this space's own last file grew.
    #expect(zip(before, here.storage.names.map { here.storage.content($0) }).filter { $0 != $1 }.count <= 1)
    here.storage.killProcess()
    #expect(try here.vault.openSpace(here.body).pageBytes(1) == page(1, version: 2))
  }

  @Test(arguments: ["replaced", "deleted", "cut short", "grown"], [0, 24])
  func aFileThatIsBeingWrittenAndChangesStopsTheWriter(_ change: String, ownFiles: Int) throws {
    let here = try TestSpace.owningCover(ownFiles, version: 1)
    let elsewhere = here.storage.copy()
    let name = try #require(here.space.segmentFiles().last?.identifier)
    switch change {
    case "replaced":
      // Both machines begin the same epoch, and one's head comes in the place of the other's.
      try here.space.advanceEpoch()
      let other = try here.vault(over: elsewhere).openSpace(here.body)
      try other.commitDurably(version: 2)
      let head = try #require(here.space.segmentFiles().last?.identifier)
      try #require(elsewhere.names.contains(head))
      try #require(elsewhere.content(head) != here.storage.content(head))
      here.storage.replace(head, by: elsewhere.content(head))
    case "deleted": here.storage.tamper(name) { _ in nil }
    case "cut short": here.storage.tamper(name) { $0.dropLast(100) }
    default: here.storage.tamper(name) { $0 + [1, 2, 3] }
    }
    let before = here.storage.names.map { here.storage.content($0) }
    #expect(throws: VaultError.self) { try here.space.commitDurably(version: 3) }
    #expect(here.space.gate.reason?.contains("was continued elsewhere") == true)
    #expect(throws: VaultError.self) { try here.space.commit([1: page(1, version: 4)], pageCount: 1) }
    try? here.space.close()
    #expect(here.storage.names.map { here.storage.content($0) } == before)
    if change == "replaced" {
      here.storage.killProcess()
      #expect(try here.vault.openSpace(here.body).pageBytes(1) == page(1, version: 2))
    }
  }
}
