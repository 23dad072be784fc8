import QuickUnlock
import Testing

@testable import agonyfs

/// What is said when a key could not be got.
@Suite struct UnlockSentenceTests {
  /// Tables of the TPM's errors have them in hexadecimal: this one is that it has no room for an object.
  @Test func numbersOfTheTPMAreThoseOfItsTables() {
    #expect(UnlockMethod.tpm.sentence(for: UnlockReply(.failed, detail: 0x902)).contains("error 0x902;"))
    #expect(UnlockMethod.fido2.sentence(for: UnlockReply(.failed, detail: 16)).hasSuffix("with error 16."))
    #expect(UnlockMethod.tpm.sentence(for: UnlockReply(.failed)) == "Using this machine's TPM failed.")
  }

  /// Another method, or a token that is not connected, may have a key still.
  @Test(arguments: UnlockMethod.allCases)
  func noneIsToForgetARecord(_ method: UnlockMethod) {
    #expect(!method.sentence(for: UnlockReply(.gone, detail: 2)).contains("--forget"))
  }
}
