internal import Gallery
internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// Adds the routes that end `agonyfs choose`, by choosing or by cancelling. `ended(status)` is called when the answer
/// is written, with the exit status of the program.
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
  // The page shows another list: the choice of the previous one is kept, and the answer has what of it the new list
  // shows.
  api.post("choice/list") { request, context in
    let said = try await request.saidOfAll(in: context)
    let gallery = context.gallery
    var before: Snapshot?
    if let name = said.before { before = try gallery.snapshot(name) }
    let (shown, items) = (try gallery.snapshot(try said.snapshot), try said.items)
    let carried = try await gallery.run { [before] _ in
      try gallery.chosen.withLock { chosen throws(GalleryError) in
        try choosing.carry(items, of: before, to: shown, &chosen)
      }
    }
    return Response(json: WebAnswer.choice(carried.items, others: carried.others))
  }
  api.post("choice") { request, context in
    let said = try await request.saidOfAll(in: context)
    let gallery = context.gallery
    let (snapshot, items) = (try gallery.snapshot(try said.snapshot), try said.items)
    let output = try await gallery.run { photos in
      // A photo that no list shows cannot be removed from the choice, so the choice is refused instead of shortened.
      let (gone, others) = gallery.chosen.withLock { chosen in (chosen.takeGone(from: photos), chosen) }
      guard gone == 0 else {
        throw GalleryError(
          .conflict, "A chosen photo no longer exists, and was removed from the choice. Check the rest.")
      }
      return try choosing.output(items, of: snapshot, with: others, in: photos)
    }
    guard access.takesChoice() else { throw GalleryError(.gone, "The choice was already made.") }
    return answer(Output.result(output) ? 0 : 1)
  }
  api.delete("choice") { _, _ in answer(1) }
}
