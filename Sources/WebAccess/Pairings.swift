// Invariants
// 1. An offer is accepted once, within its time, and its page is shown until then. A wrong secret changes nothing.
// 2. There is at most one offer, and at most `most` pairings: the least recently used pairing is dropped for a new one.
// 3. A pairing is valid only for the user of this machine who began it, or only from other machines if it was begun on
//    one. Browsers send the cookies of a host to all its ports, where another user could listen and then send them from
//    here.
// 4. A request without an offer costs a table lookup and no memory.

/// The browsers that may send passwords. Times are from one monotonic clock.
public struct Pairings: Sendable {
  /// The contents of a QR code: `/PATH#SECRET`.
  public struct Offer: Sendable {
    /// The path of the pairing page.
    public let path: Token
    /// The secret that the page sends; the browser does not send it in the request for the page.
    public let secret: Token
  }

  /// How long an offer is valid.
  public static let offerTime = Duration.seconds(300)
  /// The most pairings at a time.
  public static let most = 64

  private var offer: (codes: Offer, until: Duration)?
  private struct Pairing: Sendable {
    let user: UInt32?
    var lastUse: Duration
  }
  private var pairings: [Token: Pairing] = [:]

  /// An empty table.
  public init() {}

  /// Makes an offer, which replaces any earlier one.
  public mutating func makeOffer(now: Duration) -> Offer {
    let codes = Offer(path: .random(), secret: .random())
    offer = (codes, now + Self.offerTime)
    return codes
  }

  /// Whether the pairing page is shown at a path. Repeatedly, because code scanners fetch the page before the browser
  /// does.
  public func showsPage(at path: String, now: Duration) -> Bool {
    guard let offer, offer.until > now else { return false }
    return offer.codes.path.matches(path)
  }

  /// Accepts the offer with a secret. Returns the new pairing, for a cookie, and the one that was dropped for it; nil
  /// if there is no such offer. `user` is as in `Peer`.
  public mutating func pair(secret: String, user: UInt32?, now: Duration) -> (pairing: Token, replaced: Token?)? {
    guard let current = offer, current.until > now, current.codes.secret.matches(secret) else { return nil }
    offer = nil
    var replaced: Token?
    if pairings.count >= Self.most {
      replaced = pairings.min { $0.value.lastUse < $1.value.lastUse }?.key
      replaced.map { pairings[$0] = nil }
    }
    let pairing = Token.random()
    pairings[pairing] = Pairing(user: user, lastUse: now)
    return (pairing, replaced)
  }

  /// Whether a token is that of a pairing of this user; records its use.
  public mutating func isPaired(_ pairing: Token, user: UInt32?, now: Duration) -> Bool {
    guard let known = pairings[pairing], known.user == user else { return false }
    pairings[pairing]?.lastUse = now
    return true
  }
}
