internal import Glibc
internal import Synchronization
internal import WebAccess

/// The access control of the server: pairings and sessions, guarded by one lock.
final class Access: Sendable {
  private struct State {
    var pairings = Pairings()
    var sessions: Sessions<SpaceSession>
    /// Whether a session has ever begun.
    var hasBegun = false
    var hasChosen = false
  }

  private let state: Mutex<State>
  private let spaces: Spaces
  /// The seconds without use after which a session ends.
  let idle: Int
  private let addressing: Addressing
  /// The limits of the choice; nil for `agonyfs serve`.
  let choosing: Choosing?
  let desk = LoginDesk()
  /// An open page asks for the state far more often.
  private static let silence = Duration.seconds(90)
  /// Enough time to reload a page, since a page that is reloaded first reports that it is left.
  private static let reload = Duration.seconds(5)

  init(_ spaces: Spaces, idle: Int, addressing: Addressing, choosing: Choosing?) {
    (self.spaces, self.idle, self.addressing, self.choosing) = (spaces, idle, addressing, choosing)
    state = Mutex(State(sessions: Sessions(idle: .seconds(idle), silence: Self.silence)))
  }

  /// The check that requests have to pass now.
  var check: RequestCheck { addressing.check }

  var cookies: CookieNames { addressing.cookies }

  /// Whether a browser may pair. Choosing needs no password, so the browser must run as the user of this process, to
  /// whom the mount is accessible anyway.
  func mayPair(_ peer: Peer) -> Bool { choosing == nil || peer.user == geteuid() }

  /// A new offer for a QR code.
  func makeOffer() -> Pairings.Offer { state.withLock { $0.pairings.makeOffer(now: Clock.now) } }

  func showsPage(at path: String) -> Bool { state.withLock { $0.pairings.showsPage(at: path, now: Clock.now) } }

  /// Pairs a browser, as `Pairings.pair`. If the oldest pairing is dropped for that, its session ends.
  func pair(_ secret: String, peer: Peer) async -> Token? {
    let (pairing, over) = state.withLock { state -> (Token?, SpaceSession?) in
      guard let made = state.pairings.pair(secret: secret, user: peer.user, now: Clock.now) else { return (nil, nil) }
      return (made.pairing, made.replaced.flatMap { state.sessions.end(pairing: $0) })
    }
    if let over { await end(over) }
    return pairing
  }

  func isPaired(_ token: Token, peer: Peer) -> Bool {
    state.withLock { $0.pairings.isPaired(token, user: peer.user, now: Clock.now) }
  }

  func session(_ token: Token, pairing: Token, peer: Peer) -> SpaceSession? {
    state.withLock { $0.sessions.value(token, pairing: pairing, peer: peer, now: Clock.now) }
  }

  /// Records whether the page of a session is uploading files. If not, the session ends soon after the page's last
  /// request.
  func page(of token: Token, isSending: Bool) { state.withLock { $0.sessions.page(of: token, isSending: isSending) } }

  /// Records that the page of a session was closed or reloaded.
  func pageLeft(_ token: Token) {
    state.withLock { $0.sessions.pageLeft(token, endsAt: Clock.now + Self.reload) }
  }

  func downloads(_ token: Token) -> Int { state.withLock { $0.sessions.downloads(token) } }

  func requestBegins(_ token: Token, isDownload: Bool) {
    state.withLock { $0.sessions.requestBegins(token, isDownload: isDownload, now: Clock.now) }
  }
  func requestEnds(_ token: Token, isDownload: Bool) {
    state.withLock { $0.sessions.requestEnds(token, isDownload: isDownload, now: Clock.now) }
  }

  /// Opens a space with a password.
  ///
  /// - Returns: The token of the new session.
  func open(_ password: PasswordBuffer, pairing: Token, peer: Peer) async -> AgonyfsProgram.Outcome<Token> {
    let mount: SpaceMount
    switch await spaces.open(password) {
    case .success(let found): mount = found
    case .wrong: return .wrong
    case .inUse: return .inUse
    case .failed(let reason): return .failed(reason)
    }
    return await begin(mount, pairing: pairing, peer: peer)
  }

  /// Begins a session for choosing in the given mount, without a password.
  ///
  /// - Returns: Its token; nil if the mount is gone.
  func openGiven(pairing: Token, peer: Peer) async -> Token? {
    guard let mount = await spaces.openGiven(),
      case .success(let token) = await begin(mount, pairing: pairing, peer: peer)
    else { return nil }
    return token
  }

  private func begin(_ mount: SpaceMount, pairing: Token, peer: Peer) async -> AgonyfsProgram.Outcome<Token> {
    guard let session = try? SpaceSession(mount, allowed: choosing?.query ?? "") else {
      await spaces.release(mount)
      return .failed("The space is not mounted any more.")
    }
    let begun = state.withLock { state -> (token: Token, replaced: SpaceSession?)? in
      // The pairing may have been dropped while the password was checked.
      guard state.pairings.isPaired(pairing, user: peer.user, now: Clock.now) else { return nil }
      state.hasBegun = true
      return state.sessions.begin(session, pairing: pairing, peer: peer, now: Clock.now)
    }
    guard let begun else {
      await end(session)
      return .failed("The browser that sent a password is not paired any more.")
    }
    if let replaced = begun.replaced { await end(replaced) }
    return .success(begun.token)
  }

  /// Ends a session. Returns when its space is unmounted, unless other sessions use it.
  func lock(_ token: Token, pairing: Token) async {
    if let session = state.withLock({ $0.sessions.end(token, pairing: pairing) }) { await end(session) }
  }

  /// Whether the space of a session is still mounted; if not, the session ends.
  func isMounted(_ session: SpaceSession, _ token: Token, pairing: Token) async -> Bool {
    if await session.isMounted() { return true }
    await lock(token, pairing: pairing)
    return false
  }

  /// Ends idle sessions, checking every second.
  func watch() async {
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      let over = state.withLock { $0.sessions.endIdle(now: Clock.now) }
      for session in over { session.gallery.end() }
      // In a separate task, so that a slow unmount does not delay the end of other sessions.
      for session in over { Task { await spaces.release(session.mount) } }
    }
  }

  /// Whether this is the first choice.
  func takesChoice() -> Bool {
    state.withLock { state in
      defer { state.hasChosen = true }
      return !state.hasChosen
    }
  }

  /// Returns when no further choice is possible.
  ///
  /// - Returns: Whether no browser opened the page in time; otherwise the session has ended.
  func choiceIsOver() async -> Bool {
    let end = Clock.now + Pairings.offerTime
    while (try? await Task.sleep(for: .seconds(1))) != nil {
      let (hasBegun, isEmpty) = state.withLock { ($0.hasBegun, $0.sessions.isEmpty) }
      if hasBegun, isEmpty { return false }
      if !hasBegun, Clock.now > end { return true }
    }
    return false
  }

  /// Ends everything when the program ends. Returns the mounts that could not be removed, and why.
  func endAll() -> [String] {
    for session in state.withLock({ $0.sessions.endAll() }) { session.gallery.end() }
    return spaces.end()
  }

  private func end(_ session: SpaceSession) async {
    session.gallery.end()
    await spaces.release(session.mount)
  }
}
