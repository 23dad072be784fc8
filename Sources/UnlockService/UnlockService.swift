internal import Glibc
internal import QuickUnlock
package import System

/// Answers one request. Everything that needs the session's bus or hardware happens here, in a process of its own.
package enum UnlockService {
  /// Seconds after which the process ends: somebody who is asked for something has gone away.
  private static let patience: CUnsignedInt = 120

  /// Protects the process, then answers the request in `input` to `output`. Returns the exit status.
  package static func serve(_ input: Descriptor, _ output: Descriptor) -> CInt {
    ProcessHardening.apply()
    if ProcessHardening.tracer() != nil {
      try? UnlockReply(.failed).send(to: output)
      return 0
    }
    // What went wrong is said by the reply.
    unsafe setenv("TSS2_LOG", "all+none", 1)
    _ = alarm(patience)
    do {
      // If nobody reads that, the reply fails as well.
      try answer(UnlockRequest(from: input)) { try? UnlockReply(.touch).send(to: output) }.send(to: output)
      return 0
    } catch {
      return 1
    }
  }

  /// - Parameter announceTouch: is called when the token is found, before it waits for a touch.
  private static func answer(_ request: UnlockRequest, announceTouch: () -> Void) -> UnlockReply {
    switch request.method {
    case .keyring: KeyringUnlock.answer(request)
    case .fido2: TokenUnlock.answer(request, announceTouch)
    case .tpm: TPMUnlock.answer(request)
    }
  }
}
