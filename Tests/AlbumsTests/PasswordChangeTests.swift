import Crypto
import FaultyStorage
import Storage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Changing a password while the machine fails.
@Suite struct PasswordChangeTests {
  private static let old = "the old password"
  private static let new = "the new password"

  private let parameters = VaultParameters.cheap

  private func vault(over storage: FaultyStorage) -> Vault { Vault(storage: storage, parameters: parameters) }

  /// A vault with one space, and a file in it.
  private func filled() throws -> FaultyStorage {
    let storage = FaultyStorage()
    let vault = vault(over: storage)
    try SpaceManager.addSpace(to: vault, password: .of(Self.old))
    let files = try FileSystem(
      space: try SpaceManager.openSpace(in: vault, password: .of(Self.old)),
      options: FileSystemOptions(logger: quietLogger))
    try files.put([1, 2, 3], files.make("f"))
    try files.close()
    return storage
  }

  /// Whether a password opens the space, with the file in it.
  private func opens(_ text: String, _ vault: Vault) throws -> Bool {
    let space: Space
    do throws(VaultError) {
      space = try SpaceManager.openSpace(in: vault, password: .of(text))
    } catch .noSpaceOpens {
      return false
    }
    let files = try FileSystem(space: space, options: FileSystemOptions(logger: quietLogger))
    #expect(try files.get(files.find("f").inode) == [1, 2, 3])
    try files.close()
    return true
  }

  @Test(arguments: TestLength.sample([1, 2, 3], 1))
  func everyStopLeavesOneThatOpens(_ seed: UInt64) throws {
    var endings: Set<[Bool]> = []
    for stop in TestLength.stops() {
      let storage = try filled()
      storage.inject(.cut(at: storage.operationCount + stop))
      let isDone =
        (try? SpaceManager.changePassword(
          in: vault(over: storage), old: .of(Self.old), new: .of(Self.new))) != nil
      let after = storage.powerCut(seed: seed << 32 + UInt64(stop))
      let vault = vault(over: after)
      let opening = [try opens(Self.old, vault), try opens(Self.new, vault)]
      #expect(opening != [false, false], "stopped at \(stop)")
      endings.insert(opening)
      if isDone {
        #expect(opening == [false, true])
        break
      }
      // Whatever was left half done goes with the space: neither password opens anything afterwards.
      try SpaceManager.removeSpace(from: vault, password: .of(opening[0] ? Self.old : Self.new))
      #expect(try ![opens(Self.old, vault), opens(Self.new, vault)].contains(true), "stopped at \(stop)")
      let left = after.names.filter { !FaultyStorage.isTemporary($0) }
      #expect(left.isEmpty, "stopped at \(stop)")
    }
    #expect(endings.isSuperset(of: [[true, false], [false, true]]))
  }
}
