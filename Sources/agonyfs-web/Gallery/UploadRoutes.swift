internal import Gallery
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

// tus 1.0.0 (https://tus.io/protocols/resumable-upload) with the extensions creation, checksum, termination and
// expiration.

func addUploadRoutes(to api: RouterGroup<SpaceContext>) {
  let api = api.add(middleware: TusVersion())
  api.on("", method: .options) { _, _ in
    Response(
      status: .noContent,
      headers: [
        .tusVersion: TusVersion.known, .tusExtension: "creation,checksum,termination,expiration",
        .tusChecksumAlgorithm: UploadDescription.algorithms.map(\.name).joined(separator: ","),
      ])
  }
  api.post("") { request, context in
    let (description, resumes) = try UploadDescription.read(request.headers)
    let status = try await context.gallery.run { try $0.uploads.begin(description, resumes: resumes) }
    var response = Response(status: .created, headers: .init(status))
    response.headers[.location] = "/api/upload/\(status.identifier)"
    return response
  }
  api.head("{upload}") { _, context in
    let identifier = try context.parameters.require("upload")
    let status = try await context.gallery.run { try $0.uploads.status(of: identifier) }
    var headers = HTTPFields(status)
    headers[.uploadLength] = String(status.length)
    return Response(status: .ok, headers: headers)
  }
  api.delete("{upload}") { _, context in
    let identifier = try context.parameters.require("upload")
    try await context.gallery.run { try $0.uploads.end(identifier) }
    return Response(status: .noContent)
  }
  api.patch("{upload}") { request, context in
    let identifier = try context.parameters.require("upload")
    guard request.headers[.contentType] == "application/offset+octet-stream" else {
      throw GalleryError(.badMedia, "A piece of an upload must have the type application/offset+octet-stream.")
    }
    guard let offset = request.headers[.uploadOffset].flatMap({ Int64($0) }), offset >= 0 else {
      throw GalleryError(.badRequest, "The header Upload-Offset is missing, or is not a number.")
    }
    let checksum = try request.headers[.uploadChecksum].map { try UploadDescription.checksum($0) }
    let gallery = context.gallery
    let piece = try await gallery.run { try UploadPiece(of: identifier, at: offset, checksum: checksum, in: $0) }
    do {
      for try await buffer in request.body {
        try await gallery.run(waitingFor: .transfers) { _ in
          try unsafe buffer.withUnsafeReadableBytes { try unsafe piece.append($0) }
        }
      }
    } catch let error as GalleryError {
      throw error
    } catch {
      // The connection was lost, so an answer could not arrive.
      _ = try? await gallery.run { _ in try piece.cut() }
      throw error
    }
    let status = try await gallery.run(waitingFor: .uploads) { _ in try piece.finish() }
    return Response(status: .noContent, headers: .init(status))
  }
}

/// Rejects other versions of tus, and states this one in every answer.
struct TusVersion: RouterMiddleware {
  typealias Context = SpaceContext
  static let known = "1.0.0"

  func handle(
    _ request: Request, context: SpaceContext, next: (Request, SpaceContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    if request.method != .options, request.headers[.tusResumable] != Self.known {
      response = Response(
        .preconditionFailed, error: "version", detail: "Send the header Tus-Resumable: \(Self.known).")
      response.headers[.tusVersion] = Self.known
    } else {
      do {
        response = try await next(request, context)
      } catch let error as GalleryError {
        response = Response(json: WebAnswer.error(error), status: .init(code: error.kind.status))
      }
    }
    response.headers[.tusResumable] = Self.known
    return response
  }
}

extension UploadDescription {
  /// Reads the headers of a creation: the file, and whether an earlier upload may be resumed. Without `resume` an
  /// upload begins at 0, as clients that know only tus expect.
  fileprivate static func read(
    _ headers: HTTPFields
  ) throws(GalleryError) -> (description: UploadDescription, resumes: Bool) {
    guard let length = headers[.uploadLength].flatMap({ Int64($0) }) else {
      throw GalleryError(.badRequest, "The header Upload-Length is missing, or is not a number.")
    }
    var values: [Substring: [UInt8]] = [:]
    for part in (headers[.uploadMetadata] ?? "").split(separator: ",") {
      let words = part.split(separator: " ")
      guard let name = words.first, words.count < 3, let value = Base64.bytes(of: words.dropFirst().first ?? "") else {
        throw GalleryError(
          .badRequest, "The header Upload-Metadata must be pairs of a name and a base64 value, separated by commas.")
      }
      values[name] = value
    }
    guard let name = values["filename"] else {
      throw GalleryError(.emptyName, "The header Upload-Metadata must have the name of the file as filename.")
    }
    func text(_ name: Substring) -> String? { values[name].map { String(decoding: $0, as: UTF8.self) } }
    guard let album = Base64.bytes(of: text("album") ?? "") else {
      throw GalleryError(.badRequest, "The album in Upload-Metadata is not a path in base64url.")
    }
    var modified: Int64?
    if let word = text("modified") {
      guard let number = Int64(word) else {
        throw GalleryError(.badRequest, "The time modified in Upload-Metadata must be milliseconds since 1970.")
      }
      modified = number
    }
    let description = try UploadDescription(
      length: length, name: name, album: album, modified: modified,
      relativePath: values["relativePath"] ?? [], skipsDuplicates: values["skipDuplicates"] != nil)
    return (description, values["resume"] != nil)
  }

  /// The hash algorithms for pieces, and the bytes of a hash.
  fileprivate static let algorithms = [(name: "sha1", count: 20), (name: "sha256", count: 32)]

  /// Parses the hash in a header.
  fileprivate static func checksum(_ header: String) throws(GalleryError) -> [UInt8] {
    let words = header.split(separator: " ")
    guard words.count == 2, let hash = Base64.bytes(of: words[1]),
      algorithms.contains(where: { words[0] == $0.name && hash.count == $0.count })
    else {
      throw GalleryError(
        .badRequest, "The header Upload-Checksum must be \"sha1\" or \"sha256\", then the hash in base64.")
    }
    return hash
  }
}

extension HTTPFields {
  /// The headers with the state of an upload.
  fileprivate init(_ status: UploadStatus) {
    self = [.uploadOffset: String(status.offset)]
    if let path = status.path {
      self[.verified] = "1"
      self[.finalName] = HeaderName.escaped(path.name)
      self[.finalPath] = Base64.text(of: path.bytes)
      if status.wasThere { self[.there] = HeaderName.escaped(path.bytes) }
    } else {
      self[.uploadExpires] = HTTPDate.text(after: Uploads.uploadSeconds)
    }
    if let checksum = status.checksum { self[.checksum] = Base64.text(of: checksum, isStandard: true) }
  }
}

extension HTTPField.Name {
  fileprivate static let tusResumable = known("Tus-Resumable")
  fileprivate static let tusVersion = known("Tus-Version")
  fileprivate static let tusExtension = known("Tus-Extension")
  fileprivate static let tusChecksumAlgorithm = known("Tus-Checksum-Algorithm")
  fileprivate static let uploadOffset = known("Upload-Offset")
  fileprivate static let uploadLength = known("Upload-Length")
  fileprivate static let uploadMetadata = known("Upload-Metadata")
  fileprivate static let uploadChecksum = known("Upload-Checksum")
  fileprivate static let uploadExpires = known("Upload-Expires")
  fileprivate static let verified = known("Agonyfs-Verified")
  fileprivate static let finalName = known("Agonyfs-Name")
  fileprivate static let finalPath = known("Agonyfs-Path")
  fileprivate static let there = known("Agonyfs-There")
  fileprivate static let checksum = known("Agonyfs-Checksum")
}
