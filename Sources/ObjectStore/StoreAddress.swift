/// Where a store is: a server, a bucket and a prefix of names. It contains no secret.
package struct StoreAddress: Hashable, Sendable, CustomStringConvertible {
  /// Why a text is not an address, in a whole sentence.
  package struct Invalid: Error, Equatable, Sendable {
    /// The sentence.
    package let sentence: String
  }

  /// The name of the bucket.
  package let bucket: String
  /// The beginning of all names in the bucket, without slashes at its ends; may be empty.
  package let prefix: String
  /// The region, which is a part of each signature.
  package let region: String
  /// Whether the connection is encrypted.
  package let isSecure: Bool
  /// The name or the IP address of the server, without a bucket; an IPv6 address without its brackets.
  package let server: String
  /// The TCP port.
  package let port: UInt16
  /// Whether the bucket is the first part of the path, instead of the first part of the server's name.
  package let usesPathStyle: Bool

  /// Reads an address.
  ///
  /// - Parameters:
  ///   - location: `s3://BUCKET` or `s3://BUCKET/PREFIX`.
  ///   - endpoint: `https://HOST[:PORT]`; nil for Amazon's server in the region. `http://HOST[:PORT]` is accepted only if
  ///     HOST is this computer: `localhost`, `[::1]` or `127.x.x.x`.
  ///   - region: nil means `us-east-1`, which most other engines accept too.
  ///   - usesPathStyle: nil means path style at every endpoint that is given, and for buckets with a dot.
  package init(
    _ location: String, endpoint: String? = nil, region: String? = nil, usesPathStyle: Bool? = nil
  ) throws(Invalid) {
    guard location.hasPrefix("s3://") else {
      throw Invalid(sentence: "\(location) is not the address of a store; it must look like s3://BUCKET/PREFIX.")
    }
    let parts = location.dropFirst(5).split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    bucket = parts.first.map { String($0) } ?? ""
    guard Self.isBucket(bucket) else {
      throw Invalid(
        sentence: "\(bucket) is not the name of a bucket; use 3 to 63 lower-case letters, digits, dots and hyphens.")
    }
    var rest = parts.count > 1 ? parts[1] : ""
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    guard rest.isEmpty || ObjectKey(rest) != nil else {
      throw Invalid(sentence: "\(rest) is not a prefix of names; use letters, digits and -._/ only.")
    }
    prefix = String(rest)
    self.region = region ?? "us-east-1"
    guard (1...63).contains(self.region.utf8.count), self.region.utf8.allSatisfy(Self.isNameByte) else {
      throw Invalid(sentence: "\(self.region) is not the name of a region; it must look like eu-central-1.")
    }
    let text = endpoint ?? "https://s3.\(self.region).amazonaws.com"
    guard let (isSecure, server, port) = Self.endpoint(text) else {
      throw Invalid(sentence: "\(text) is not an endpoint; it must look like https://HOST or https://HOST:PORT.")
    }
    guard isSecure || Self.isLoopback(server) else {
      throw Invalid(sentence: "\(text) is not encrypted; use https:// for a server that is not this computer.")
    }
    (self.isSecure, self.server, self.port) = (isSecure, server, port)
    self.usesPathStyle = usesPathStyle ?? (endpoint != nil || bucket.contains("."))
  }

  package var description: String { prefix.isEmpty ? "s3://\(bucket)" : "s3://\(bucket)/\(prefix)" }

  /// The server's name with the bucket if it is a part of it, without the port.
  package var host: String { usesPathStyle ? server : "\(bucket).\(server)" }

  /// The endpoint with its port.
  package var endpoint: String {
    "\(isSecure ? "https" : "http")://\(server.contains(":") ? "[\(server)]" : server):\(port)"
  }

  /// The value of the Host header.
  package var hostHeader: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// The name of an object in the bucket.
  package func name(of key: ObjectKey) -> String { prefix.isEmpty ? key.text : "\(prefix)/\(key.text)" }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
  }

  private static func isBucket(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard (3...63).contains(bytes.count), let first = bytes.first, let last = bytes.last, !name.contains("..") else {
      return false
    }
    return bytes.allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ".") }
      && [first, last].allSatisfy { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ".") }
  }

  /// Whether a server, in lower case, is this computer.
  private static func isLoopback(_ server: String) -> Bool {
    if server == "localhost" || server == "::1" { return true }
    // Names such as 127.example, and 0127.0.0.1 with its octal number, are other computers.
    let parts = server.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127"
      && parts.allSatisfy { part in UInt8(part) != nil && part.allSatisfy { $0.isASCII && $0.isNumber } }
  }

  /// The parts of an endpoint; nil if the text is not one.
  private static func endpoint(_ text: String) -> (isSecure: Bool, server: String, port: UInt16)? {
    let isSecure = text.hasPrefix("https://")
    guard isSecure || text.hasPrefix("http://") else { return nil }
    var rest = text.dropFirst(isSecure ? 8 : 7)
    if rest.hasSuffix("/") { rest = rest.dropLast() }
    var server = rest
    var port: Substring?
    if rest.hasPrefix("["), let end = rest.firstIndex(of: "]") {
      server = rest[rest.index(after: rest.startIndex)..<end]
      let after = rest[rest.index(after: end)...]
      guard after.isEmpty || after.hasPrefix(":") else { return nil }
      if !after.isEmpty { port = after.dropFirst() }
      guard server.contains(":"), server.allSatisfy({ $0.isHexDigit && $0.isASCII || $0 == ":" || $0 == "." }) else {
        return nil
      }
    } else {
      if let colon = rest.firstIndex(of: ":") {
        server = rest[..<colon]
        port = rest[rest.index(after: colon)...]
      }
      let name = server.lowercased()
      guard (1...253).contains(name.utf8.count), !name.hasPrefix("."), !name.contains(".."),
        name.utf8.allSatisfy({ isNameByte($0) || $0 == UInt8(ascii: ".") })
      else { return nil }
    }
    guard let port else { return (isSecure, server.lowercased(), isSecure ? 443 : 80) }
    guard let number = UInt16(port), number > 0, port.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return (isSecure, server.lowercased(), number)
  }
}
