internal import Hummingbird
internal import NIOCore
internal import WebAccess

/// The context of any request.
struct WebContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// The sender, determined from the connection and not from a header; nil if it is unknown.
  let peer: Peer?
  let channel: any Channel
  var pairing: Token?
  /// The session of the request's cookie.
  var session: SpaceSession?
  /// The token of the session.
  var token: Token?
  /// The token in the cookie, even if it has no session.
  var claimed: Token?
  /// The parameters of the URL; nil until the request has passed the gate.
  var query: QueryParameters?

  init(source: Source) {
    coreContext = .init(source: source)
    channel = source.channel
    peer = Connections.shared.peer(of: source.channel)
  }
}

/// The context of a request with a session: its browser is paired, and has proven a password of the space.
struct SpaceContext: ChildRequestContext {
  var coreContext: CoreRequestContextStorage
  let session: SpaceSession
  /// The parameters of the URL.
  let query: QueryParameters

  /// - Throws: 401 without a session.
  init(context: WebContext) throws {
    guard let session = context.session, let query = context.query else { throw HTTPError(.unauthorized) }
    coreContext = context.coreContext
    self.session = session
    self.query = query
  }

  var gallery: SessionGallery { session.gallery }
}
