internal import CUnlock
internal import Crypto
internal import QuickUnlock

/// A secret that a token computes. The record has a byte of `Traits`, 32 bytes of salt, and the handle of the
/// credential unless the token finds it without one.
enum TokenUnlock {
  /// Bits of the record's first byte.
  private enum Traits {
    /// The token verifies the user.
    static let verified: UInt8 = 1
    /// The token denies that it has the credential until it has verified the user.
    static let hidden: UInt8 = 2
    /// Whether the token does so was tested. Version 1.0.0 did not test it.
    static let asked: UInt8 = 4
  }

  private static let saltSize = Int(AGONYFS_UNLOCK_SECRET_SIZE)

  static func answer(_ request: UnlockRequest, _ announceTouch: () -> Void) -> UnlockReply {
    switch request.operation {
    case .make: make(request, announceTouch)
    case .get: get(request, announceTouch)
    // Only the token's own tools can delete a credential.
    case .drop: UnlockReply(.done)
    }
  }

  private static func make(_ request: UnlockRequest, _ announceTouch: () -> Void) -> UnlockReply {
    var token: OpaquePointer?
    var detail = UInt32(0)
    var status = UnlockStatus(unsafe agonyfs_token_find(nil, request.pin != nil, &token, &detail))
    guard status == .done else { return UnlockReply(status, detail: detail) }
    announceTouch()
    var key = agonyfs_token_key()
    let salt = Sodium.randomBytes(saltSize)
    unsafe withUnsafeMutableBytes(of: &key.salt) { unsafe $0.copyBytes(from: salt) }
    let user = Sodium.randomBytes(saltSize)
    let secret = unsafe SecretBytes(count: UnlockRecord.secretSize) { secret in
      unsafe withPIN(request) { pin in
        unsafe status = UnlockStatus(
          agonyfs_token_make(token, &key, user, request.isResident, pin, secret.bytes, &detail))
      }
    }
    guard status == .done else { return UnlockReply(status, detail: detail) }
    let credential = unsafe withUnsafeBytes(of: &key.credential) { unsafe Array($0.prefix(key.credential_size)) }
    let traits = (key.verified ? Traits.verified : 0) | (key.hidden ? Traits.hidden : 0) | Traits.asked
    return UnlockReply(.done, secret: secret, record: [traits] + salt + credential)
  }

  private static func get(_ request: UnlockRequest, _ announceTouch: () -> Void) -> UnlockReply {
    var key = agonyfs_token_key()
    let credential = request.record.dropFirst(1 + saltSize)
    guard request.record.count > saltSize, credential.count <= Int(AGONYFS_UNLOCK_CREDENTIAL_LIMIT) else {
      return UnlockReply(.gone)
    }
    let traits = request.record[0]
    key.verified = traits & Traits.verified != 0
    key.hidden = traits & Traits.hidden != 0 || (key.verified && traits & Traits.asked == 0)
    unsafe withUnsafeMutableBytes(of: &key.salt) { unsafe $0.copyBytes(from: request.record[1...saltSize]) }
    unsafe withUnsafeMutableBytes(of: &key.credential) { unsafe $0.copyBytes(from: credential) }
    key.credential_size = credential.count
    var token: OpaquePointer?
    var detail = UInt32(0)
    var status = UnlockStatus(unsafe agonyfs_token_find(&key, request.pin != nil, &token, &detail))
    guard status == .done else { return UnlockReply(status, detail: detail) }
    announceTouch()
    let secret = unsafe SecretBytes(count: UnlockRecord.secretSize) { secret in
      unsafe withPIN(request) { pin in
        unsafe status = UnlockStatus(agonyfs_token_get(token, &key, pin, secret.bytes, &detail))
      }
    }
    return UnlockReply(status, detail: detail, secret: status == .done ? secret : nil)
  }

  /// Calls `body` with the PIN as a C string in locked memory; with nil if there is none.
  private static func withPIN(_ request: UnlockRequest, _ body: (UnsafePointer<CChar>?) -> Void) {
    guard let pin = request.pin else { return body(nil) }
    let text = unsafe SecretBytes(count: pin.count + 1) { buffer in
      unsafe pin.withUnsafeBytes { unsafe buffer.copyMemory(from: $0) }
      unsafe buffer[pin.count] = 0
    }
    unsafe text.withUnsafeBytes { unsafe body($0.baseAddress?.assumingMemoryBound(to: CChar.self)) }
  }
}

extension UnsafeMutableRawBufferPointer {
  /// The first byte.
  var bytes: UnsafeMutablePointer<UInt8>? { unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
