// Invariants
// 1. A certificate authority signs for private addresses, for the public ones that this machine had when it was made, and
//    for localhost, alone (RFC 5280, 4.2.1.10). A phone that trusts it does not trust whoever steals its key with any
//    site of the Internet.
// 2. Keys are in memory, or in a file that only this user may read. The key of the server's own certificate is never
//    in a file.
// 3. Whoever connects gets the server's certificate: it says the address that is in the QR code, and nothing else of this
//    machine.

internal import Crypto
internal import FoundationEssentials
internal import Glibc
package import NIOSSL
internal import SwiftASN1
internal import X509

/// The certificate that the server shows, and the authority that signed it.
package struct Certificates {
  private let authority: Certificate
  private let authorityKey: P256.Signing.PrivateKey
  private static let authorityName = "ca.pem"
  private static let keyName = "ca-key.pem"

  /// A new authority that nobody keeps.
  package init(addresses: [LocalAddress]) throws {
    (authority, authorityKey) = try Self.makeAuthority(addresses)
  }

  /// The authority in a folder, which is made there at first.
  package init(addresses: [LocalAddress], folder: String) throws {
    let key = folder + "/" + Self.keyName
    if let text = try Self.readPrivate(key) {
      authorityKey = try P256.Signing.PrivateKey(pemRepresentation: text)
      let path = folder + "/" + Self.authorityName
      authority = try Certificate(pemEncoded: String(contentsOfFile: path, encoding: .utf8))
      guard authority.publicKey == .init(authorityKey.publicKey) else {
        throw Failure("\(path) is not the certificate of the key beside it; remove both, and install the new one.")
      }
      return
    }
    (authority, authorityKey) = try Self.makeAuthority(addresses)
    _ = unsafe mkdir(folder, 0o700)
    try Self.write(try authority.serializeAsPEM().pemString, to: folder + "/" + Self.authorityName, mode: 0o644)
    try Self.write(authorityKey.pemRepresentation, to: key, mode: 0o600)
  }

  /// What the server shows for an address, with the key in memory.
  package func configuration(for address: LocalAddress) throws -> (tls: TLSConfiguration, fingerprint: String) {
    guard mayName(address) else {
      throw Failure(
        "The authority was made before this machine had the address \(address.text), and may not sign for it; remove "
          + "\(Self.authorityName) and \(Self.keyName), and install the new one.")
    }
    let key = P256.Signing.PrivateKey()
    let now = Date()
    let leaf = try Certificate(
      version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: now - 86_400,
      // Browsers take no longer ones than 398 days.
      notValidAfter: now + 90 * 86_400, issuer: authority.subject,
      subject: try DistinguishedName { CommonName("agonyfs") }, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        try ExtendedKeyUsage([.serverAuth])
        SubjectAlternativeNames([.ipAddress(ASN1OctetString(contentBytes: address.bytes[...]))])
        AuthorityKeyIdentifier(keyIdentifier: try authority.extensions.subjectKeyIdentifier?.keyIdentifier)
      },
      issuerPrivateKey: .init(authorityKey))
    let shown = try NIOSSLCertificate(bytes: leaf.serializeAsPEM().derBytes, format: .der)
    let secret = try NIOSSLPrivateKey(bytes: Array(key.derRepresentation), format: .der)
    var tls = TLSConfiguration.makeServerConfiguration(
      certificateChain: [.certificate(shown)], privateKey: .privateKey(secret))
    tls.minimumTLSVersion = .tlsv12
    tls.applicationProtocols = ["http/1.1"]
    let digest = SHA256.hash(data: try leaf.serializeAsPEM().derBytes)
    return (tls, digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":").uppercased())
  }

  private static func makeAuthority(_ addresses: [LocalAddress]) throws -> (Certificate, P256.Signing.PrivateKey) {
    let key = P256.Signing.PrivateKey()
    // A phone may know those of several machines.
    let number = String(UInt32.random(in: .min ... .max), radix: 16, uppercase: true)
    let subject = try DistinguishedName { CommonName("agonyfs \(number)") }
    let own = addresses.filter { address in !privateRanges.contains { Self.range($0, has: address) } }.map { address in
      ASN1OctetString(contentBytes: (address.bytes + address.bytes.map { _ in 0xFF })[...])
    }
    let now = Date()
    let certificate = try Certificate(
      version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: now - 86_400,
      notValidAfter: now + 3650 * 86_400, issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
      extensions: try Certificate.Extensions {
        Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
        Critical(KeyUsage(keyCertSign: true))
        Critical(NameConstraints(permittedDNSDomains: ["localhost"], permittedIPRanges: privateRanges + own))
        SubjectKeyIdentifier(hash: .init(key.publicKey))
      },
      issuerPrivateKey: .init(key))
    return (certificate, key)
  }

  /// Addresses and masks: RFC 1918, RFC 3927, RFC 6598, loopback; RFC 4193, link-local and loopback of version 6.
  private static var privateRanges: [ASN1OctetString] {
    func range(_ address: [UInt8], _ bits: Int, of size: Int) -> ASN1OctetString {
      let mask = (0..<size).map { UInt8(truncatingIfNeeded: 0xFF00 >> min(8, max(0, bits - $0 * 8))) }
      return ASN1OctetString(contentBytes: (address + [UInt8](repeating: 0, count: size - address.count) + mask)[...])
    }
    return [
      range([10], 8, of: 4), range([172, 16], 12, of: 4), range([192, 168], 16, of: 4), range([169, 254], 16, of: 4),
      range([100, 64], 10, of: 4), range([127], 8, of: 4), range([0xFC], 7, of: 16), range([0xFE, 0x80], 10, of: 16),
      range([UInt8](repeating: 0, count: 15) + [1], 128, of: 16),
    ]
  }

  /// Whether the authority may sign for an address. One that this machine had not when the authority was made is not.
  private func mayName(_ address: LocalAddress) -> Bool {
    let ranges = (try? authority.extensions.nameConstraints?.permittedIPRanges).map { Array($0) } ?? []
    return ranges.contains { Self.range($0, has: address) }
  }

  private static func range(_ range: ASN1OctetString, has address: LocalAddress) -> Bool {
    let bytes = Array(range.bytes)
    let size = address.bytes.count
    guard bytes.count == 2 * size else { return false }
    return (0..<size).allSatisfy { address.bytes[$0] & bytes[size + $0] == bytes[$0] & bytes[size + $0] }
  }

  /// The text of a file that must be this user's alone; nil if there is none.
  private static func readPrivate(_ path: String) throws -> String? {
    let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw Failure("\(path) cannot be read: \(unsafe String(cString: strerror(errno))).")
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
      throw Failure("Others may read \(path), or it is another user's; remove it and ca.pem, and install the new one.")
    }
    var bytes = [UInt8](repeating: 0, count: 16 << 10)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  private static func write(_ text: String, to path: String, mode: mode_t) throws {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw Failure("\(path) cannot be made: \(unsafe String(cString: strerror(errno))).") }
    defer { close(descriptor) }
    let bytes = Array(text.utf8)
    guard unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count, fsync(descriptor) == 0 else {
      throw Failure("\(path) cannot be written.")
    }
  }
}
