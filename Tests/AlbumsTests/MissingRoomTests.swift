import AlbumsSupport
import FaultyStorage
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

  /// The last visit is lost, and nothing but the number of files tells: a repair says so before it goes on.
  @Test func aLostVisitIsAcceptedByARepair() throws {
    let visit = { (number: Int) in
      try vault.use(.of(Self.password)) { try $0.put(pattern(100_000, number), $0.make("\(number)")) }
    }
    for number in 1...3 { try visit(number) }
    let space = try open(readOnly: true)
    let highest = space.log.locked { $0.catalog.highestEpoch.rawValue }
    for epoch in [highest, highest - 1] {
      storage.tamper(space.keys.headIdentifier(EpochNumber(rawValue: epoch))) { _ in nil }
    }
    try space.close()
    let before = storage.names
    let report = try SpaceManager.check(in: vault, password: .of(Self.password), readData: true)
    #expect(report.problems.count == 1)
    #expect(storage.names == before)
    do {
      let repair = try SpaceManager.planRepair(in: vault, password: .of(Self.password))
      #expect(repair.found.problems.count == 1 && repair.plan.items.map(\.isLoss) == [true])
      #expect(storage.names == before)
      let after = try repair.carryOut()
      #expect(after.isClean)
    }
    #expect(storage.names.count == files)
    try visit(4)
    #expect(try SpaceManager.check(in: vault, password: .of(Self.password), readData: true).isClean)
  }
}
