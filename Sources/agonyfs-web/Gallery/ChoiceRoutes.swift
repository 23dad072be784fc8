internal import Gallery
internal import HTTPTypes
internal import Hummingbird

/// Adds what ends `agonyfs choose`: the choice, and that there is none. `ended(status)` is called when the answer is written.
func addChoiceRoutes(
  to api: RouterGroup<SpaceContext>, _ choosing: Choosing, _ access: Access, ended: @escaping @Sendable (CInt) -> Void
) {
  let api = api.add(middleware: GalleryFailures())
  @Sendable func answer(_ status: CInt) -> Response {
    let ending = RunningRequest { ended(status) }
    let cookies = access.cookies
    var headers = HTTPFields()
    for name in [cookies.session, cookies.pairing] {
      headers.append(HTTPField(name: .setCookie, value: cookies.removing(name)))
    }
    return Response(
      status: .ok, headers: headers,
      body: ResponseBody { writer in
        defer { ending.end() }
        try await writer.finish(nil)
      })
  }
  api.post("choice") { request, context in
    let said = try await request.saidOfAll(in: context)
    let (snapshot, items) = (try context.gallery.snapshot(try said.snapshot), try said.items)
    let output = try await context.gallery.run { try choosing.output(items, of: snapshot, in: $0) }
    guard access.takesChoice() else { throw GalleryError(.gone, "The choice was made already.") }
    return answer(Output.result(output) ? 0 : 1)
  }
  api.delete("choice") { _, _ in answer(1) }
}
