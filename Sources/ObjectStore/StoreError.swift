/// An operation on an object store, for permissions and messages.
package enum StoreAction: UInt8, CaseIterable, Sendable {
  case list = 1
  case head = 2
  case get = 3
  case put = 4
  case delete = 5
  /// Asking how the bucket is set up.
  case settings = 6

  /// Whether the operation changes the store, so that a lost reply leaves its outcome unknown.
  package var changes: Bool { self == .put || self == .delete }
}

/// Why an operation on an object store failed. Texts are the store's, in at most 200 printable ASCII characters, and
/// never contain credentials.
package enum StoreError: Error, Equatable, Sendable {
  /// There is no object under the key.
  case notFound
  /// There is an object under the key, with other bytes.
  case alreadyThere
  /// The change may have happened or may still happen.
  case unknownOutcome
  /// The credentials are valid, but do not permit the operation.
  case denied(StoreAction)
  /// The store does not know the access key, or the secret key is wrong, or they have expired.
  case wrongCredentials
  /// No credentials were found, or they cannot be read. The text says which source is wrong, in a whole sentence.
  case noCredentials(String)
  /// The bucket is in another region; its name if the store gives it.
  case wrongRegion(String?)
  /// The bucket does not exist.
  case noBucket
  /// The store permits no further bytes.
  case quota
  /// The store asks for fewer requests, or has a temporary failure.
  case slowDown
  /// The store refuses the time of the request, even the time that its replies state.
  case wrongClock
  /// The store received other bytes than were sent, and did not store them.
  case damagedOnTheWay
  /// The store holds other bytes than it confirmed.
  case keptOtherBytes
  /// The store does not show at once what was stored, replaced or deleted.
  case lags
  /// The store redirects to another address, which is not followed.
  case redirected
  /// The certificate of the server is not valid for its name, or no authority that this machine trusts has signed it.
  case untrustedCertificate
  /// The name of the server has no address.
  case noSuchHost
  /// No connection to the server could be made.
  case unreachable
  /// The connection ended, or no bytes or too few arrived for a long time.
  case interrupted
  /// The reply is not one that a store gives to this request.
  case brokenReply(String)
  /// The store refused the request for another reason: its code.
  case refused(String)
  /// The helper that talks to the store cannot be started or stopped working.
  case unavailable(String)
}

extension StoreError {
  /// Most characters of a text in an error.
  package static let mostTextBytes = 200

  /// Whether the same request may succeed a little later, without a change by the user.
  package var isTemporary: Bool {
    switch self {
    case .unknownOutcome, .slowDown, .damagedOnTheWay, .noSuchHost, .unreachable, .interrupted, .brokenReply: true
    case .notFound, .alreadyThere, .denied, .wrongCredentials, .noCredentials, .wrongRegion, .noBucket, .quota,
      .wrongClock, .keptOtherBytes, .lags, .redirected, .untrustedCertificate, .refused, .unavailable:
      false
    }
  }

  /// One line of ASCII that is safe to show anywhere, cut to the allowed length.
  package static func printable(_ text: some Sequence<UInt8>) -> String {
    var result = text.prefix(mostTextBytes).map { (0x20...0x7e).contains($0) ? $0 : 0x20 }
    while result.last == 0x20 { result.removeLast() }
    return String(decoding: result, as: UTF8.self)
  }
}
