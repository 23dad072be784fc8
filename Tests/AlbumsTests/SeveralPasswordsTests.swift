import AlbumsSupport
import FaultyStorage
import Library
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Several passwords of one space, also while the machine fails.
@Suite struct SeveralPasswordsTests {
  static let first = "the first password"
  static let second = "the second password"

  /// Each has a salt of its own.
  private let parameters = VaultParameters.cheap

  func vault(over storage: FaultyStorage) -> Vault { Vault(storage: storage, parameters: parameters) }

  /// A vault with one space that these passwords open, and a file in it.
  func filled(
    _ passwords: [String] = [Self.first, Self.second], in storage: FaultyStorage = FaultyStorage()
  ) throws -> FaultyStorage {
    let vault = vault(over: storage)
    try SpaceManager.addSpace(to: vault, password: .of(passwords[0]))
    for password in passwords.dropFirst() {
      try SpaceManager.addPassword(in: vault, existing: .of(passwords[0]), new: .of(password))
    }
    try vault.use(.of(passwords[0])) { try $0.put([1, 2, 3], $0.make("f")) }
    return storage
  }

  /// Whether a password opens the space, with the file in it.
  private func opens(_ text: String, _ vault: Vault, readOnly: Bool = true) throws -> Bool {
    let files: FileSystem
    do throws(VaultError) {
      files = try vault.mount(.of(text), readOnly: readOnly)
    } catch .noSpaceOpens {
      return false
    }
    #expect(try files.get(files.find("f").inode) == [1, 2, 3])
    try files.close()
    return true
  }

  /// Which of the two passwords open the space. With `readOnly` nothing is written.
  func opening(_ vault: Vault, readOnly: Bool = true) throws -> [String] {
    try [Self.first, Self.second].filter { try opens($0, vault, readOnly: readOnly) }
  }

  private func passwordCount(_ vault: Vault) throws -> Int {
    try SpaceManager.information(in: vault, password: .of(Self.first)).passwords
  }

  @Test func eachOpensTheSameSpaceAndOneCanGo() throws {
    let vault = vault(over: try filled())
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
    let storage = try filled()
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
    let (space, body) = try vault.makeSpace(.of(Self.first), ownFiles: 60)
    let files = try FileSystem(
      space: space, options: FileSystemOptions(logger: quietLogger), changeSink: Library())
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

  /// A crash, or a copy that is not finished, leaves files that are empty or short. They open nothing.
  @Test(arguments: [0, 100, -1])
  func aPasswordWhoseFilesAreShortDoesNotReplaceTheLast(size: Int) throws {
    let storage = try filled()
    let vault = vault(over: storage)
    for slot in try vault.openSlot(vault.slotKeys(for: .of(Self.second))).key.identifiers {
      storage.tamper(slot) { size < 0 ? nil : Array($0.prefix(size)) }
    }
    #expect(throws: VaultError.lastPassword) { try SpaceManager.removePassword(in: vault, .of(Self.first)) }
    #expect(try opening(vault) == [Self.first])
  }

  @Test func aSpaceThatIsOpenKeepsItsPasswords() throws {
    let vault = vault(over: try filled())
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
  func checkRemoving(_ storage: FaultyStorage, _ comment: Comment) throws {
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

  /// Stops at each operation of a change of a space that these passwords open, cuts power, and calls `check` with what is
  /// left and with whether the change was done.
  func everyStop(
    _ seed: UInt64, of passwords: [String], function: String = #function, change: (Vault) throws -> Void,
    check: (_ left: FaultyStorage, _ isDone: Bool, _ comment: Comment) throws -> Void
  ) throws {
    for stop in TestLength.stops(function: function) {
      let storage = try filled(passwords)
      storage.inject(.cut(at: storage.operationCount + stop))
      let isDone = (try? change(vault(over: storage))) != nil
      try check(storage.powerCut(seed: seed << 32 + UInt64(stop)), isDone, "stopped at \(stop)")
      if isDone { return }
    }
  }

  @Test(arguments: [true, false], TestLength.sample([1, 2] as [UInt64], 1))
  func everyStopOfAddingAndRemovingKeepsTheFirst(adds: Bool, _ seed: UInt64) throws {
    var endings: Set<[String]> = []
    try everyStop(seed, of: adds ? [Self.first] : [Self.first, Self.second]) { vault in
      if adds {
        try SpaceManager.addPassword(in: vault, existing: .of(Self.first), new: .of(Self.second))
      } else {
        try SpaceManager.removePassword(in: vault, .of(Self.second))
      }
    } check: { left, isDone, comment in
      let found = try opening(vault(over: left))
      #expect(found.first == Self.first, comment)
      endings.insert(found)
      try checkRemoving(left, comment)
      if isDone { #expect(found.count == (adds ? 2 : 1), comment) }
    }
    #expect(endings.count == 2)
  }

  @Test(arguments: TestLength.sample([1, 2], 1))
  func everyStopOfAChangeLeavesOneThatCannotBeRemoved(_ seed: UInt64) throws {
    try everyStop(seed, of: [Self.first]) {
      try SpaceManager.changePassword(in: $0, old: .of(Self.first), new: .of(Self.second))
    } check: { left, _, comment in
      #expect(try !opening(vault(over: left)).isEmpty, comment)
      try checkRemoving(left, comment)
    }
  }
}
