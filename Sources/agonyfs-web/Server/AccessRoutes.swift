internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import NIOCore
internal import WebAccess

/// Adds the page, login and lock.
func addAccessRoutes(to router: Router<WebContext>, _ access: Access) {
  router.get("/") { _, _ in Response(PageFile.index) }
  router.get("/assets/{name}") { _, context in
    guard let file = PageFile.assets[try context.parameters.require("name")] else { throw HTTPError(.notFound) }
    return Response(file)
  }
  router.post("/login") { request, context in try await login(request, context, access) }
  router.post("/lock") { _, context in
    // Also if the address of the browser has changed: the owner of a token may end its session.
    if let token = context.claimed, let pairing = context.pairing { await access.lock(token, pairing: pairing) }
    return Response(
      status: .noContent,
      headers: [
        .setCookie: access.cookies.removing(access.cookies.session),
        // Cookies are not cleared, because the pairing stays.
        .clearSiteData: "\"cache\", \"storage\"",
      ])
  }
  router.get("/api/state") { _, context in
    var session = context.session
    if let asked = session, let token = context.token, let pairing = context.pairing,
      await !access.isMounted(asked, token, pairing: pairing)
    {
      session = nil
    }
    var downloads = 0
    if session != nil, let token = context.token {
      access.page(of: token, isSending: context.query?["busy"] == "1")
      downloads = access.downloads(token)
      if access.choosing != nil, context.query?["left"] == "1" { access.pageLeft(token) }
    }
    let isReadOnly = session?.isReadOnly ?? false || access.choosing != nil
    let choice = access.choosing.map { ",\"choice\":\($0.json)" } ?? ""
    return Response(
      .ok,
      json: """
        {"locked":\(session == nil),"readOnly":\(isReadOnly),"idleSeconds":\(access.idle),"downloads":\(downloads)\(choice)}
        """)
  }
}

private func login(_ request: Request, _ context: WebContext, _ access: Access) async throws -> Response {
  guard let pairing = context.pairing, let peer = context.peer else { return .blank }
  let password = PasswordBuffer()
  var count = 0
  for try await var part in request.body {
    count += part.readableBytes
    guard count <= 2 * PasswordBuffer.limit else { throw HTTPError(.contentTooLarge) }
    unsafe part.withUnsafeMutableReadableBytes { bytes in unsafe password.append(wiping: bytes) }
  }
  guard let ticket = await access.desk.turn(pairing, address: peer.address) else {
    return Response(
      .serviceUnavailable, error: "busy", detail: "Too many passwords are waiting to be tried; try again later.")
  }
  // An impossible password waits and is delayed like any other, so that the time reveals nothing.
  let outcome =
    password.isPossible ? await access.open(password, pairing: pairing, peer: peer) : .wrong
  var wasWrong = false
  if case .wrong = outcome { wasWrong = true }
  let delay = await access.desk.finish(ticket, wasWrong: wasWrong)
  switch outcome {
  case .success(let token):
    let cookies = access.cookies
    return Response(status: .noContent, headers: [.setCookie: cookies.setting(cookies.session, to: token.text)])
  case .wrong:
    try await Task.sleep(for: delay)
    return Response(.forbidden, error: "wrong-password")
  case .inUse:
    return Response(.conflict, error: "in-use", detail: "Another program has this space open.")
  case .failed(let reason):
    Output.note(reason)
    return Response(
      .internalServerError, error: "cannot-open", detail: "The space cannot be opened; the server's terminal shows why."
    )
  }
}
