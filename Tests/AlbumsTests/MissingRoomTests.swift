import FaultyStorage
import Storage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// A repair of a space that owns cover, of which files are missing.
@Suite struct MissingRoomTests {
  private static let password = "the password"
  private let storage = FaultyStorage()
  private let vault: Vault
  private let files: Int

  init() throws {
    vault = Vault(storage: storage, parameters: .cheap)
    try SpaceManager.addSpace(to: vault, password: .of(Self.password), cover: 8 << 20)
    files = storage.names.count
  }

  private func open(readOnly: Bool = false) throws -> Space {
    try SpaceManager.openSpace(in: vault, password: .of(Self.password), readOnly: readOnly)
  }

  /// A planned repair changes nothing, whatever it finds.
  @Test func aPlanMakesNoFiles() throws {
    let space = try open(readOnly: true)
    let range = try #require(space.owner?.cover.first)
    try space.close()
    let name = space.keys.coverIdentifier(CoverFile(branch: range.branch, counter: range.end - 1))
    storage.tamper(name) { _ in nil }
    let before = storage.names
    let operations = storage.operationCount
    do {
      let repair = try SpaceManager.planRepair(in: vault, password: .of(Self.password))
      #expect(repair.plan.isEmpty)
    }
    #expect(storage.names == before && storage.operationCount == operations)
    // A mount makes it again.
    try open().close()
    #expect(storage.names.count == files)
  }
}
