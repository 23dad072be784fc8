import FaultyStorage
import Testing

@testable import Vault

/// A space that two machines wrote, each in a copy of the vault, whose files then come together.
@Suite struct ForkTests {
  @Test func whatWasContinuedElsewhereIsNotOverwritten() throws {
    let here = TestSpace()
    try here.space.commit([1: page(1, version: 1)], pageCount: 1)
    try here.space.advanceEpoch()

    let elsewhere = here.storage.copy()
    let other = try here.vault(over: elsewhere).openSpace(here.body)
    try other.commit([1: page(1, version: 2)], pageCount: 1)
    try other.close()
    let before = Set(here.storage.names)
    var arrived: [[UInt8]] = []
    for name in elsewhere.names where !before.contains(name) {
      here.storage.place(elsewhere.content(name), as: name)
      arrived.append(elsewhere.content(name))
    }
    try #require(!arrived.isEmpty)

    try here.space.commit([1: page(1, version: 3)], pageCount: 1)
    try here.space.barrier()
    #expect(throws: VaultError.self) { try here.space.advanceEpoch() }
    #expect(here.space.readOnlyReason?.contains("was continued elsewhere") == true)
    #expect(throws: VaultError.self) { try here.space.commit([1: page(1, version: 4)], pageCount: 1) }
    #expect(try here.space.pageBytes(1) == page(1, version: 3))
    let after = here.storage.names.filter { !before.contains($0) }.map { here.storage.content($0) }
    #expect(arrived.allSatisfy { after.contains($0) })
  }
}
