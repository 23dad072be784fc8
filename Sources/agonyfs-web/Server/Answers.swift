internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore

extension HTTPField.Name {
  static let fetchSite = Self.known("Sec-Fetch-Site")
  static let own = Self.known("X-Agonyfs")
  static let clearSiteData = Self.known("Clear-Site-Data")
  private static let referrerPolicy = known("Referrer-Policy")
  private static let openerPolicy = known("Cross-Origin-Opener-Policy")
  private static let resourcePolicy = known("Cross-Origin-Resource-Policy")
  private static let permissionsPolicy = known("Permissions-Policy")
  private static let frameOptions = known("X-Frame-Options")
  private static let robots = known("X-Robots-Tag")

  /// A header name that is known to be valid.
  static func known(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is not the name of a header") }
    return name
  }

  /// The headers of every answer to a paired browser. They replace such headers of the answer; its other headers stay.
  static let protection: [(name: HTTPField.Name, value: String)] = [
    (.cacheControl, "no-store"),
    (.xContentTypeOptions, "nosniff"),
    (referrerPolicy, "no-referrer"),
    (openerPolicy, "same-origin"),
    (resourcePolicy, "same-origin"),
    (permissionsPolicy, "camera=(), microphone=(), geolocation=(), display-capture=()"),
    (frameOptions, "DENY"),
    (robots, "noindex"),
  ]

  static let policy = """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; \
    connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types agonyfs-worker
    """
}

/// The cookies of a server.
struct CookieNames: Sendable {
  let pairing: String
  let session: String
  private let attributes: String

  /// With TLS, browsers accept a name with the prefix `__Host-` only from the host itself. Without TLS, which is
  /// allowed only on this machine, many browsers accept neither the prefix nor `Secure`. All ports share their cookies,
  /// so the name contains the port.
  init(port: Int, isEncrypted: Bool) {
    let names = ["pairing", "session"].map { isEncrypted ? "__Host-\($0)" : "agonyfs-\(port)-\($0)" }
    (pairing, session) = (names[0], names[1])
    attributes = "Path=/; \(isEncrypted ? "Secure; " : "")HttpOnly; SameSite=Strict"
  }

  /// The value of a header that sets a cookie until the browser is closed.
  func setting(_ name: String, to value: String) -> String { "\(name)=\(value); \(attributes)" }

  /// The value of a header that removes a cookie.
  func removing(_ name: String) -> String { setting(name, to: "") + "; Max-Age=0" }
}

extension Response {
  /// The answer to a browser that is not paired.
  static var blank: Response { Response(status: .notFound, headers: [.contentLength: "0"]) }

  init(_ file: PageFile) {
    self.init(status: .ok, headers: [.contentType: file.type], body: .init(byteBuffer: file.body))
  }

  /// An error in the form that the page reads.
  init(_ status: HTTPResponse.Status, error: String, detail: String = "") {
    self.init(status, json: "{\"error\":\"\(error)\",\"detail\":\"\(detail)\"}")
  }

  /// An answer of JSON text that is written here and needs no escapes.
  init(_ status: HTTPResponse.Status, json: String) {
    self.init(
      status: status, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(string: json)))
  }

  /// The answer with the headers of every answer.
  var closed: Response {
    var answer = self
    for (name, value) in HTTPField.Name.protection { answer.headers[name] = value }
    // The sandbox keeps a browser from running a file of the space as a page.
    let isFile = answer.headers[.contentDisposition] != nil
    answer.headers[.contentSecurityPolicy] = (isFile ? "sandbox; " : "") + HTTPField.Name.policy
    return answer
  }
}
