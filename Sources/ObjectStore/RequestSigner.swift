internal import Crypto
internal import System

/// Signs requests by Amazon's Signature Version 4 for S3.
///
/// 1. Every header that is sent is signed, except Content-Length, which the transport adds.
/// 2. The signature covers the SHA-256 of the body, so a proxy cannot exchange it at an engine that checks.
package struct RequestSigner: Sendable {
  /// The headers of a signed request, sorted, with names in lower case; `host` is one of them.
  package typealias Headers = [(name: String, value: String)]

  /// The SHA-256 of an empty body.
  package static let emptyHash = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  private static let algorithm = "AWS4-HMAC-SHA256"

  private let credentials: StoreCredentials
  private let region: String

  /// A signer for the requests to stores in a region.
  package init(_ credentials: StoreCredentials, region: String) {
    self.credentials = credentials
    self.region = region
  }

  /// All headers of a request, with its signature in `authorization`.
  ///
  /// - Parameters:
  ///   - host: the value of the Host header.
  ///   - bodyHash: the SHA-256 of the body in hexadecimal digits.
  ///   - time: the time of the signature. Stores accept it for about 15 minutes.
  package func signed(_ request: StoreRequest, host: String, bodyHash: String, at time: RequestTime) -> Headers {
    var headers = request.headers
    headers += [
      (name: "host", value: host), (name: "x-amz-content-sha256", value: bodyHash),
      (name: "x-amz-date", value: time.basic),
    ]
    if let token = credentials.sessionToken { headers.append((name: "x-amz-security-token", value: token)) }
    headers.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    let names = headers.map(\.name).joined(separator: ";")
    let lines = headers.map { "\($0.name):\($0.value)\n" }.joined()
    let canonical = [request.method.rawValue, request.path, request.query, lines, names, bodyHash]
      .joined(separator: "\n")
    let scope = "\(time.day)/\(region)/s3/aws4_request"
    let text = [Self.algorithm, time.basic, scope, Hexadecimal.text(of: SHAHasher.sha256(of: Array(canonical.utf8)))]
      .joined(separator: "\n")
    let signature = Hexadecimal.text(of: MessageCode.sha256(key: key(on: time.day), Array(text.utf8)))
    let authorization =
      "\(Self.algorithm) Credential=\(credentials.accessKey)/\(scope),SignedHeaders=\(names),Signature=\(signature)"
    headers.append((name: "authorization", value: authorization))
    return headers
  }

  private func key(on day: String) -> [UInt8] {
    [day, region, "s3", "aws4_request"].reduce(Array("AWS4\(credentials.secretKey)".utf8)) { key, part in
      MessageCode.sha256(key: key, Array(part.utf8))
    }
  }
}
