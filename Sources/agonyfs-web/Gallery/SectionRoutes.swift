internal import Gallery
internal import Hummingbird
internal import WebAccess

/// Lists of photos.
func addSectionRoutes(to api: RouterGroup<SpaceContext>) {
  api.get("sections") { _, context in
    do {
      let snapshot = try await context.gallery.snapshot(try SectionsRequest(context))
      return Response(json: WebAnswer.sections(snapshot))
    } catch let error as GalleryError {
      // A mistake in the query is a normal answer, which the page shows below the search field.
      guard let answer = WebAnswer.mistake(error) else { throw error }
      return Response(json: answer)
    }
  }
  api.get("geometry/{snapshot}") { _, context in
    let snapshot = try context.snapshot()
    return Response(
      status: .ok, headers: [.contentType: "application/octet-stream"],
      body: .init(byteBuffer: ByteBuffer(bytes: snapshot.geometry)))
  }
  api.get("section/{snapshot}/{section}") { _, context in
    let (snapshot, number) = (try context.snapshot(), try context.number("section"))
    return Response(json: WebAnswer.items(try await context.gallery.run { try $0.section(number, of: snapshot) }))
  }
  api.get("files") { _, context in
    let album = try context.path("album") ?? .root
    let isTrash = context.query["trash"] == "1"
    return Response(json: WebAnswer.otherFiles(try await context.gallery.otherFiles(in: isTrash ? nil : album)))
  }
  api.get("suggest") { _, context in
    let text = context.query["q"] ?? ""
    return Response(json: WebAnswer.suggestions(try await context.gallery.run { try $0.suggestions(for: text) }))
  }
}

extension SectionsRequest {
  fileprivate init(_ context: SpaceContext) throws(GalleryError) {
    self.init()
    query = context.query["q"] ?? ""
    album = try context.path("album")
    isTrash = context.query["trash"] == "1"
    if let word = context.query["group"] {
      guard let known = Grouping(rawValue: word) else {
        throw GalleryError(.badRequest, "\"group\" must be day, month, place, tag, album, type or none.")
      }
      grouping = known
    }
    if var word = context.query["sort"] {
      isReversed = word.hasPrefix("-")
      if isReversed { word.removeFirst() }
      guard let known = Order(rawValue: word) else {
        throw GalleryError(.badRequest, "\"sort\" must be time, name, size or rating.")
      }
      order = known
    }
  }
}
