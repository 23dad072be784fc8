// Invariants
// 1. A pairing has one session at most: a browser has one cookie. A new one ends the one before. So their number is
//    bounded by that of the pairings.
// 2. A session answers only to its token together with its pairing, and only to the peer that it began with (see `Peer`).
//    It ends for whoever has token and pairing: a phone may have another address by now.
// 3. A session ends when it was not used for `idle`, and when nothing at all was asked for `silence`: the page is gone
//    then, unless it said that it was sending files: it may have no connection. A request that runs is a use; one that
//    only asks for the state is none. A page that is left may say so: then it ends sooner, unless something is asked again.
// 4. Who takes an ended session out of the table is the only one to end what it stands for.

/// The sessions of a server. Times are those of one clock that never goes back, and goes on while the machine sleeps.
public struct Sessions<Value: Sendable>: Sendable {
  private struct Session: Sendable {
    let pairing: Token
    let peer: Peer
    let value: Value
    var lastUse: Duration
    var lastSign: Duration
    var running = 0
    var downloads = 0
    /// Whether the page said last that it sends files.
    var isSending = false
    /// When it ends because its page was left; nil if something was asked since.
    var end: Duration?

    func isOver(_ idle: Duration, _ silence: Duration, _ now: Duration) -> Bool {
      running == 0
        && (lastUse + idle <= now || lastSign + (isSending ? idle : silence) <= now || end.map { $0 <= now } ?? false)
    }
  }

  private let idle: Duration
  private let silence: Duration
  private var sessions: [Token: Session] = [:]

  /// No sessions yet; each will end after `idle` without use, and after `silence` without any request.
  public init(idle: Duration, silence: Duration) { (self.idle, self.silence) = (idle, silence) }

  /// Whether there are none.
  public var isEmpty: Bool { sessions.isEmpty }

  /// Begins a session.
  ///
  /// - Returns: its token, and what the session stood for that it replaces.
  public mutating func begin(
    _ value: Value, pairing: Token, peer: Peer, now: Duration
  ) -> (token: Token, replaced: Value?) {
    let replaced = end(pairing: pairing)
    let token = Token.random()
    sessions[token] = Session(pairing: pairing, peer: peer, value: value, lastUse: now, lastSign: now)
    return (token, replaced)
  }

  /// What a session stands for, of which something is asked. Nil if there is none for this token, pairing and peer, or
  /// its time is over.
  public mutating func value(_ token: Token, pairing: Token, peer: Peer, now: Duration) -> Value? {
    guard let session = sessions[token], session.pairing == pairing, session.peer == peer,
      !session.isOver(idle, silence, now)
    else { return nil }
    sessions[token]?.lastSign = now
    sessions[token]?.end = nil
    return session.value
  }

  /// The page of a session says whether it sends files.
  public mutating func page(of token: Token, isSending: Bool) { sessions[token]?.isSending = isSending }

  /// The page of a session is left, perhaps to be loaded anew: the session ends at `time`, unless something is asked of it
  /// before.
  public mutating func pageLeft(_ token: Token, endsAt time: Duration) { sessions[token]?.end = time }

  /// How many downloads of a session run.
  public func downloads(_ token: Token) -> Int { sessions[token]?.downloads ?? 0 }

  /// A request of a session begins; `requestEnds` follows.
  public mutating func requestBegins(_ token: Token, isDownload: Bool = false, now: Duration) {
    sessions[token]?.running += 1
    sessions[token]?.downloads += isDownload ? 1 : 0
    sessions[token]?.lastUse = now
  }

  /// A request of a session has ended.
  public mutating func requestEnds(_ token: Token, isDownload: Bool = false, now: Duration) {
    guard let running = sessions[token]?.running, running > 0 else { return }
    sessions[token]?.downloads -= isDownload ? 1 : 0
    sessions[token]?.running = running - 1
    sessions[token]?.lastUse = now
    sessions[token]?.lastSign = now
  }

  /// Ends a session: what it stood for, or nil if there is none for this token and pairing.
  public mutating func end(_ token: Token, pairing: Token) -> Value? {
    guard sessions[token]?.pairing == pairing else { return nil }
    return sessions.removeValue(forKey: token)?.value
  }

  /// Ends the session of a pairing: what it stood for, or nil if there is none.
  public mutating func end(pairing: Token) -> Value? {
    guard let token = sessions.first(where: { $0.value.pairing == pairing })?.key else { return nil }
    return end(token, pairing: pairing)
  }

  /// Ends those whose time is over.
  public mutating func endIdle(now: Duration) -> [Value] {
    let over = sessions.filter { $0.value.isOver(idle, silence, now) }
    for token in over.keys { sessions[token] = nil }
    return over.values.map(\.value)
  }

  /// Ends all.
  public mutating func endAll() -> [Value] {
    defer { sessions = [:] }
    return sessions.values.map(\.value)
  }
}
