internal import Glibc
internal import QuickUnlock
package import System

/// Answers one request. All access to the session's bus and to hardware happens here, in a separate process.
package enum UnlockService {
  /// Seconds after which the process ends: by then the user that it asks has probably gone away.
  private static let patience: CUnsignedInt = 120

  /// Protects the process, then reads a request from `input` and answers it to `output`. Returns the exit status.
  package static func serve(_ input: Descriptor, _ output: Descriptor) -> CInt {
    ProcessHardening.apply()
    if ProcessHardening.tracer() != nil {
      try? UnlockReply(.failed).send(to: output)
      return 0
    }
    // Failures are reported in the reply, so the TPM library must not log.
    unsafe setenv("TSS2_LOG", "all+none", 1)
    _ = alarm(patience)
    do {
      // If the pipe is closed, sending the reply fails as well.
      try answer(UnlockRequest(from: input)) { try? UnlockReply(.touch).send(to: output) }.send(to: output)
      return 0
    } catch {
      return 1
    }
  }

  /// - Parameter announceTouch: called when the token is found, before it waits for a touch.
  private static func answer(_ request: UnlockRequest, announceTouch: () -> Void) -> UnlockReply {
    switch request.method {
    case .keyring: KeyringUnlock.answer(request)
    case .fido2: TokenUnlock.answer(request, announceTouch)
    case .tpm: TPMUnlock.answer(request)
    }
  }
}
