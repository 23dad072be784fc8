// Invariants
// 1. A browser that is not paired gets the same blank 404 for everything except the pairing page: no form, no name, no
//    other header; and the server does no work for it.
// 2. Only a GET or HEAD request proceeds without a check of its origin.
// 3. Every answer has the headers that keep it out of caches and histories, and its contents out of other pages.
// 4. A client is not told to continue with a body (100) if its request is refused.
// 5. An answer to HEAD has no body: on a persistent connection, the client would read it as the beginning of the next
//    answer.

internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import WebAccess

/// Comes before all routes.
struct GateMiddleware: RouterMiddleware {
  typealias Context = WebContext

  let access: Access

  func handle(
    _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    let response = try await respond(to: request, context, next)
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func respond(
    to request: Request, _ context: WebContext, _ next: (Request, WebContext) async throws -> Response
  ) async throws -> Response {
    let host = request.head.authority
    // The router treats two slashes as one, so that other checks of the path could be bypassed.
    guard access.check.allows(host: host), request.uri.path.hasPrefix("/"), !request.uri.path.contains("//") else {
      return .blank
    }
    let isReading = request.method == .get || request.method == .head
    let fields = request.headers
    let mayWrite = access.check.allowsWriting(
      host: host, origin: single(.origin, fields), fetchSite: single(.fetchSite, fields), own: single(.own, fields))
    guard let peer = context.peer else { return .blank }
    if let answer = try await pairing(request, peer, isReading: isReading, mayWrite: mayWrite) { return answer }
    let cookies = fields[values: .cookie]
    guard let pairing = CookieHeader.value(of: access.cookies.pairing, in: cookies).flatMap({ Token(text: $0) }),
      access.isPaired(pairing, peer: peer)
    else { return .blank }
    guard isReading || mayWrite else { return Response(.forbidden, error: "origin").closed }
    // Choosing must not change the space.
    let isOfChoice = ["/api/thumbs", "/api/choice", "/api/choice/list", "/lock"].contains(request.uri.path)
    guard isReading || access.choosing == nil || isOfChoice else {
      return Response(.forbidden, error: "choosing", detail: "This page chooses photos, and cannot change them.").closed
    }
    let isInSpace = request.uri.path.hasPrefix("/api")
    guard !isInSpace || !isReading || access.check.allowsReading(fetchSite: single(.fetchSite, fields)) else {
      return Response(.forbidden, error: "origin").closed
    }
    var context = context
    context.pairing = pairing
    if let token = CookieHeader.value(of: access.cookies.session, in: cookies).flatMap({ Token(text: $0) }) {
      context.claimed = token
      context.session = access.session(token, pairing: pairing, peer: peer)
      context.token = context.session == nil ? nil : token
    }
    guard !isInSpace || context.session != nil || request.uri.path == "/api/state" else {
      return Response(.unauthorized, error: "locked").closed
    }
    guard let query = QueryParameters(request.uri.query) else {
      return Response(.badRequest, error: "bad-request", detail: "The address cannot be read after its question mark.")
        .closed
    }
    context.query = query
    if !isReading, fields[.expect]?.lowercased() == "100-continue" {
      // A client that waits for this answer sends the body now.
      context.channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)), promise: nil)
    }
    return await answer(request, context, query, next).closed
  }

  /// The answer of the routes. A session counts as used until its last byte is sent. A request for the state does not
  /// count, unless the page reports that it is used.
  private func answer(
    _ request: Request, _ context: WebContext, _ query: QueryParameters,
    _ next: (Request, WebContext) async throws -> Response
  ) async -> Response {
    guard let token = context.token, let session = context.session, let pairing = context.pairing,
      request.uri.path != "/api/state" || query["used"] == "1"
    else { return await checked(request, context, next) }
    // A browser saves a download by itself, even while the page is hidden.
    let isDownload = request.uri.path.hasPrefix("/api/zip/") || query["download"] == "1"
    access.requestBegins(token, isDownload: isDownload)
    let answer = await checked(request, context, next)
    // If the mount is gone, every request fails, so the session ends.
    if answer.status.kind == .serverError { _ = await access.isMounted(session, token, pairing: pairing) }
    let (body, access) = (answer.body, access)
    let use = RunningRequest { access.requestEnds(token, isDownload: isDownload) }
    return Response(
      status: answer.status, headers: answer.headers,
      body: ResponseBody(contentLength: body.contentLength) { writer in
        defer { use.end() }
        try await body.write(ForwardingWriter(writer))
      })
  }

  private func checked(
    _ request: Request, _ context: WebContext, _ next: (Request, WebContext) async throws -> Response
  ) async -> Response {
    do {
      return try await next(request, context)
    } catch let error as any HTTPResponseError {
      return Response(error.status, error: word(error.status), detail: detail(error.status))
    } catch is HTTPParserError {
      return Response(
        .badRequest, error: word(.badRequest), detail: "The body of the request does not match its headers.")
    } catch {
      // Errors may contain names of files, so the answer does not describe them.
      return Response(.internalServerError, error: "internal")
    }
  }

  private func word(_ status: HTTPResponse.Status) -> String {
    switch status {
    case .unauthorized: "locked"
    case .notFound: "not-found"
    case .methodNotAllowed: "method"
    case .contentTooLarge: "too-large"
    default: status.code < 500 ? "bad-request" : "internal"
    }
  }

  /// A sentence for an error that has none of its own; empty where the word says all.
  private func detail(_ status: HTTPResponse.Status) -> String {
    switch status {
    case .badRequest: "The headers or the body of the request cannot be read."
    case .notFound: "There is nothing at this address."
    case .methodNotAllowed: "This address does not take this method."
    case .contentTooLarge: "The body of the request is too large."
    default: ""
    }
  }

  /// The pairing page, its files, and the secret that it sends; nil for any other request.
  private func pairing(_ request: Request, _ peer: Peer, isReading: Bool, mayWrite: Bool) async throws -> Response? {
    let path = request.uri.path
    if path == "/pair", request.method == .post {
      guard mayWrite, access.mayPair(peer), let secret = await secret(of: request),
        let pairing = await access.pair(secret, peer: peer)
      else { return .blank }
      let cookies = access.cookies
      var headers: HTTPFields = [.setCookie: cookies.setting(cookies.pairing, to: pairing.text)]
      if access.choosing != nil {
        guard let token = await access.openGiven(pairing: pairing, peer: peer) else { return .blank }
        headers.append(HTTPField(name: .setCookie, value: cookies.setting(cookies.session, to: token.text)))
      }
      return Response(status: .noContent, headers: headers).closed
    }
    guard isReading, path.utf8.count == 33, path.hasPrefix("/"), access.showsPage(at: String(path.dropFirst())) else {
      return nil
    }
    switch request.uri.query {
    case nil, "": return Response(PageFile.pairing).closed
    case let name?: return PageFile.pairingFiles[name].map { Response($0).closed } ?? .blank
    }
  }

  private func secret(of request: Request) async -> String? {
    guard let body = try? await request.body.collect(upTo: 64) else { return nil }
    return String(decoding: body.readableBytesView, as: UTF8.self)
  }

  private func single(_ name: HTTPField.Name, _ fields: HTTPFields) -> String? {
    let values = fields[values: name]
    // Repeated headers count as an invalid value.
    return values.count > 1 ? "" : values.first
  }
}
