// Invariants
// 1. LockedMemory is OpenSSL's allocator from its first allocation on, so key schedules are in locked memory. If
//    another library used OpenSSL first, `isInLockedMemory` says that they are not.
// 2. One thread uses a context at a time. Idle contexts wait in a bounded pool.

internal import COpenSSL
internal import Synchronization

/// Working memory for sealing and opening. It is reused, because creating it costs more than sealing a page.
@safe package struct SealingContext: ~Copyable, @unchecked Sendable {
  private let sealing: OpaquePointer
  private let opening: OpaquePointer
  /// The identities of the keys whose schedules are loaded; 0 before the first. Atomic only so that they can change in
  /// a borrowed context.
  private let sealingKey = Atomic<UInt64>(0)
  private let openingKey = Atomic<UInt64>(0)

  fileprivate init() {
    OpenSSL.initialize()
    guard let sealing = unsafe EVP_CIPHER_CTX_new(), let opening = unsafe EVP_CIPHER_CTX_new() else {
      fatalError("OpenSSL has no memory left.")
    }
    unsafe self.sealing = sealing
    unsafe self.opening = opening
    let cipher = unsafe OpenSSL.aes256gcm
    let initialized =
      unsafe EVP_EncryptInit_ex2(sealing, cipher, nil, nil, nil) == 1
      && EVP_DecryptInit_ex2(opening, cipher, nil, nil, nil) == 1
    precondition(initialized, "OpenSSL has no AES-256-GCM")
  }

  deinit {
    unsafe EVP_CIPHER_CTX_free(sealing)
    unsafe EVP_CIPHER_CTX_free(opening)
  }

  private final class Box: Sendable {
    let context = SealingContext()
  }
  private static let idle = Mutex<[Box]>([])
  private static let idleLimit = 16

  /// Calls `body` with a context from the pool.
  package static func with<R, E: Error>(_ body: (borrowing SealingContext) throws(E) -> R) throws(E) -> R {
    let box = idle.withLock { $0.popLast() } ?? Box()
    defer { idle.withLock { if $0.count < idleLimit { $0.append(box) } } }
    return try body(box.context)
  }

  /// AES-256-GCM; `sealed` is ciphertext, then tag.
  func sealAES(
    _ plaintext: UnsafeRawBufferPointer, at offset: UInt64, kind: UInt8, into sealed: UnsafeMutableRawBufferPointer,
    _ key: SecretBytes, _ identity: UInt64
  ) {
    var kind = kind
    var length: Int32 = 0
    let keyIsLoaded = sealingKey.exchange(identity, ordering: .relaxed) == identity
    let output = unsafe sealed.bytes
    let end = unsafe output.advanced(by: plaintext.count)
    let isReady = unsafe withUnsafeBytes(of: (offset.littleEndian, 0 as UInt32)) { nonce in
      unsafe EVP_EncryptInit_ex2(
        sealing, nil, keyIsLoaded ? nil : key.base.assumingMemoryBound(to: UInt8.self), nonce.bytes, nil) == 1
    }
    let isSealed =
      unsafe isReady && EVP_EncryptUpdate(sealing, nil, &length, &kind, 1) == 1
      && (plaintext.isEmpty
        || EVP_EncryptUpdate(sealing, output, &length, plaintext.bytes, Int32(plaintext.count)) == 1)
      && EVP_EncryptFinal_ex(sealing, end, &length) == 1
      && EVP_CIPHER_CTX_ctrl(sealing, EVP_CTRL_AEAD_GET_TAG, Int32(CipherSuite.tagSize), end) == 1
    precondition(isSealed, "OpenSSL could not seal")
  }

  /// AES-256-GCM; false if `sealed` does not authenticate.
  func openAES(
    _ sealed: UnsafeRawBufferPointer, at offset: UInt64, kind: UInt8, into plaintext: UnsafeMutableRawBufferPointer,
    _ key: SecretBytes, _ identity: UInt64
  ) -> Bool {
    var kind = kind
    var length: Int32 = 0
    let keyIsLoaded = openingKey.exchange(identity, ordering: .relaxed) == identity
    var tag = unsafe sealed.loadUnaligned(fromByteOffset: plaintext.count, as: (UInt64, UInt64).self)
    let isReady = unsafe withUnsafeBytes(of: (offset.littleEndian, 0 as UInt32)) { nonce in
      unsafe EVP_DecryptInit_ex2(
        opening, nil, keyIsLoaded ? nil : key.base.assumingMemoryBound(to: UInt8.self), nonce.bytes, nil) == 1
    }
    precondition(isReady, "OpenSSL could not open")
    let output = unsafe plaintext.bytes
    return unsafe EVP_DecryptUpdate(opening, nil, &length, &kind, 1) == 1
      && (plaintext.isEmpty
        || EVP_DecryptUpdate(opening, output, &length, sealed.bytes, Int32(plaintext.count)) == 1)
      && EVP_CIPHER_CTX_ctrl(opening, EVP_CTRL_AEAD_SET_TAG, Int32(CipherSuite.tagSize), &tag) == 1
      && EVP_DecryptFinal_ex(opening, output.advanced(by: plaintext.count), &length) == 1
  }
}

/// OpenSSL, set up once: no configuration file, and every allocation from locked memory.
@safe package enum OpenSSL {
  /// Whether OpenSSL's memory, including keys, is locked. It is not if another library of the process used OpenSSL
  /// before, because OpenSSL accepts an allocator only at its first use.
  package static let isInLockedMemory: Bool = {
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
    // If another library was first, it has read the configuration as well.
    guard OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) == 1 else {
      fatalError("OpenSSL cannot be used; reinstall libssl.")
    }
    return installed == 1
  }()

  /// AES-256-GCM, fetched once: looking it up by name takes longer than sealing a page.
  nonisolated(unsafe) static let aes256gcm: OpaquePointer = {
    initialize()
    guard let cipher = unsafe EVP_CIPHER_fetch(nil, "AES-256-GCM", nil) else {
      fatalError("OpenSSL has no AES-256-GCM.")
    }
    return unsafe cipher
  }()

  /// Must be called before OpenSSL is used in any other way than through this module.
  package static func initialize() { _ = isInLockedMemory }
}
