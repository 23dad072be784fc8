import FaultyStorage
import Storage
import Testing

@testable import Vault

@Suite struct NotedStorageTests {
  @Test func whatWasUsedGoesOutOfMemory() throws {
    let test = try TestSpace.owningCover(version: 1)
    try test.space.close()
    let names = test.storage.names
    let storage = test.storage.copy()
    let noted = NotedStorage(storage)
    _ = try noted.open(names[0])
    _ = try noted.openPastMemory(names[1])
    try noted.wipe(names[2])
    let new = try #require(names.last)
    try noted.delete(new)
    _ = try noted.create(new)
    #expect(storage.evicted.isEmpty)
    noted.evictUsed()
    #expect(storage.evicted == [names[0], names[1], names[2], new])
  }

  /// A mount that is ready takes out all files of its space, or none.
  @Test func nothingIsNotedOfAMountThatIsReady() throws {
    let test = try TestSpace.owningCover(version: 1)
    try test.space.close()
    let (names, storage) = (test.storage.names, test.storage.copy())
    let noted = NotedStorage(storage)
    _ = try noted.open(names[0])
    noted.stopNoting()
    _ = try noted.open(names[1])
    noted.evictUsed()
    #expect(storage.evicted.isEmpty)
  }

  /// A space opens through it as without it.
  @Test func aSpaceLeavesNothing() throws {
    let test = try TestSpace.owningCover(version: 1)
    try test.space.close()
    let storage = test.storage.copy()
    let noted = NotedStorage(storage)
    let space = try Vault(storage: noted, parameters: .cheap).openSpace(test.body, readOnly: true)
    #expect(try space.pageBytes(1) == page(1, version: 1))
    noted.evictUsed()
    #expect(!storage.evicted.isDisjoint(with: space.segmentIdentifiers()))
  }
}
