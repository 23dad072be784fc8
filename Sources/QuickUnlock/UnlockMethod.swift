/// What holds a key of a space, so that nothing needs to be typed. The numbers are in files and never change.
package enum UnlockMethod: UInt8, CaseIterable, Sendable {
  /// The Secret Service of the session.
  case keyring = 1
  /// A FIDO2 token.
  case fido2 = 2
  /// The machine's TPM.
  case tpm = 3

  /// The word for options and files.
  package var word: String {
    switch self {
    case .keyring: "keyring"
    case .fido2: "fido2"
    case .tpm: "tpm"
    }
  }
}

/// What became of a request to the helper. The numbers are those of `agonyfs_unlock_status`.
package enum UnlockStatus: UInt8, Sendable {
  /// It is done.
  case done = 0
  /// There is no service, token or TPM.
  case unavailable = 1
  /// The keyring stays locked.
  case locked = 2
  /// It does not have the secret, or not any more.
  case gone = 3
  /// It is to be asked again, with the PIN.
  case needsPIN = 4
  /// The PIN is wrong, or a finger that the token does not know.
  case wrongPIN = 5
  /// After too many wrong PINs.
  case blocked = 6
  /// Nobody touched the token.
  case cancelled = 7
  /// The token cannot do what is needed.
  case unsupported = 8
  /// Anything else.
  case failed = 9
  /// The token that has the key waits for a touch; another reply follows.
  case touch = 10
  /// More than one token comes into question.
  case several = 11
}
