// Invariants
// 1. A path that is shown works from where the user stands, if its space is mounted.

internal import Catalog
internal import Client
internal import Mount
internal import SystemPackage

/// Somebody who answers questions about the photos of a space.
protocol PhotoSource {
  /// The answer to a request.
  ///
  /// - Throws: `CommandFailure` with what is wrong with the request, or why there is no answer.
  func answer(to request: CatalogRequest) throws -> AnswerReader
}

/// The photos that a command was told to look at: those of a space, or of a directory in it.
struct PhotoLibrary {
  let source: any PhotoSource
  /// What stands before a path in the directory, with a slash at its end; empty if the space is not mounted.
  let prefix: [UInt8]
  /// The same for a path in the space.
  let wholePrefix: [UInt8]
  /// The path of the directory in the space; empty for all of it.
  let album: [UInt8]
  var isMounted: Bool { !wholePrefix.isEmpty }

  /// A space that is mounted.
  ///
  /// - Parameter path: its directory, or one in it, as the user gave it.
  init(_ place: SpacePlace, as path: [UInt8], source: any PhotoSource) {
    self.source = source
    prefix = Self.withSlash(path.first == UInt8(ascii: "-") ? Array("./".utf8) + path : path)
    wholePrefix = Self.withSlash(place.mountPoint)
    album = place.path
  }

  /// All of the mounted space that a place is in; paths are absolute.
  init(allOf place: SpacePlace) {
    source = MountedSource(mountPoint: place.mountPoint)
    prefix = Self.withSlash(place.mountPoint)
    wholePrefix = prefix
    album = []
  }

  /// A space that is not mounted.
  init(unmounted source: any PhotoSource) {
    self.source = source
    prefix = []
    wholePrefix = []
    album = []
  }

  private static func withSlash(_ path: [UInt8]) -> [UInt8] {
    path.last == UInt8(ascii: "/") ? path : path + [UInt8(ascii: "/")]
  }

  /// A path in the space as it is shown.
  func shown(_ path: some Collection<UInt8>) -> [UInt8] {
    if album.isEmpty { return prefix + path }
    let inside = album + [UInt8(ascii: "/")]
    return path.starts(with: inside) ? prefix + path.dropFirst(inside.count) : wholePrefix + path
  }

  /// Whether the directory is in a trash folder; then that is what is asked for.
  var isTrash: Bool {
    let first = String(decoding: album.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
    return first == ".Trash" || first.hasPrefix(".Trash-") && first.dropFirst(7).allSatisfy(\.isNumber)
  }

  /// A request for what a query finds in the directory, with everything else that is asked.
  func request(_ query: String, _ options: CatalogRequest = CatalogRequest()) -> CatalogRequest {
    var request = options
    request.query = query
    request.trash = isTrash
    request.within = album
    return request
  }

  /// Whether a query is understood. Commands ask once, before anything else; the source reads the text for itself.
  ///
  /// - Throws: `CommandFailure` that points at what is wrong.
  static func check(_ query: String) throws(CommandFailure) {
    do throws(QueryError) {
      _ = try QueryParser.parse(query, today: CivilDate.today())
    } catch {
      throw CommandFailure(error, in: query)
    }
  }

  /// Calls `body` for each photo that answers a request for facts.
  func records(_ request: CatalogRequest, _ body: (CatalogRecord) throws -> Void) throws -> AnswerTrailer {
    var reader = try source.answer(to: request)
    return try reader.lines { line in try body(CatalogRecord(line)) }
  }

  /// What is known about a file.
  ///
  /// - Parameter path: its path in the space.
  /// - Throws: `CommandFailure` if it is no photo or video, or not examined yet.
  func facts(of path: [UInt8]) throws -> CatalogRecord {
    var request = CatalogRequest()
    request.file = path
    var reader = try source.answer(to: request)
    let text = try reader.text()
    return try CatalogRecord(text.prefix { $0 != UInt8(ascii: "\n") })
  }

  /// Whether it is known of a file that it is neither a photo nor a video.
  func isNoPhoto(_ path: [UInt8]) -> Bool {
    do {
      _ = try facts(of: path)
      return false
    } catch {
      return (error as? CommandFailure)?.message == NoFacts.noPhoto.rawValue + "."
    }
  }
}
