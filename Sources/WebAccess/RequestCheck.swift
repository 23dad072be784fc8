// Invariants
// 1. A name that somebody else's name server may lead to this machine is not in the list of hosts: a page of that name
//    would be of the same origin as ours (DNS rebinding).
// 2. Nothing is written for a page of another origin. `same-site` is not enough: another port of this host is same-site.

/// Checks requests by their headers. They are given as they were sent; nil stands for one that was not, or was sent
/// several times.
public struct RequestCheck: Sendable {
  private let hosts: Set<String>
  private let scheme: String

  /// Requests go to one of these hosts, names or addresses in the form of a URL, at this port.
  public init(hosts: [String], port: Int, isEncrypted: Bool) {
    scheme = isEncrypted ? "https" : "http"
    let isDefault = port == (isEncrypted ? 443 : 80)
    let names = hosts.map { $0.lowercased() }
    self.hosts = Set(names.map { "\($0):\(port)" } + (isDefault ? names : []))
  }

  /// Whether a request goes to this server by one of its names.
  public func allows(host: String?) -> Bool {
    guard let host else { return false }
    return hosts.contains(host.lowercased())
  }

  /// Whether a request that may change something comes from the page.
  ///
  /// - Parameters:
  ///   - fetchSite: the header `Sec-Fetch-Site`.
  ///   - own: the header `X-Agonyfs`, which a form cannot send.
  public func allowsWriting(host: String?, origin: String?, fetchSite: String?, own: String?) -> Bool {
    guard own == "1", let host, allows(host: host), fetchSite != nil || origin != nil else { return false }
    if let fetchSite, fetchSite != "same-origin" { return false }
    if let origin, origin.lowercased() != "\(scheme)://\(host.lowercased())" { return false }
    return true
  }

  /// Whether a request that only reads what is in a space comes from the page.
  public func allowsReading(fetchSite: String?) -> Bool { fetchSite == nil || fetchSite == "same-origin" }
}

/// The header `Cookie`.
public enum CookieHeader {
  /// The value of a cookie. Nil if there is none, or several: then somebody else has set one.
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
