// Invariants
// 1. The name constraints of a certificate authority (RFC 5280, 4.2.1.10) allow only private addresses, the public
//    addresses that this machine had when the authority was made, and localhost. So if its key is stolen, the phones
//    that trust it can still not be deceived about any site of the Internet.
// 2. Keys are in memory, or in a file that only this user may read. The key of the server's own certificate is never in
//    a file.
// 3. Every client that connects gets the server's certificate: it states the address that is in the QR code, and
//    nothing else about this machine. No name in a new certificate is that of this program, so that a scan of a network
//    cannot find it.

internal import Glibc
package import NIOSSL

/// The server's certificate, and the authority that signed it.
package struct Certificates {
  private let authority: SignedKey
  private static let authorityName = "ca.pem"
  private static let keyName = "ca-key.pem"

  /// A new authority that is not stored.
  package init(addresses: [LocalAddress]) throws {
    authority = try Self.makeAuthority(addresses)
  }

  /// The authority in a folder, which is created there if it does not exist.
  ///
  /// - Parameters:
  ///   - folder: The descriptor of the folder.
  ///   - name: The name of the folder in messages.
  package init(addresses: [LocalAddress], folder: CInt, named name: String) throws {
    let place = Place(folder: folder, name: name)
    if let secret = try place.read(Self.keyName, mustBePrivate: true) {
      guard let certificate = try place.read(Self.authorityName, mustBePrivate: false),
        let kept = SignedKey(certificate: certificate, key: secret)
      else {
        throw Failure(
          "\(name)/\(Self.authorityName) does not match its key; remove both, start again, and install the new one."
        )
      }
      authority = kept
      return
    }
    authority = try Self.makeAuthority(addresses)
    try place.write(authority.bytes(.certificatePEM), to: Self.authorityName, mode: 0o644)
    try place.write(authority.bytes(.keyPEM), to: Self.keyName, mode: 0o600)
  }

  /// The validity of the server's certificate in days.
  package static let days: Int32 = 397

  /// The certificate of the authority, in DER.
  package func authorityBytes() throws -> [UInt8] { try authority.bytes(.certificateDER) }

  /// A TLS configuration for an address, whose key is only in memory, and the fingerprint of the certificate.
  package func configuration(for address: LocalAddress) throws -> (tls: TLSConfiguration, fingerprint: String) {
    // A server may run for long without a new certificate, but browsers accept at most 398 days.
    let leaf = try SignedKey(
      commonName: "localhost", days: Self.days, issuer: authority,
      extensions: [
        ("basicConstraints", "critical,CA:FALSE"), ("keyUsage", "critical,digitalSignature"),
        ("extendedKeyUsage", "serverAuth"), ("subjectAltName", "IP:\(address.text)"),
        ("authorityKeyIdentifier", "keyid:always"),
      ])
    // The constraints do not allow a public address that this machine got after the authority was made.
    guard authority.trusts(leaf) else {
      throw Failure(
        "The authority may not sign for the address \(address.text), which this machine got later, or the authority has "
          + "expired; remove \(Self.authorityName) and \(Self.keyName), start again, and install the new one.")
    }
    let shown = try NIOSSLCertificate(bytes: leaf.bytes(.certificateDER), format: .der)
    let secret = try NIOSSLPrivateKey(bytes: leaf.bytes(.keyDER), format: .der)
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: [.certificate(shown)], privateKey: .privateKey(secret))
    tls.minimumTLSVersion = .tlsv12
    tls.applicationProtocols = ["http/1.1"]
    let digest = try leaf.fingerprint()
    return (tls, digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":").uppercased())
  }

  private static func makeAuthority(_ addresses: [LocalAddress]) throws -> SignedKey {
    // A random number distinguishes the authorities of several machines on one phone.
    let number = String(UInt32.random(in: .min ... .max), radix: 16, uppercase: true)
    let own = addresses.filter { address in !privateRanges.contains { $0.has(address) } }
      .map { AddressRange($0.text, bits: $0.bytes.count * 8) }
    let permitted = (privateRanges + own).map { ",permitted;IP:\($0.text)" }.joined()
    return try SignedKey(
      commonName: "Local CA \(number)", days: 3650, issuer: nil,
      extensions: [
        ("basicConstraints", "critical,CA:TRUE,pathlen:0"), ("keyUsage", "critical,keyCertSign"),
        ("nameConstraints", "critical,permitted;DNS:localhost\(permitted)"), ("subjectKeyIdentifier", "hash"),
      ])
  }

  /// RFC 1918, RFC 3927, RFC 6598, loopback; RFC 4193, link-local and loopback of version 6.
  private static let privateRanges = [
    AddressRange("10.0.0.0", bits: 8), AddressRange("172.16.0.0", bits: 12), AddressRange("192.168.0.0", bits: 16),
    AddressRange("169.254.0.0", bits: 16), AddressRange("100.64.0.0", bits: 10), AddressRange("127.0.0.0", bits: 8),
    AddressRange("fc00::", bits: 7), AddressRange("fe80::", bits: 10), AddressRange("::1", bits: 128),
  ]
}

/// The folder in which an authority is stored.
private struct Place {
  let folder: CInt
  let name: String

  /// The contents of a file; nil if it does not exist.
  func read(_ file: String, mustBePrivate: Bool) throws -> [UInt8]? {
    let descriptor = unsafe openat(folder, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw Failure("\(name)/\(file) cannot be read: \(unsafe String(cString: strerror(errno))).")
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0,
      !mustBePrivate || (status.st_uid == geteuid() && status.st_mode & 0o077 == 0)
    else {
      throw Failure(
        "Other users may read or own \(name)/\(file); remove it and ca.pem, start again, and install the new one.")
    }
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  func write(_ bytes: [UInt8], to file: String, mode: mode_t) throws {
    let descriptor = unsafe openat(folder, file, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard descriptor >= 0 else {
      throw Failure("\(name)/\(file) cannot be made: \(unsafe String(cString: strerror(errno))).")
    }
    defer { close(descriptor) }
    guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
      throw Failure("\(name)/\(file) cannot be written.")
    }
  }
}

/// A range of addresses with a common prefix.
private struct AddressRange {
  private let address: String
  private let bytes: [UInt8]
  private let mask: [UInt8]

  init(_ address: String, bits: Int) {
    self.address = address
    bytes = LocalAddress(address)?.bytes ?? []
    mask = bytes.indices.map { UInt8(truncatingIfNeeded: 0xFF00 >> min(8, max(0, bits - $0 * 8))) }
  }

  /// Address and mask, in the form of a name constraint of x509v3_config(5).
  var text: String {
    let groups =
      mask.count == 4
      ? mask.map { String($0) }.joined(separator: ".")
      : stride(from: 0, to: mask.count, by: 2).map { String(UInt16(mask[$0]) << 8 | UInt16(mask[$0 + 1]), radix: 16) }
        .joined(separator: ":")
    return "\(address)/\(groups)"
  }

  func has(_ address: LocalAddress) -> Bool {
    address.bytes.count == bytes.count
      && bytes.indices.allSatisfy { address.bytes[$0] & mask[$0] == bytes[$0] & mask[$0] }
  }
}
