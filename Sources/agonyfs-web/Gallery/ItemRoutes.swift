internal import Gallery
internal import Hummingbird
internal import NIOCore
internal import WebAccess

/// Pictures, videos and facts of single photos.
func addItemRoutes(to api: RouterGroup<SpaceContext>) {
  api.get("item/{snapshot}/{item}/facts") { _, context in
    let (snapshot, number) = (try context.snapshot(), try context.number("item"))
    let answer = try await context.gallery.run { gallery in
      let (sections, item) = try gallery.facts(number, of: snapshot)
      return WebAnswer.facts(sections, item, at: try snapshot.path(number))
    }
    return Response(json: answer)
  }
  for method in [HTTPRequest.Method.get, .head] {
    api.on("item/{snapshot}/{item}/{form}", method: method) { request, context in
      guard let form = ItemForm(rawValue: try context.parameters.require("form")) else {
        throw GalleryError(.notFound, "Photos do not have this form.")
      }
      let (snapshot, number) = (try context.snapshot(), try context.number("item"))
      let content = try await context.gallery.run(waitingFor: .pictures) { try $0.open(form, number, of: snapshot) }
      return Response(content, request, context)
    }
  }
  api.post("positions") { request, context in
    let paths = try await request.said(in: context).paths("paths")
    return Response(json: WebAnswer.positions(try await context.gallery.run { try $0.positions(of: paths) }))
  }
  api.post("thumbs") { request, context in
    let said = try await request.said(in: context)
    let (snapshot, items, size) = (
      try context.gallery.snapshot(try said.snapshot), try said.items, try said.number("size")
    )
    guard items.count <= 60 else { throw GalleryError(.tooLarge, "Ask for at most 60 thumbnails at once.") }
    let gallery = context.gallery
    return Response(
      status: .ok, headers: [.contentType: "application/octet-stream"],
      body: .init { writer in
        try await withThrowingTaskGroup(of: ByteBuffer.self) { group in
          var rest = items[...]
          func begin() {
            guard let index = rest.popFirst() else { return }
            group.addTask { try await gallery.thumbnail(index, of: snapshot, pixels: size) }
          }
          for _ in 0..<4 { begin() }
          while let record = try await group.next() {
            begin()
            try await writer.write(record)
          }
        }
        try await writer.finish(nil)
      })
  }
}

extension SessionGallery {
  /// A record of the answer: the number of a photo, the length of its thumbnail, and the thumbnail.
  fileprivate func thumbnail(_ index: Int, of snapshot: Snapshot, pixels: Int) async throws -> ByteBuffer {
    let bytes = try await run(waitingFor: .pictures) { gallery in
      do {
        return try gallery.thumbnail(index, of: snapshot, pixels: pixels) ?? []
      } catch let error as GalleryError where [.notFound, .conflict].contains(error.kind) {
        // An error for one photo must not fail the answer for the others.
        return []
      }
    }
    var buffer = ByteBuffer()
    buffer.reserveCapacity(8 + bytes.count)
    buffer.writeInteger(UInt32(truncatingIfNeeded: index), endianness: .little)
    buffer.writeInteger(UInt32(bytes.count), endianness: .little)
    buffer.writeBytes(bytes)
    return buffer
  }
}

extension Response {
  /// The bytes of a content that are in memory at a time.
  private static let block = 512 << 10

  /// The answer with a content, or with the requested range of it.
  fileprivate init(_ content: ItemContent, _ request: Request, _ context: SpaceContext) {
    let gallery = context.gallery
    var headers: HTTPFields = [
      .contentType: content.isShowable ? content.type : "application/octet-stream", .acceptRanges: "bytes",
      .eTag: "\"\(content.tag)\"",
    ]
    if context.query["download"] == "1" || !content.isShowable {
      headers[.contentDisposition] = HeaderName.attachment(content.name)
    }
    // HTTP defines ranges only for GET.
    let asked = request.method == .get ? request.headers[.range] : nil
    let range = ByteRange(asked, if: request.headers[.ifRange], tag: content.tag, size: content.size)
    let part: Range<Int64>
    let status: HTTPResponse.Status
    switch range {
    case .whole: (part, status) = (0..<content.size, .ok)
    case .part(let wanted):
      (part, status) = (wanted, .partialContent)
      headers[.contentRange] = "bytes \(wanted.lowerBound)-\(wanted.upperBound - 1)/\(content.size)"
    case .unsatisfiable:
      headers[.contentRange] = "bytes */\(content.size)"
      self.init(status: .rangeNotSatisfiable, headers: headers)
      return
    }
    let body = ResponseBody(contentLength: part.count) { writer in
      var offset = part.lowerBound
      while offset < part.upperBound {
        let (start, count) = (offset, Int(min(Int64(Self.block), part.upperBound - offset)))
        let bytes = try await gallery.run(waitingFor: .transfers) { _ in
          try content.bytes(at: start, count: count)
        }
        // The file became shorter. The connection ends before the announced length, so that the browser notices.
        guard bytes.count == count else { throw GalleryError(.conflict, "The file was changed while it was read.") }
        try await writer.write(ByteBuffer(bytes: bytes))
        offset += Int64(count)
      }
      try await writer.finish(nil)
    }
    self.init(status: status, headers: headers, body: body)
  }
}
