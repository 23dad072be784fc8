/// The target of a request that names a host itself, such as `https://192.168.1.5:8443/login` (RFC 9112, 3.2.2).
public struct AbsoluteTarget: Equatable, Sendable {
  /// What the header `Host` has to be replaced by: the host, and the port if there is one.
  public let host: String
  /// The path and the query.
  public let path: String

  /// Nil if the text is no URL of http or https.
  public init?(_ text: String) {
    guard let mark = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<mark.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let rest = text[mark.upperBound...]
    // Bytes: a slash with an accent behind it is no slash to Swift.
    let end = rest.utf8.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
    host = String(rest[..<(end ?? rest.endIndex)])
    let tail = String(rest[(end ?? rest.endIndex)...])
    guard !host.isEmpty else { return nil }
    path = tail.utf8.first == UInt8(ascii: "/") ? tail : "/" + tail
  }
}
