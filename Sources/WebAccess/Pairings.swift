// Invariants
// 1. An offer is taken once, within its time, and its page is shown until then. A wrong secret changes nothing.
// 2. There is one offer at most, and `most` pairings at most: the one that was used the longest time ago makes room.
// 3. A pairing answers only to the user of this machine who began it, or only to other machines if one of those did.
//    Cookies of a host go to all its ports, where another user may listen, who could send them from here.
// 4. What nobody offered costs a look into a table, and no memory.

/// The browsers that may ask for a password at all. Times are those of one clock that never goes back.
public struct Pairings: Sendable {
  /// What a QR code says: `/PATH#SECRET`.
  public struct Offer: Sendable {
    /// The path of the pairing page.
    public let path: Token
    /// What the page sends back; the browser keeps it out of requests for the page.
    public let secret: Token
  }

  /// How long an offer is good.
  public static let offerTime = Duration.seconds(300)
  /// The most pairings at a time.
  public static let most = 64

  private var offer: (codes: Offer, until: Duration)?
  private struct Pairing: Sendable {
    let user: UInt32?
    var lastUse: Duration
  }
  private var pairings: [Token: Pairing] = [:]

  /// None at first.
  public init() {}

  /// Makes an offer; an earlier one is good for nothing any more.
  public mutating func makeOffer(now: Duration) -> Offer {
    let codes = Offer(path: .random(), secret: .random())
    offer = (codes, now + Self.offerTime)
    return codes
  }

  /// Whether the pairing page may be shown at a path. More than once: scanners of codes fetch the page before the browser.
  public func showsPage(at path: String, now: Duration) -> Bool {
    guard let offer, offer.until > now else { return false }
    return offer.codes.path.matches(path)
  }

  /// Takes the offer with a secret: the new pairing, which a cookie holds from now on, and the one that made room for it.
  /// Nil if there is no such offer. `user` is as in `Peer`.
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

  /// Whether a cookie is that of a pairing of this user; notes its use.
  public mutating func isPaired(_ pairing: Token, user: UInt32?, now: Duration) -> Bool {
    guard let known = pairings[pairing], known.user == user else { return false }
    pairings[pairing]?.lastUse = now
    return true
  }
}
