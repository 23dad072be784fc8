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

  /// A name that is one.
  static func known(_ text: String) -> HTTPField.Name {
    guard let name = HTTPField.Name(text) else { preconditionFailure("\(text) is no name of a header") }
    return name
  }

  /// The headers of every answer to who is paired. What the answer has already stays, but for what protects it.
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

/// The cookies. A name that begins so is taken by browsers only from the host itself, over TLS or on this machine.
enum CookieName {
  static let pairing = "__Host-pairing"
  static let session = "__Host-session"

  /// The value of a header that sets one until the browser is closed.
  static func setting(_ name: String, to value: String) -> String {
    "\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=Strict"
  }

  /// The value of a header that removes one.
  static func removing(_ name: String) -> String { setting(name, to: "") + "; Max-Age=0" }
}

extension Response {
  /// What who is not paired gets.
  static var blank: Response { Response(status: .notFound, headers: [.contentLength: "0"]) }

  init(_ file: PageFile) {
    self.init(status: .ok, headers: [.contentType: file.type], body: .init(byteBuffer: file.body))
  }

  /// An error, as the page reads it.
  init(_ status: HTTPResponse.Status, error: String, detail: String = "") {
    self.init(status, json: "{\"error\":\"\(error)\",\"detail\":\"\(detail)\"}")
  }

  /// JSON that is written here, of words that need no escapes.
  init(_ status: HTTPResponse.Status, json: String) {
    self.init(
      status: status, headers: [.contentType: "application/json"], body: .init(byteBuffer: ByteBuffer(string: json)))
  }

  /// The same with the headers that every answer has.
  var closed: Response {
    var answer = self
    for (name, value) in HTTPField.Name.protection { answer.headers[name] = value }
    // Files of a space are no pages, whatever a browser takes them for.
    let isFile = answer.headers[.contentDisposition] != nil
    answer.headers[.contentSecurityPolicy] = (isFile ? "sandbox; " : "") + HTTPField.Name.policy
    return answer
  }
}
