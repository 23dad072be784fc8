internal import QuickUnlock

extension UnlockMethod {
  /// The place of the key, in a sentence.
  var place: String {
    switch self {
    case .keyring: "the keyring"
    case .fido2: "the token"
    case .tpm: "this machine's TPM"
    }
  }

  /// Why the key is not available, and what the user can do.
  func sentence(for reply: UnlockReply) -> String {
    switch (self, reply.status) {
    case (.keyring, .unavailable):
      "No keyring answers; start gnome-keyring, KWallet or another Secret Service in this session."
    case (.keyring, .locked): "The keyring is locked, and was not unlocked; unlock it and try again."
    case (.keyring, .gone):
      "The key is not in the keyring any more; enrol it again with agonyfs password add --keyring."
    case (.fido2, .unavailable): "No FIDO2 token that you may use is connected; connect it and try again."
    case (.fido2, .gone) where reply.detail > 1:
      "None of the \(reply.detail) connected tokens holds the key of this space; connect the one that was enrolled."
    case (.fido2, .gone):
      "The connected token does not hold the key of this space; connect the one that was enrolled."
    case (.fido2, .several):
      "Several connected tokens may hold the key; leave only the one that is for this space, and try again."
    case (.fido2, .needsPIN): "The token asks for its PIN, and there is no terminal to type it at."
    case (.fido2, .wrongPIN): "The token does not accept this PIN; after a few wrong ones it is blocked."
    case (.fido2, .blocked):
      "The token is blocked after too many wrong PINs; take it out and put it in again, or reset it, which loses its keys."
    case (.fido2, .cancelled): "The token was not touched in time; try again."
    case (.fido2, .unsupported): "This token cannot hold such a key (it needs FIDO2 with hmac-secret); use another one."
    case (.tpm, .unavailable): "No TPM answers; check that you may open /dev/tpmrm0 (group tss)."
    case (.tpm, .gone):
      "The TPM of this machine does not know the key: it was cleared, or is another one; enrol it again with agonyfs "
        + "password add --tpm."
    case (.tpm, .needsPIN): "The key in the TPM needs its PIN, and there is no terminal to type it at."
    case (.tpm, .wrongPIN): "The TPM does not accept this PIN; after many wrong ones it is blocked for a time."
    case (.tpm, .blocked): "The TPM is blocked after too many wrong PINs; wait some hours and try again."
    // In hexadecimal, as tables of TPM errors list them.
    case (.tpm, _) where reply.detail != 0:
      "Using \(place) failed with error 0x\(String(reply.detail, radix: 16)); if another program uses it, try again."
    case (_, _): "Using \(place) failed\(reply.detail == 0 ? "" : " with error \(reply.detail)")."
    }
  }
}
