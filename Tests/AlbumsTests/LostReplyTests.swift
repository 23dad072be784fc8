import AlbumsSupport
import FaultyStorage
import Storage
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// The host carries out each operation in turn and reports it as failed, as one of a network does when a reply is lost.
@Suite struct LostReplyTests {
  private static let (first, second) = (SeveralPasswordsTests.first, SeveralPasswordsTests.second)
  private let tests = SeveralPasswordsTests()

  private func filled(_ lacking: Set<HostAbility> = []) throws -> FaultyStorage {
    let storage = FaultyStorage()
    storage.lack(lacking)
    return try tests.filled([Self.first], in: storage)
  }

  /// How many operations a change of a filled vault has.
  private func operations(of change: (Vault) throws -> Void, lacking: Set<HostAbility> = []) throws -> Int {
    let storage = try filled(lacking)
    let start = storage.operationCount
    try change(tests.vault(over: storage))
    return storage.operationCount - start
  }

  private func addPassword(_ vault: Vault) throws {
    try SpaceManager.addPassword(in: vault, existing: .of(Self.first), new: .of(Self.second))
  }

  private func addSpace(_ vault: Vault) throws { try SpaceManager.addSpace(to: vault, password: .of(Self.second)) }

  /// A password is there as a whole or not at all, and then the same one can be added.
  @Test(arguments: [[], [.renameWithoutReplacing, .hardLinks]] as [Set<HostAbility>])
  func noHalfOfAPasswordIsLeft(_ lacking: Set<HostAbility>) throws {
    var failures = 0
    let all = Array(1...(try operations(of: addPassword, lacking: lacking)))
    for operation in TestLength.sample(all, 7, name: PlainHosts.name(lacking)) {
      let comment = Comment(rawValue: "operation \(operation)")
      let storage = try filled(lacking)
      let vault = tests.vault(over: storage)
      storage.inject(.lostReply(.ioError, at: storage.operationCount + operation))
      let isDone = (try? addPassword(vault)) != nil
      storage.inject(nil)
      if !isDone { failures += 1 }
      let found = try vault.slotKeys(for: .of(Self.second)).flatMap(\.identifiers).count { storage.names.contains($0) }
      #expect(found == 2 || found == 0 && !isDone, comment)
      if found == 0 { try addPassword(vault) }
      #expect(try tests.opening(vault, readOnly: false) == [Self.first, Self.second], comment)
      let report = try SpaceManager.check(in: vault, password: .of(Self.second), readData: true)
      #expect(report.problems == [], comment)
    }
    #expect(failures > 0)
  }

  /// A space that is not made leaves no file, not even an empty one, and the same password can be taken for it again.
  @Test func nothingOfASpaceIsLeft() throws {
    var failures = 0
    let all = Array(1...(try operations(of: addSpace)))
    for operation in TestLength.sample(all, 7) {
      let comment = Comment(rawValue: "operation \(operation)")
      let storage = try filled()
      let vault = tests.vault(over: storage)
      let before = Dictionary(uniqueKeysWithValues: storage.names.map { ($0, storage.content($0)) })
      storage.inject(.lostReply(.ioError, at: storage.operationCount + operation))
      if (try? addSpace(vault)) == nil {
        failures += 1
        #expect(Set(storage.names) == Set(before.keys), comment)
        storage.inject(nil)
        try addSpace(vault)
      }
      try vault.use(.of(Self.second)) { _ = try $0.make("g", with: [4]) }
      let areSame = before.allSatisfy { isSame(storage.content($0.key), $0.value) }
      #expect(areSame, comment)
      #expect(try vault.check(vault.openSlot(vault.slotKeys(for: .of(Self.first))).body).problems == [], comment)
    }
    #expect(failures > 0)
  }
}
