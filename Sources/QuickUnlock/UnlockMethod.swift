/// A place that holds a key of a space, so that the user types nothing. The numbers are stored in files and never
/// change.
package enum UnlockMethod: UInt8, CaseIterable, Sendable {
  /// The Secret Service of the user's session.
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

/// The outcome of a request to the helper. The numbers are those of `agonyfs_unlock_status`.
package enum UnlockStatus: UInt8, Sendable {
  /// The request succeeded.
  case done = 0
  /// No service, token or TPM answers.
  case unavailable = 1
  /// The keyring was not unlocked.
  case locked = 2
  /// The secret is not there, or not any more.
  case gone = 3
  /// The request needs the PIN; send it again with one.
  case needsPIN = 4
  /// The PIN is wrong, or the token does not know the finger.
  case wrongPIN = 5
  /// The token or TPM is blocked after too many wrong PINs.
  case blocked = 6
  /// The user did not touch the token in time.
  case cancelled = 7
  /// The token lacks a needed feature.
  case unsupported = 8
  /// Any other failure.
  case failed = 9
  /// The token that has the key waits for a touch; another reply follows.
  case touch = 10
  /// More than one token may hold the key.
  case several = 11
}
