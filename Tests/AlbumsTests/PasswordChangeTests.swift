import AlbumsSupport
import FaultyStorage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Changing a password while the machine fails. The next mount may write.
@Suite struct PasswordChangeTests {
  private let tests = SeveralPasswordsTests()

  @Test(arguments: TestLength.sample([1, 2, 3], 1))
  func everyStopLeavesOneThatOpens(_ seed: UInt64) throws {
    let (old, new) = (SeveralPasswordsTests.first, SeveralPasswordsTests.second)
    var endings: Set<[String]> = []
    try tests.everyStop(seed, of: [old]) {
      try SpaceManager.changePassword(in: $0, old: .of(old), new: .of(new))
    } check: { left, isDone, comment in
      let vault = tests.vault(over: left)
      let opening = try tests.opening(vault, readOnly: false)
      #expect(!opening.isEmpty, comment)
      endings.insert(opening)
      if isDone {
        #expect(opening == [new], comment)
        return
      }
      // Whatever was left half done goes with the space: neither password opens anything afterwards.
      try SpaceManager.removeSpace(from: vault, password: .of(opening.first ?? new))
      #expect(try tests.opening(vault, readOnly: false).isEmpty, comment)
      #expect(left.names.allSatisfy { FaultyStorage.isTemporary($0) }, comment)
    }
    #expect(endings.isSuperset(of: [[old], [new]]))
  }
}
