import TestSupport
import Testing

@testable import Crypto

/// Answers of RFC 4231.
@Suite struct MessageCodeTests {
  @Test func shortAndLongKeysGiveTheKnownCodes() {
    #expect(
      MessageCode.sha256(key: Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        == bytes("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
    #expect(
      MessageCode.sha256(
        key: [UInt8](repeating: 0xaa, count: 131),
        Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
        == bytes("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"))
  }

  @Test func nothingHasACode() {
    #expect(
      MessageCode.sha256(key: [], []) == bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
  }
}
