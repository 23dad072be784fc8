// Invariants
// 1. A pairing has at most one session, because a browser has one cookie: a new session ends the previous one. So the
//    number of sessions is bounded by that of the pairings.
// 2. A session is valid only for its token together with its pairing, and only for the peer that it began with (see
//    `Peer`). With token and pairing, any peer can end it: a phone may have another address by now.
// 3. A session ends when it was not used for `idle`, and when there was no request at all for `silence`: the page is
//    gone then, unless it reported that it was uploading, since it may have lost its connection. A running request is a
//    use; a request for the state is not. A page that is left may report that: then the session ends sooner, unless
//    another request follows.
// 4. Only the caller that removes an ended session from the table releases its value.

/// The sessions of a server. Times are from one monotonic clock that continues while the machine sleeps.
public struct Sessions<Value: Sendable>: Sendable {
  private struct Session: Sendable {
    let pairing: Token
    let peer: Peer
    let value: Value
    var lastUse: Duration
    var lastSign: Duration
    var running = 0
    var downloads = 0
    /// Whether the page last reported that it is uploading.
    var isSending = false
    /// The time at which it ends because its page was left; nil after another request.
    var end: Duration?

    func isOver(_ idle: Duration, _ silence: Duration, _ now: Duration) -> Bool {
      running == 0
        && (lastUse + idle <= now || lastSign + (isSending ? idle : silence) <= now || end.map { $0 <= now } ?? false)
    }
  }

  private let idle: Duration
  private let silence: Duration
  private var sessions: [Token: Session] = [:]

  /// An empty table, whose sessions end after `idle` without use, and after `silence` without any request.
  public init(idle: Duration, silence: Duration) { (self.idle, self.silence) = (idle, silence) }

  /// Whether there are no sessions.
  public var isEmpty: Bool { sessions.isEmpty }

  /// Begins a session.
  ///
  /// - Returns: Its token, and the value of the session that it replaces.
  public mutating func begin(
    _ value: Value, pairing: Token, peer: Peer, now: Duration
  ) -> (token: Token, replaced: Value?) {
    let replaced = end(pairing: pairing)
    let token = Token.random()
    sessions[token] = Session(pairing: pairing, peer: peer, value: value, lastUse: now, lastSign: now)
    return (token, replaced)
  }

  /// The value of a session, for a request. Nil if there is none for this token, pairing and peer, or if its time is
  /// over.
  public mutating func value(_ token: Token, pairing: Token, peer: Peer, now: Duration) -> Value? {
    guard let session = sessions[token], session.pairing == pairing, session.peer == peer,
      !session.isOver(idle, silence, now)
    else { return nil }
    sessions[token]?.lastSign = now
    sessions[token]?.end = nil
    return session.value
  }

  /// Records whether the page of a session is uploading.
  public mutating func page(of token: Token, isSending: Bool) { sessions[token]?.isSending = isSending }

  /// Records that the page of a session was left, perhaps to be reloaded: the session ends at `time`, unless another
  /// request comes before.
  public mutating func pageLeft(_ token: Token, endsAt time: Duration) { sessions[token]?.end = time }

  /// The number of running downloads of a session.
  public func downloads(_ token: Token) -> Int { sessions[token]?.downloads ?? 0 }

  /// Counts a request of a session that begins; `requestEnds` must follow.
  public mutating func requestBegins(_ token: Token, isDownload: Bool = false, now: Duration) {
    sessions[token]?.running += 1
    sessions[token]?.downloads += isDownload ? 1 : 0
    sessions[token]?.lastUse = now
  }

  /// Counts a request of a session that has ended.
  public mutating func requestEnds(_ token: Token, isDownload: Bool = false, now: Duration) {
    guard let running = sessions[token]?.running, running > 0 else { return }
    sessions[token]?.downloads -= isDownload ? 1 : 0
    sessions[token]?.running = running - 1
    sessions[token]?.lastUse = now
    sessions[token]?.lastSign = now
  }

  /// Ends a session. Returns its value, or nil if there is none for this token and pairing.
  public mutating func end(_ token: Token, pairing: Token) -> Value? {
    guard sessions[token]?.pairing == pairing else { return nil }
    return sessions.removeValue(forKey: token)?.value
  }

  /// Ends the session of a pairing. Returns its value, or nil if there is none.
  public mutating func end(pairing: Token) -> Value? {
    guard let token = sessions.first(where: { $0.value.pairing == pairing })?.key else { return nil }
    return end(token, pairing: pairing)
  }

  /// Ends the sessions whose time is over, and returns their values.
  public mutating func endIdle(now: Duration) -> [Value] {
    let over = sessions.filter { $0.value.isOver(idle, silence, now) }
    for token in over.keys { sessions[token] = nil }
    return over.values.map(\.value)
  }

  /// Ends all sessions, and returns their values.
  public mutating func endAll() -> [Value] {
    defer { sessions = [:] }
    return sessions.values.map(\.value)
  }
}
