/// The target of a request that contains a host, such as `https://192.168.1.5:8443/login` (RFC 9112, 3.2.2).
public struct AbsoluteTarget: Equatable, Sendable {
  /// The value that has to replace the header `Host`: the host, and the port if there is one.
  public let host: String
  /// The path and the query.
  public let path: String

  /// Parses a target; nil if it is not a URL of http or https.
  public init?(_ text: String) {
    guard let mark = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<mark.lowerBound].lowercased()
    guard scheme == "http" || scheme == "https" else { return nil }
    let rest = text[mark.upperBound...]
    // Compares bytes, because Swift treats a slash with a combining accent as another character.
    let end = rest.utf8.firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
    host = String(rest[..<(end ?? rest.endIndex)])
    let tail = String(rest[(end ?? rest.endIndex)...])
    guard !host.isEmpty else { return nil }
    path = tail.utf8.first == UInt8(ascii: "/") ? tail : "/" + tail
  }
}
