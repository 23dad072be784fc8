// Invariants
// 1. The list of hosts contains no name that a foreign name server can make resolve to this machine: a page of that
//    name would have the same origin as ours (DNS rebinding).
// 2. A page of another origin cannot write. `same-site` is not enough: another port of this host is same-site.

/// Checks requests by their headers. Values are unmodified; nil stands for a header that is missing or repeated.
public struct RequestCheck: Sendable {
  private let hosts: Set<String>
  private let scheme: String

  /// A check for requests to these hosts, names or addresses in the form of a URL, at this port.
  public init(hosts: [String], port: Int, isEncrypted: Bool) {
    scheme = isEncrypted ? "https" : "http"
    let isDefault = port == (isEncrypted ? 443 : 80)
    let names = hosts.map { $0.lowercased() }
    self.hosts = Set(names.map { "\($0):\(port)" } + (isDefault ? names : []))
  }

  /// Whether a request is addressed to one of the hosts.
  public func allows(host: String?) -> Bool {
    guard let host else { return false }
    return hosts.contains(host.lowercased())
  }

  /// Whether a writing request comes from the page.
  ///
  /// - Parameters:
  ///   - fetchSite: The header `Sec-Fetch-Site`.
  ///   - own: The header `X-Agonyfs`, which a form cannot send.
  public func allowsWriting(host: String?, origin: String?, fetchSite: String?, own: String?) -> Bool {
    guard own == "1", let host, allows(host: host), fetchSite != nil || origin != nil else { return false }
    if let fetchSite, fetchSite != "same-origin" { return false }
    if let origin, origin.lowercased() != "\(scheme)://\(host.lowercased())" { return false }
    return true
  }

  /// Whether a request that only reads from a space comes from the page.
  public func allowsReading(fetchSite: String?) -> Bool { fetchSite == nil || fetchSite == "same-origin" }
}

/// The header `Cookie`.
public enum CookieHeader {
  /// The value of a cookie. Nil if there is none, or if there are several: then another site has set one.
  public static func value(of name: String, in headers: [String]) -> String? {
    var found: [String] = []
    for pair in headers.flatMap({ $0.split(separator: ";") }) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, trimmed(parts[0]) == name else { continue }
      found.append(trimmed(parts[1]))
    }
    return found.count == 1 ? found[0] : nil
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
