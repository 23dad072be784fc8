internal import CUnlock
internal import Crypto
internal import QuickUnlock

/// A random secret in the keyring. The record is the number of its item there.
enum KeyringUnlock {
  static func answer(_ request: UnlockRequest) -> UnlockReply {
    if request.operation == .make { return make() }
    guard request.record.count == Int(AGONYFS_UNLOCK_ITEM_SIZE) else { return UnlockReply(.gone) }
    if request.operation == .drop { return UnlockReply(UnlockStatus(unsafe agonyfs_keyring_delete(request.record))) }
    var status = UnlockStatus.failed
    let secret = unsafe SecretBytes(count: UnlockRecord.secretSize) { buffer in
      unsafe status = UnlockStatus(agonyfs_keyring_find(request.record, buffer.bytes))
    }
    return UnlockReply(status, secret: status == .done ? secret : nil)
  }

  private static func make() -> UnlockReply {
    let item = Sodium.randomBytes(Int(AGONYFS_UNLOCK_ITEM_SIZE))
    let secret = SecretBytes.random(count: UnlockRecord.secretSize)
    let status = unsafe secret.withUnsafeBytes { bytes in
      unsafe UnlockStatus(agonyfs_keyring_store(item, bytes.bytes))
    }
    return status == .done ? UnlockReply(.done, secret: secret, record: item) : UnlockReply(status)
  }
}

extension UnlockStatus {
  init(_ number: CInt) { self = UInt8(exactly: number).flatMap(UnlockStatus.init(rawValue:)) ?? .failed }
}
