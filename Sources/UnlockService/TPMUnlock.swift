internal import CUnlock
internal import Crypto
internal import QuickUnlock

/// A random secret that the TPM seals. The record has a byte that is 1 if there is a PIN, and the sealed object, which
/// only this TPM can open.
enum TPMUnlock {
  static func answer(_ request: UnlockRequest) -> UnlockReply {
    switch request.operation {
    case .make: make(request)
    case .get: get(request)
    // The TPM stores nothing, so there is nothing to delete.
    case .drop: UnlockReply(.done)
    }
  }

  private static func make(_ request: UnlockRequest) -> UnlockReply {
    let secret = SecretBytes.random(count: UnlockRecord.secretSize)
    var sealed = [UInt8](repeating: 0, count: Int(AGONYFS_UNLOCK_SEALED_LIMIT))
    var (size, detail) = (sealed.count, UInt32(0))
    let status = unsafe secret.withUnsafeBytes { secret in
      unsafe withPIN(request) { pin in
        unsafe agonyfs_tpm_seal(secret.bytes, pin.bytes, pin.count, &sealed, &size, &detail)
      }
    }
    guard status == 0 else { return UnlockReply(UnlockStatus(status), detail: detail) }
    return UnlockReply(.done, secret: secret, record: [request.pin == nil ? 0 : 1] + sealed.prefix(size))
  }

  private static func get(_ request: UnlockRequest) -> UnlockReply {
    guard let first = request.record.first else { return UnlockReply(.gone) }
    if first == 1, request.pin == nil { return UnlockReply(.needsPIN) }
    let sealed = Array(request.record.dropFirst())
    var (status, detail) = (UnlockStatus.failed, UInt32(0))
    let secret = unsafe SecretBytes(count: UnlockRecord.secretSize) { secret in
      unsafe status = UnlockStatus(
        withPIN(request) { pin in
          unsafe agonyfs_tpm_unseal(sealed, sealed.count, pin.bytes, pin.count, secret.bytes, &detail)
        })
    }
    return UnlockReply(status, detail: detail, secret: status == .done ? secret : nil)
  }

  private static func withPIN(_ request: UnlockRequest, _ body: (UnsafeRawBufferPointer) -> CInt) -> CInt {
    guard let pin = request.pin else { return unsafe body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return unsafe pin.withUnsafeBytes { unsafe body($0) }
  }
}

extension UnsafeRawBufferPointer {
  /// The first byte.
  var bytes: UnsafePointer<UInt8>? { unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) }
}
