internal import Hummingbird
internal import NIOCore
internal import WebAccess

/// Any request.
struct WebContext: RequestContext {
  var coreContext: CoreRequestContextStorage
  /// Who sent it, by the connection, not by a header; nil if nobody knows.
  let peer: Peer?
  let channel: any Channel
  var pairing: Token?
  /// The session that the request's cookie stands for.
  var session: SpaceSession?
  /// Its token.
  var token: Token?
  /// The token of the cookie, whether it is one of a session or not.
  var claimed: Token?
  /// What the address says behind its question mark; nil until the request has passed the gate.
  var query: QueryParameters?

  init(source: Source) {
    coreContext = .init(source: source)
    channel = source.channel
    peer = Connections.shared.peer(of: source.channel)
  }
}

/// A request of a session: somebody who is paired, and has proven to know the password of a space.
struct SpaceContext: ChildRequestContext {
  var coreContext: CoreRequestContextStorage
  let session: SpaceSession
  /// What the address says behind its question mark.
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
