/// What proves to a store on whose behalf requests are made. Its description contains no secret.
package struct StoreCredentials: Equatable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// Most bytes of each part. Session tokens of Amazon have up to 4 KiB.
  package static let mostBytes = 8192

  /// The identifier of the key, which each request contains.
  package let accessKey: String
  /// The key itself, which never leaves the helper's process.
  package let secretKey: String
  /// The token of temporary credentials.
  package let sessionToken: String?
  /// When they expire, in seconds since 1970; nil if that is not known.
  package let expiration: Int64?

  /// Credentials; nil if a part is empty, too long, or has other characters than printable ASCII.
  package init?(accessKey: String, secretKey: String, sessionToken: String? = nil, expiration: Int64? = nil) {
    for part in [accessKey, secretKey, sessionToken ?? "-"] {
      guard (1...Self.mostBytes).contains(part.utf8.count), part.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
        return nil
      }
    }
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
    self.expiration = expiration
  }

  package var description: String { "credentials" }
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
