internal import Gallery
internal import Hummingbird

func addEditRoutes(to api: RouterGroup<SpaceContext>) {
  @Sendable func each(
    _ request: Request, _ context: SpaceContext,
    _ body: @escaping @Sendable (Gallery, [Int], Snapshot, WebRequest) throws -> [ItemFailure]
  ) async throws -> Response {
    let said = try await request.said(in: context)
    let (snapshot, items) = (try context.gallery.snapshot(try said.snapshot), try said.items)
    let failures = try await context.gallery.run { try body($0, items, snapshot, said) }
    return Response(json: WebAnswer.done(items.count, failures))
  }
  api.patch("items") { request, context in
    try await each(request, context) { try $0.edit($1, of: $2, try $3.edit) }
  }
  api.post("trash") { request, context in
    try await each(request, context) { gallery, items, snapshot, _ in try gallery.trash(items, of: snapshot) }
  }
  api.post("restore") { request, context in
    try await each(request, context) { gallery, items, snapshot, _ in try gallery.restore(items, of: snapshot) }
  }
  api.post("trash/list") { _, context in
    Response(json: WebAnswer.trash(try await context.gallery.listTrash()))
  }
  api.post("trash/empty") { request, context in
    let listing = try context.gallery.trashListing(try await request.said(in: context).listing)
    let (left, failures) = try await context.gallery.run(waitingFor: .pictures) { try $0.delete(of: listing) }
    return Response(json: WebAnswer.emptied(left, failures))
  }
  api.post("albums/add") { request, context in
    try await each(request, context) { try $0.add($1, of: $2, to: try $3.path("album")) }
  }
  api.post("albums/move") { request, context in
    try await each(request, context) { try $0.move($1, of: $2, to: try $3.path("album")) }
  }
}

func addAlbumRoutes(to api: RouterGroup<SpaceContext>) {
  api.get("albums") { _, context in
    let path = try context.path("path") ?? .root
    return Response(json: WebAnswer.albums(try await context.gallery.run { try $0.albums(in: path) }))
  }
  api.get("albums/files") { _, context in
    let path = try context.path("path") ?? .root
    // Lists every album, which may take long.
    let answer = try await context.gallery.run(waitingFor: .pictures) { gallery in
      WebAnswer.otherFileCounts(try gallery.otherFileCounts(in: path))
    }
    return Response(json: answer)
  }
  api.get("cover") { _, context in
    let path = try context.path("path") ?? .root
    let bytes = try await context.gallery.run(waitingFor: .pictures) { try $0.cover(of: path) }
    return Response(
      status: .ok, headers: [.contentType: "image/jpeg"], body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }
  api.post("albums") { request, context in
    let said = try await request.said(in: context)
    let (parent, name) = (try said.path("parent"), try said.name("name"))
    return Response(json: WebAnswer.album(try await context.gallery.run { try $0.makeAlbum(name, in: parent) }))
  }
  api.post("albums/rename") { request, context in
    let said = try await request.said(in: context)
    let (path, name) = (try said.path("path"), try said.name("name"))
    return Response(json: WebAnswer.album(try await context.gallery.run { try $0.renameAlbum(path, to: name) }))
  }
  api.post("albums/cover") { request, context in
    let said = try await request.said(in: context)
    let (snapshot, item) = (try context.gallery.snapshot(try said.snapshot), try said.number("item"))
    return Response(json: WebAnswer.album(try await context.gallery.run { try $0.makeCover(item, of: snapshot) }))
  }
  api.post("albums/delete") { request, context in
    let path = try await request.said(in: context).path("path")
    try await context.gallery.run { try $0.deleteAlbum(path) }
    return Response(status: .noContent)
  }
}

/// Archives: a ticket is created for the chosen photos, so that the browser itself can download the archive.
func addZipRoutes(to api: RouterGroup<SpaceContext>) {
  api.post("zip") { request, context in
    let said = try await request.saidOfAll(in: context)
    let (snapshot, items) = (try context.gallery.snapshot(try said.snapshot), try said.items)
    let numbers = try ZipNumbers(items, of: snapshot)
    let ticket = try context.gallery.keep(numbers, of: snapshot)
    return Response(json: WebAnswer.ticket(ticket, try numbers.refusedNames(of: snapshot)))
  }
  api.get("zip/{ticket}/progress") { _, context in
    let progress = try context.gallery.progress(ofArchive: try context.parameters.require("ticket"))
    return Response(json: WebAnswer.progress(progress))
  }
  api.get("zip/{ticket}") { _, context in
    let gallery = context.gallery
    let ticket = try context.parameters.require("ticket")
    let archive = try await gallery.archive(ticket)
    return Response(
      status: .ok,
      headers: [
        .contentType: "application/zip", .contentDisposition: HeaderName.attachment(Array("photos.zip".utf8)),
      ],
      body: .init { writer in
        var reason: String?
        defer { gallery.ended(archive: ticket, reason: reason) }
        do {
          let reader = try ZipReader(archive)
          defer { reader.stop() }
          while let bytes = try await gallery.run(waitingFor: .transfers, { _ in try reader.next() }) {
            try await writer.write(ByteBuffer(bytes: bytes))
          }
          try await writer.finish(nil)
        } catch {
          // The browser shows only that the download failed; the page asks for the reason.
          reason = (error as? GalleryError)?.detail
          throw error
        }
      })
  }
}
