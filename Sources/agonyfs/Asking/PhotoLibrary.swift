// Invariants
// 1. A path that is shown is valid in the user's working directory while its space is mounted.

internal import Catalog
internal import Client
internal import Mount
internal import SystemPackage

/// Answers requests about the photos of a space.
protocol PhotoSource {
  /// Answers a request.
  ///
  /// - Throws: `CommandFailure` that says what is wrong with the request, or why there is no answer.
  func answer(to request: CatalogRequest) throws -> AnswerReader
}

/// The photos that a command works on: those of a space, or of a directory in it.
struct PhotoLibrary {
  let source: any PhotoSource
  /// The prefix of a shown path in the directory, ending with a slash; empty if the space is not mounted.
  let prefix: [UInt8]
  /// The prefix of a shown path elsewhere in the space.
  let wholePrefix: [UInt8]
  /// The path of the directory in the space; empty for the whole space.
  let album: [UInt8]
  var isMounted: Bool { !wholePrefix.isEmpty }

  /// A mounted space.
  ///
  /// - Parameter path: the mount point or a directory in it, as the user gave it.
  init(_ place: SpacePlace, as path: [UInt8], source: any PhotoSource) {
    self.source = source
    prefix = Self.withSlash(path.first == UInt8(ascii: "-") ? Array("./".utf8) + path : path)
    wholePrefix = Self.withSlash(place.mountPoint)
    album = place.path
  }

  /// The whole mounted space that contains a place; paths are absolute.
  init(allOf place: SpacePlace) {
    source = MountedSource(mountPoint: place.mountPoint)
    prefix = Self.withSlash(place.mountPoint)
    wholePrefix = prefix
    album = []
  }

  /// A space without a mount.
  init(unmounted source: any PhotoSource) {
    self.source = source
    prefix = []
    wholePrefix = []
    album = []
  }

  private static func withSlash(_ path: [UInt8]) -> [UInt8] {
    path.last == UInt8(ascii: "/") ? path : path + [UInt8(ascii: "/")]
  }

  /// The path that the user sees for a path in the space.
  func shown(_ path: some Collection<UInt8>) -> [UInt8] {
    if album.isEmpty { return prefix + path }
    let inside = album + [UInt8(ascii: "/")]
    return path.starts(with: inside) ? prefix + path.dropFirst(inside.count) : wholePrefix + path
  }

  /// Whether the directory is in a trash folder; then requests ask for deleted photos.
  var isTrash: Bool {
    let first = String(decoding: album.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self)
    return first == ".Trash" || first.hasPrefix(".Trash-") && first.dropFirst(7).allSatisfy(\.isNumber)
  }

  /// A request for the photos in the directory that match a query, with the given options.
  func request(_ query: String, _ options: CatalogRequest = CatalogRequest()) -> CatalogRequest {
    var request = options
    request.query = query
    request.trash = isTrash
    request.within = album
    return request
  }

  /// Checks a query. Commands check once, before anything else; the source parses the text itself.
  ///
  /// - Throws: `CommandFailure` that points at the mistake.
  static func check(_ query: String) throws(CommandFailure) {
    do throws(QueryError) {
      _ = try QueryParser.parse(query, today: CivilDate.today())
    } catch {
      throw CommandFailure(error, in: query)
    }
  }

  /// Calls `body` for each photo in the answer to a request for facts.
  func records(_ request: CatalogRequest, _ body: (CatalogRecord) throws -> Void) throws -> AnswerTrailer {
    var reader = try source.answer(to: request)
    return try reader.lines { line in try body(CatalogRecord(line)) }
  }

  /// The facts about a file.
  ///
  /// - Parameter path: the file's path in the space.
  /// - Throws: `CommandFailure` if it is not a photo or video, or not examined yet.
  func facts(of path: [UInt8]) throws -> CatalogRecord {
    var request = CatalogRequest()
    request.file = path
    var reader = try source.answer(to: request)
    let text = try reader.text()
    return try CatalogRecord(text.prefix { $0 != UInt8(ascii: "\n") })
  }

  /// Whether a file is known to be neither a photo nor a video.
  func isNoPhoto(_ path: [UInt8]) -> Bool {
    do {
      _ = try facts(of: path)
      return false
    } catch {
      return (error as? CommandFailure)?.message == NoFacts.noPhoto.rawValue + "."
    }
  }
}
