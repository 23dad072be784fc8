internal import CIdentity
internal import Glibc

/// A P-256 key with its certificate, from OpenSSL.
@safe final class SignedKey {
  enum Form {
    case certificatePEM, certificateDER, keyPEM, keyDER
  }

  private let handle: OpaquePointer

  /// A new key with a certificate that is valid from yesterday, signed by the issuer, or by itself if there is none.
  /// Extensions are names and values as in x509v3_config(5).
  init(commonName: String, days: Int32, issuer: SignedKey?, extensions: [(name: String, value: String)]) throws {
    let text = extensions.reduce("[extensions]\n") { "\($0)\($1.name) = \($1.value)\n" }
    guard let made = unsafe identity_make(issuer?.handle, commonName, days, text) else {
      throw Failure("No certificate can be made for the web page.")
    }
    unsafe handle = made
  }

  /// Reads PEM texts; nil if one is damaged, or if they do not belong together.
  init?(certificate: [UInt8], key: [UInt8]) {
    guard let read = unsafe identity_read(certificate, Int32(certificate.count), key, Int32(key.count)) else {
      return nil
    }
    unsafe handle = read
  }

  deinit { unsafe identity_free(handle) }

  /// The bytes of the certificate, or of the key.
  func bytes(_ form: Form) throws -> [UInt8] {
    let wanted =
      switch form {
      case .certificatePEM: identity_certificate_pem
      case .certificateDER: identity_certificate_der
      case .keyPEM: identity_key_pem
      case .keyDER: identity_key_der
      }
    var bytes: [UInt8] = []
    let written = unsafe withUnsafeMutablePointer(to: &bytes) { output in
      unsafe identity_write(handle, wanted, output) { context, start, size in
        guard let context = unsafe context else { return }
        unsafe context.assumingMemoryBound(to: [UInt8].self).pointee = unsafe Array(
          UnsafeBufferPointer(start: start, count: Int(size)))
      }
    }
    guard written == 1 else { throw Failure("The certificate of the web page cannot be written.") }
    return bytes
  }

  /// The SHA-256 of the certificate, which browsers show: 32 bytes.
  func fingerprint() throws -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: 32)
    guard unsafe identity_fingerprint(handle, &digest) == 1 else {
      throw Failure("The certificate of the web page cannot be hashed.")
    }
    return digest
  }

  /// Whether a browser that trusts only this authority accepts the certificate for a server.
  func trusts(_ leaf: SignedKey) -> Bool { unsafe identity_trusts(handle, leaf.handle) == 1 }
}
