internal import System

/// A request to a store before it is signed. The six operations have one shape each.
///
/// 1. Names and values of `query` are sorted by their escaped bytes, and every value is present, even if it is empty.
/// 2. `path` is the escaped path that the signature covers, byte for byte the one in the URL.
/// 3. Headers that `RequestSigner` or the transport adds (host, date, hash, length) are not in `headers`.
package struct StoreRequest: Equatable, Sendable {
  /// An HTTP method.
  package enum Method: String, Sendable {
    case get = "GET"
    case head = "HEAD"
    case put = "PUT"
    case delete = "DELETE"
  }

  /// The method.
  package let method: Method
  /// The escaped path, which begins with a slash.
  package let path: String
  /// The escaped query without its question mark.
  package let query: String
  /// Further headers, with names in lower case.
  package let headers: [(name: String, value: String)]

  package static func == (one: StoreRequest, other: StoreRequest) -> Bool {
    one.method == other.method && one.path == other.path && one.query == other.query
      && one.headers.map(\.name) == other.headers.map(\.name)
      && one.headers.map(\.value) == other.headers.map(\.value)
  }
}

extension StoreRequest {
  /// A request for a path and a query that are not escaped.
  package init(
    _ method: Method, path: String, query: [(name: String, value: String)] = [],
    headers: [(name: String, value: String)] = []
  ) {
    self.method = method
    self.path = Self.escaped(path, besides: "-._~/")
    let pairs = query.map { "\(Self.escaped($0.name))=\(Self.escaped($0.value))" }
    self.query = pairs.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: "&")
    self.headers = headers
  }

  /// Objects below a prefix whose names come after a name.
  package static func list(_ address: StoreAddress, prefix: String, after: String?, most: Int) -> StoreRequest {
    var query = [("list-type", "2"), ("max-keys", String(most)), ("prefix", address.beginning + prefix)]
    if let after { query.append(("start-after", address.beginning + after)) }
    return StoreRequest(.get, path: address.path(to: ""), query: query.map { (name: $0.0, value: $0.1) })
  }

  /// The facts about an object.
  package static func head(_ address: StoreAddress, _ key: ObjectKey) -> StoreRequest {
    StoreRequest(
      .head, path: address.path(to: address.name(of: key)), headers: [(name: "x-amz-checksum-mode", value: "ENABLED")])
  }

  /// An object, or a range of its bytes, which is not empty.
  package static func get(_ address: StoreAddress, _ key: ObjectKey, range: Range<Int64>?) -> StoreRequest {
    StoreRequest(
      .get, path: address.path(to: address.name(of: key)),
      headers: range.map { [(name: "range", value: "bytes=\($0.lowerBound)-\($0.upperBound - 1)")] } ?? [])
  }

  /// A new object. `md5` is that of its bytes, in base 64, if there is one.
  package static func put(_ address: StoreAddress, _ key: ObjectKey, md5: String?, ifAbsent: Bool) -> StoreRequest {
    var headers: [(name: String, value: String)] = []
    if let md5 { headers.append((name: "content-md5", value: md5)) }
    headers.append((name: "content-type", value: "application/octet-stream"))
    if ifAbsent { headers.append((name: "if-none-match", value: "*")) }
    return StoreRequest(.put, path: address.path(to: address.name(of: key)), headers: headers)
  }

  /// The end of an object.
  package static func delete(_ address: StoreAddress, _ key: ObjectKey) -> StoreRequest {
    StoreRequest(.delete, path: address.path(to: address.name(of: key)))
  }

  /// A setting of the bucket.
  package static func setting(_ address: StoreAddress, _ setting: BucketSetting) -> StoreRequest {
    StoreRequest(.get, path: address.path(to: ""), query: [(name: setting.name, value: "")])
  }

  /// Escapes every byte except unreserved characters (RFC 3986) and those of `plain`.
  private static func escaped(_ text: String, besides plain: String = "-._~") -> String {
    String(decoding: Hexadecimal.percentEscaped(Array(text.utf8), besides: plain), as: UTF8.self)
  }
}

extension StoreAddress {
  /// The beginning of the names of all objects.
  fileprivate var beginning: String { prefix.isEmpty ? "" : prefix + "/" }

  /// The path to a name in the bucket.
  fileprivate func path(to name: String) -> String { usesPathStyle ? "/\(bucket)/\(name)" : "/\(name)" }
}
