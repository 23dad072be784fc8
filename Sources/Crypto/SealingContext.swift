// Invariants
// 1. LockedMemory is OpenSSL's allocator from its first allocation on, so key schedules are in locked memory.
// 2. One thread uses a context at a time. Idle contexts wait in a bounded pool.

internal import COpenSSL
internal import Synchronization

/// Working memory for sealing and opening. It is reused, because creating it costs more than sealing a page.
@safe package struct SealingContext: ~Copyable, @unchecked Sendable {
  private let sealing: OpaquePointer
  private let opening: OpaquePointer
  private let loaded: UnsafeMutablePointer<(sealing: UInt64, opening: UInt64)>

  fileprivate init() {
    OpenSSL.initialize()
    guard let sealing = unsafe EVP_CIPHER_CTX_new(), let opening = unsafe EVP_CIPHER_CTX_new() else {
      fatalError("OpenSSL has no memory left.")
    }
    unsafe self.sealing = sealing
    unsafe self.opening = opening
    unsafe loaded = UnsafeMutablePointer.allocate(capacity: 1)
    unsafe loaded.initialize(to: (0, 0))
    let cipher = unsafe OpenSSL.aes256gcm
    let initialized =
      unsafe EVP_EncryptInit_ex2(sealing, cipher, nil, nil, nil) == 1
      && EVP_DecryptInit_ex2(opening, cipher, nil, nil, nil) == 1
    precondition(initialized, "OpenSSL has no AES-256-GCM")
  }

  deinit {
    unsafe EVP_CIPHER_CTX_free(sealing)
    unsafe EVP_CIPHER_CTX_free(opening)
    unsafe loaded.deallocate()
  }

  private struct Pool: ~Copyable {
    var idle: [Box] = []
  }
  private final class Box: Sendable {
    let context = SealingContext()
  }
  private static let pool = Mutex(Pool())
  private static let idleLimit = 16

  /// Calls `body` with a context from the pool.
  package static func with<R, E: Error>(_ body: (borrowing SealingContext) throws(E) -> R) throws(E) -> R {
    let box = pool.withLock { $0.idle.popLast() } ?? Box()
    defer { pool.withLock { if $0.idle.count < idleLimit { $0.idle.append(box) } } }
    return try body(box.context)
  }

  /// AES-256-GCM; `sealed` is ciphertext, then tag.
  func sealAES(
    _ plaintext: UnsafeRawBufferPointer, at offset: UInt64, kind: UInt8, into sealed: UnsafeMutableRawBufferPointer,
    _ key: UnsafeMutableRawPointer, _ identity: UInt64
  ) {
    var kind = kind
    var length: Int32 = 0
    let keyIsLoaded = unsafe loaded.pointee.sealing == identity
    unsafe loaded.pointee.sealing = identity
    let output = unsafe sealed.bytes
    var succeeded = unsafe withUnsafeBytes(of: (offset.littleEndian, 0 as UInt32)) { nonce in
      unsafe EVP_EncryptInit_ex2(
        sealing, nil, keyIsLoaded ? nil : UnsafePointer(key.assumingMemoryBound(to: UInt8.self)),
        nonce.bytes, nil) == 1
    }
    succeeded = unsafe succeeded && EVP_EncryptUpdate(sealing, nil, &length, &kind, 1) == 1
    succeeded =
      unsafe succeeded
      && (plaintext.isEmpty
        || EVP_EncryptUpdate(
          sealing, output, &length, plaintext.bytes,
          Int32(plaintext.count)) == 1)
    succeeded = unsafe succeeded && EVP_EncryptFinal_ex(sealing, output.advanced(by: plaintext.count), &length) == 1
    succeeded =
      unsafe succeeded
      && EVP_CIPHER_CTX_ctrl(
        sealing, EVP_CTRL_AEAD_GET_TAG, Int32(CipherSuite.tagSize), output.advanced(by: plaintext.count)) == 1
    precondition(succeeded, "OpenSSL could not seal")
  }

  /// AES-256-GCM; false if `sealed` does not authenticate.
  func openAES(
    _ sealed: UnsafeRawBufferPointer, at offset: UInt64, kind: UInt8, into plaintext: UnsafeMutableRawBufferPointer,
    _ key: UnsafeMutableRawPointer, _ identity: UInt64
  ) -> Bool {
    var kind = kind
    var length: Int32 = 0
    let keyIsLoaded = unsafe loaded.pointee.opening == identity
    unsafe loaded.pointee.opening = identity
    let input = unsafe sealed.bytes
    var tag = unsafe sealed.loadUnaligned(
      fromByteOffset: plaintext.count, as: (UInt64, UInt64).self)
    let ready = unsafe withUnsafeBytes(of: (offset.littleEndian, 0 as UInt32)) { nonce in
      unsafe EVP_DecryptInit_ex2(
        opening, nil, keyIsLoaded ? nil : UnsafePointer(key.assumingMemoryBound(to: UInt8.self)),
        nonce.bytes, nil) == 1
    }
    precondition(ready, "OpenSSL could not open")
    guard unsafe EVP_DecryptUpdate(opening, nil, &length, &kind, 1) == 1 else { return false }
    let output = unsafe plaintext.bytes
    if unsafe !plaintext.isEmpty {
      guard unsafe EVP_DecryptUpdate(opening, output, &length, input, Int32(plaintext.count)) == 1 else { return false }
    }
    guard unsafe EVP_CIPHER_CTX_ctrl(opening, EVP_CTRL_AEAD_SET_TAG, Int32(CipherSuite.tagSize), &tag) == 1 else {
      return false
    }
    return unsafe EVP_DecryptFinal_ex(opening, output.advanced(by: plaintext.count), &length) == 1
  }
}

/// OpenSSL, set up once: no configuration file, and every allocation from locked memory.
@safe enum OpenSSL {
  private static let ready: Bool = {
    let installed = unsafe CRYPTO_set_mem_functions(
      { count, _, _ in unsafe count == 0 ? nil : LockedMemory.allocate(count) },
      { block, count, _, _ in
        guard let block = unsafe block else { return unsafe LockedMemory.allocate(count) }
        if unsafe count <= LockedMemory.capacity(block) { return unsafe block }
        guard let larger = unsafe LockedMemory.allocate(count) else { return nil }
        unsafe larger.copyMemory(from: block, byteCount: LockedMemory.capacity(block))
        unsafe LockedMemory.deallocate(block)
        return unsafe larger
      },
      { block, _, _ in
        if let block = unsafe block { unsafe LockedMemory.deallocate(block) }
      })
    return installed == 1 && OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) == 1
  }()

  @safe private struct Cipher: @unchecked Sendable {
    let pointer: OpaquePointer
  }
  private static let cipher: Cipher = {
    initialize()
    guard let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
      fatalError("OpenSSL has no AES-256-GCM.")
    }
    return unsafe Cipher(pointer: cipher)
  }()

  static func initialize() {
    guard ready else { fatalError("OpenSSL was used before its allocator could be set.") }
  }

  /// AES-256-GCM, fetched once: looking it up by name takes longer than sealing a page.
  static var aes256gcm: OpaquePointer { unsafe cipher.pointer }
}
