import FaultyStorage
import TestSupport
import Testing

@testable import Vault

/// Files of a space that owns cover are counted, so those are missed as well that nothing names any more.
@Suite struct MissingFileTests {
  private let test: TestSpace

  /// Three visits, each with a head at its beginning and one at its end.
  init() throws {
    test = try .owningCover()
    for version in 1...3 {
      try test.space.commitAndClose(version: version)
      test.space = try test.vault.openSpace(test.body, copyWindow: 0)
    }
    test.storage.killProcess()
  }

  private func opened(_ storage: FaultyStorage) throws -> Space {
    try test.vault(over: storage).openSpace(test.body, readOnly: true)
  }

  @Test func theNewestFilesAreMissed() throws {
    #expect(try opened(test.storage).missingFiles() == nil)
    let highest = test.space.highestEpoch.rawValue
    let storage = test.storage.after(.keepsAll)
    for epoch in [highest, highest - 1] {
      storage.tamper(test.space.keys.headIdentifier(EpochNumber(rawValue: epoch))) { _ in nil }
    }
    let space = try opened(storage)
    // Without a count nothing would tell.
    #expect(try space.pageBytes(1) == page(1, version: 2) && space.origin.warning == nil)
    #expect(try space.missingFiles() == MissingFiles(count: 2, isCertain: true))
    #expect(space.verify(readData: true) == [])
    #expect(try opened(storage.copy()).missingFiles() == nil)
  }

  @Test func nothingIsMissedInASpaceWithoutCover() throws {
    let test = TestSpace()
    try test.space.commitAndClose(version: 1)
    #expect(try test.vault.openSpace(test.body, readOnly: true).missingFiles() == nil)
  }

  /// After a crash of the next visit no file of a space that owns cover is missed for certain.
  @Test func aCrashIsNoLoss() throws {
    for operation in TestLength.sample(1...60, 12) {
      let crashing = test.storage.after(.keepsAll)
      let space = try test.vault(over: crashing).openSpace(test.body, copyWindow: 0)
      crashing.inject(.cut(at: crashing.operationCount + operation))
      _ = try? space.append(randomBytes(900_000))
      _ = try? space.append(randomBytes(900_000, seed: 2))
      try? space.commit([1: page(1, version: 4)], pageCount: 1)
      try? space.close()
      for cut in [.keepsAll, .losesAll] + (2..<6).map({ PowerCut.mixed(seed: $0) }) {
        #expect(try opened(crashing.after(cut)).missingFiles()?.isCertain != true, "operation \(operation), \(cut)")
      }
    }
  }
}
