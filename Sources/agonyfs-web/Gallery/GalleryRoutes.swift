internal import Gallery
internal import Hummingbird
internal import WebAccess

/// Adds the routes of the gallery: everything below `/api` except `/api/state`. Their requests have a session, and the
/// origin of writing requests was checked.
func addGalleryRoutes(to api: RouterGroup<SpaceContext>) {
  let api = api.add(middleware: GalleryFailures())
  addSectionRoutes(to: api)
  addItemRoutes(to: api)
  addEditRoutes(to: api)
  addAlbumRoutes(to: api)
  addZipRoutes(to: api)
  addUploadRoutes(to: api.group("upload"))
}

/// Turns errors of the gallery into answers.
struct GalleryFailures: RouterMiddleware {
  typealias Context = SpaceContext

  func handle(
    _ request: Request, context: SpaceContext, next: (Request, SpaceContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch let error as GalleryError {
      return Response(json: WebAnswer.error(error), status: .init(code: error.kind.status))
    }
  }
}

extension Response {
  init(json bytes: [UInt8], status: HTTPResponse.Status = .ok) {
    self.init(
      status: status, headers: [.contentType: "application/json; charset=utf-8"],
      body: .init(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}

extension Request {
  /// The most bytes of a JSON request.
  private static let mostBytes = 1 << 20
  /// The most bytes of a JSON request about any number of photos: room for the numbers of a million.
  private static let mostBytesOfAll = 8 << 20

  /// Reads the JSON of a request.
  func said(in context: SpaceContext) async throws -> WebRequest { try await said(upTo: Self.mostBytes, context) }

  /// Reads the JSON of a request about any number of photos.
  func saidOfAll(in context: SpaceContext) async throws -> WebRequest {
    try await context.gallery.alone { try await said(upTo: Self.mostBytesOfAll, context) }
  }

  private func said(upTo limit: Int, _ context: SpaceContext) async throws -> WebRequest {
    let body = try await body.collect(upTo: limit)
    return try await context.gallery.run { _ in try WebRequest(Array(body.readableBytesView)) }
  }
}

extension SpaceContext {
  /// A path in base64url from the query; nil if there is none.
  func path(_ name: String) throws(GalleryError) -> SpacePath? {
    guard let text = query[name], !text.isEmpty else { return nil }
    guard let bytes = Base64.bytes(of: text) else {
      throw GalleryError(.badRequest, "\"\(name)\" is not a path in base64url.")
    }
    return try SpacePath(bytes)
  }

  /// The snapshot that the path of the request names.
  func snapshot() throws -> Snapshot { try gallery.snapshot(try parameters.require("snapshot")) }

  /// A number in the path of the request.
  func number(_ name: String) throws -> Int {
    guard let number = Int(try parameters.require(name)) else {
      throw GalleryError(.badRequest, "\"\(name)\" is not a number.")
    }
    return number
  }
}
