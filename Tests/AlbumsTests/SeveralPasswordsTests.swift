import Crypto
import FaultyStorage
import Storage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Several passwords of one space, also while the machine fails.
@Suite struct SeveralPasswordsTests {
  private static let first = "the first password"
  private static let second = "the second password"

  private let parameters = VaultParameters.cheap

  private func vault(over storage: FaultyStorage) -> Vault { Vault(storage: storage, parameters: parameters) }

  /// A vault with one space that these passwords open, and a file in it.
  private func filled(_ passwords: String...) throws -> FaultyStorage {
    let storage = FaultyStorage()
    let vault = vault(over: storage)
    try SpaceManager.addSpace(to: vault, password: .of(passwords[0]))
    for password in passwords.dropFirst() {
      try SpaceManager.addPassword(in: vault, existing: .of(passwords[0]), new: .of(password))
    }
    let files = try FileSystem(
      space: try SpaceManager.openSpace(in: vault, password: .of(passwords[0])),
      options: FileSystemOptions(logger: quietLogger))
    try files.put([1, 2, 3], files.make("f"))
    try files.close()
    return storage
  }

  /// Whether a password opens the space, with the file in it. Nothing is written.
  private func opens(_ text: String, _ vault: Vault) throws -> Bool {
    let space: Space
    do throws(VaultError) {
      space = try SpaceManager.openSpace(in: vault, password: .of(text), readOnly: true)
    } catch .noSpaceOpens {
      return false
    }
    var options = FileSystemOptions(logger: quietLogger)
    options.isReadOnly = true
    let files = try FileSystem(space: space, options: options)
    #expect(try files.get(files.find("f").inode) == [1, 2, 3])
    try files.close()
    return true
  }

  /// Which of the two passwords open the space.
  private func opening(_ vault: Vault) throws -> [String] {
    try [Self.first, Self.second].filter { try opens($0, vault) }
  }

  private func passwordCount(_ vault: Vault) throws -> Int {
    try SpaceManager.information(in: vault, password: .of(Self.first)).passwords
  }

  @Test func eachOpensTheSameSpaceAndOneCanGo() throws {
    let vault = vault(over: try filled(Self.first, Self.second))
    #expect(try opening(vault) == [Self.first, Self.second])
    #expect(try passwordCount(vault) == 2)
    for password in [Self.first, Self.second] {
      #expect(throws: VaultError.passwordInUse) {
        try SpaceManager.addPassword(in: vault, existing: .of(Self.first), new: .of(password))
      }
    }
    try SpaceManager.removePassword(in: vault, .of(Self.second))
    #expect(try opening(vault) == [Self.first])
    #expect(try passwordCount(vault) == 1)
    #expect(throws: VaultError.lastPassword) { try SpaceManager.removePassword(in: vault, .of(Self.first)) }
    #expect(try opening(vault) == [Self.first])
    let report = try SpaceManager.check(in: vault, password: .of(Self.first), readData: true)
    #expect(report.problems == [] && report.notes == [])
  }

  @Test func aChangeReplacesTheOneThatIsGiven() throws {
    let storage = try filled(Self.first, Self.second)
    let vault = vault(over: storage)
    try SpaceManager.changePassword(in: vault, old: .of(Self.second), new: .of("a third password"))
    #expect(try opening(vault) == [Self.first])
    #expect(try opens("a third password", vault))
    #expect(try passwordCount(vault) == 2)
    try SpaceManager.removeSpace(from: vault, password: .of("a third password"))
    #expect(storage.names == [])
  }

  @Test func passwordsOfASpaceThatOwnsCoverChangeNoFile() throws {
    let storage = FaultyStorage()
    let vault = vault(over: storage)
    let slot = try vault.strongest(of: try vault.slotKeys(for: .of(Self.first)))
    let (space, body) = try vault.createSpace(suite: .aes256gcm, ownFiles: 60)
    try space.changeOwner { $0.slots = slot.identifiers }
    try FileSystem.create(in: space, owner: 0, group: 0)
    try vault.putSlot(slot, body)
    try space.cover.restoreFileCount()
    let files = try FileSystem(space: space, options: FileSystemOptions(logger: quietLogger))
    try files.put([1, 2, 3], files.make("f"))
    try files.close()
    #expect(storage.names.count == 60)

    try SpaceManager.addPassword(in: vault, existing: .of(Self.first), new: .of(Self.second))
    #expect(storage.names.count == 60)
    try SpaceManager.changePassword(in: vault, old: .of(Self.first), new: .of("a third password"))
    #expect(storage.names.count == 60)
    try SpaceManager.removePassword(in: vault, .of(Self.second))
    #expect(storage.names.count == 60)
    #expect(try opening(vault) == [] && opens("a third password", vault))
    try storage.delete(vault.openSlot(vault.slotKeys(for: .of("a third password"))).key.identifiers[0])
    try SpaceManager.openSpace(in: vault, password: .of("a third password")).close()
    #expect(storage.names.count == 60)
    let slots = try vault.openSlot(vault.slotKeys(for: .of("a third password"))).key.identifiers
    let left = Set(storage.names)
    try SpaceManager.removeSpace(from: vault, password: .of("a third password"))
    #expect(storage.names.count == 60)
    #expect(left.subtracting(storage.names) == Set(slots), "whoever knows the password could find its slots")
    #expect(try !opens("a third password", vault))
    #expect(throws: VaultError.self) { try vault.openSpace(body) }
  }

  @Test func aSpaceThatIsOpenKeepsItsPasswords() throws {
    let vault = vault(over: try filled(Self.first, Self.second))
    let space = try SpaceManager.openSpace(in: vault, password: .of(Self.first))
    #expect(throws: VaultError.spaceInUse) { try SpaceManager.removePassword(in: vault, .of(Self.second)) }
    #expect(throws: VaultError.spaceInUse) {
      try SpaceManager.addPassword(in: vault, existing: .of(Self.first), new: .of("a third password"))
    }
    try space.close()
    #expect(try opening(vault) == [Self.first, Self.second])
  }

  /// Whatever a crash left, `password remove` and `space remove` do what they say: a password goes only if another one
  /// opens the space, and nothing is left of a space that was removed.
  private func checkRemoving(_ storage: FaultyStorage, _ comment: Comment) throws {
    for password in try opening(vault(over: storage)) {
      let vault = vault(over: storage.copy())
      do throws(VaultError) {
        try SpaceManager.removePassword(in: vault, .of(password))
      } catch {
        #expect(error == .lastPassword, comment)
      }
      #expect(try !opening(vault).isEmpty, comment)
    }
    let password = try #require(try opening(vault(over: storage)).last)
    try SpaceManager.removeSpace(from: vault(over: storage), password: .of(password))
    #expect(try opening(vault(over: storage)) == [], comment)
  }

  @Test(arguments: TestLength.sample([1, 2], 1))
  func everyStopOfAddingKeepsTheFirst(_ seed: UInt64) throws {
    var endings: Set<[String]> = []
    for stop in TestLength.stops() {
      let storage = try filled(Self.first)
      storage.inject(.cut(at: storage.operationCount + stop))
      let isDone =
        (try? SpaceManager.addPassword(in: vault(over: storage), existing: .of(Self.first), new: .of(Self.second)))
        != nil
      let after = storage.powerCut(seed: seed << 32 + UInt64(stop))
      let found = try opening(vault(over: after))
      #expect(found.first == Self.first, "stopped at \(stop)")
      endings.insert(found)
      try checkRemoving(after, "stopped at \(stop)")
      if isDone {
        #expect(found.count == 2)
        break
      }
    }
    #expect(endings.count == 2)
  }

  @Test(arguments: TestLength.sample([1, 2], 1))
  func everyStopOfRemovingKeepsTheOther(_ seed: UInt64) throws {
    var endings: Set<[String]> = []
    for stop in TestLength.stops() {
      let storage = try filled(Self.first, Self.second)
      storage.inject(.cut(at: storage.operationCount + stop))
      let isDone = (try? SpaceManager.removePassword(in: vault(over: storage), .of(Self.second))) != nil
      let after = storage.powerCut(seed: seed << 32 + UInt64(stop))
      let found = try opening(vault(over: after))
      #expect(found.first == Self.first, "stopped at \(stop)")
      endings.insert(found)
      try checkRemoving(after, "stopped at \(stop)")
      if isDone {
        #expect(found.count == 1)
        break
      }
    }
    #expect(endings.count == 2)
  }

  @Test(arguments: TestLength.sample([1, 2], 1))
  func everyStopOfAChangeLeavesOneThatCannotBeRemoved(_ seed: UInt64) throws {
    for stop in TestLength.stops() {
      let storage = try filled(Self.first)
      storage.inject(.cut(at: storage.operationCount + stop))
      let isDone =
        (try? SpaceManager.changePassword(in: vault(over: storage), old: .of(Self.first), new: .of(Self.second)))
        != nil
      let after = storage.powerCut(seed: seed << 32 + UInt64(stop))
      #expect(try !opening(vault(over: after)).isEmpty, "stopped at \(stop)")
      try checkRemoving(after, "stopped at \(stop)")
      if isDone { break }
    }
  }
}
