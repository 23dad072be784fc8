internal import Catalog
internal import Client

/// What a browser asks for photos by.
public struct SectionsRequest: Sendable {
  /// What sections are made by.
  public enum Grouping: String, Sendable {
    case day, month, place, tag, none
  }

  /// The order, as the door has it.
  public enum Order: String, Sendable {
    case time, name, size, rating
  }

  /// As the query language has it.
  public var query = ""
  /// What sections are made by.
  public var grouping = Grouping.day
  /// The order of the photos.
  public var order = Order.time
  /// Whether the order is the other way round.
  public var isReversed = false
  /// The directory whose photos are asked for; nil for all. With a query those below it are looked through as well.
  public var album: SpacePath?
  /// Whether what is in the trash is asked for, and nothing else.
  public var isTrash = false
  /// A query that finds what may be chosen; empty if that is everything.
  public var allowed = ""

  /// All photos by day.
  public init() {}
}

extension Gallery {
  private static let mostPhotos = 4_000_000
  /// Most sections by place or tag. The others are found by searching.
  private static let mostGroups = 1000

  /// The photos that answer, in sections.
  ///
  /// - Throws: `.badRequest` with the place of the mistake if the query is not understood.
  public func snapshot(_ request: SectionsRequest) throws(GalleryError) -> Snapshot {
    try GalleryError.of("Asking the catalog") {
      // A mistake is shown in what the user wrote, not in what is asked. Any day does to find one.
      do throws(QueryError) {
        _ = try QueryParser.parse(request.query, today: CivilDate(daysSince1970: 0))
      } catch {
        throw GalleryError(.badRequest, error.message + ".", at: Self.place(of: error.range, in: request.query))
      }
      var builder = SnapshotBuilder(request)
      let question = question(request)
      if !request.allowed.isEmpty { builder.allowed = try inodes(of: question, request.allowed) }
      if request.grouping == .place || request.grouping == .tag {
        for (title, query) in try groups(of: question, by: request.grouping.rawValue) {
          var part = question
          part.query = question.query + " " + query
          try add(part, to: &builder, title: title)
        }
      } else {
        try add(question, to: &builder, title: nil)
      }
      return builder.snapshot()
    }
  }

  /// UTF-16 units for bytes.
  private static func place(of bytes: Range<Int>, in query: String) -> Range<Int> {
    let text = Array(query.utf8)
    let low = min(max(bytes.lowerBound, 0), text.count)
    let high = min(max(bytes.upperBound, low), text.count)
    let start = String(decoding: text[..<low], as: UTF8.self).utf16.count
    return start..<start + String(decoding: text[low..<high], as: UTF8.self).utf16.count
  }

  private func question(_ request: SectionsRequest) -> CatalogRequest {
    var question = CatalogRequest(format: .tiles, query: request.query)
    question.sort = (request.isReversed ? "-" : "") + request.order.rawValue
    if request.isTrash {
      question.trash = true
      question.query = "is:trashed " + question.query
    }
    if let album = request.album { question.within = album.bytes }
    return question
  }

  /// The files that a question finds of which a query holds as well.
  private func inodes(of question: CatalogRequest, _ query: String) throws -> Set<UInt64> {
    var question = question
    question.query += " " + query
    question.sort = nil
    var inodes: Set<UInt64> = []
    var reader = try ask(question)
    _ = try reader.tiles { _, inode, _ in _ = inodes.insert(inode) }
    return inodes
  }

  private func groups(of question: CatalogRequest, by field: String) throws -> [(title: String, query: String)] {
    var request = question
    request.format = .groups
    request.group = field
    request.sort = nil
    request.limit = Self.mostGroups
    var groups: [(String, String)] = []
    try lines(request) { group in
      if let query = group["query"]?.text { groups.append((group["title"]?.text ?? "", query)) }
    }
    return groups
  }

  private func add(_ question: CatalogRequest, to builder: inout SnapshotBuilder, title: String?) throws {
    var reader = try ask(question)
    builder.beginGroup(title)
    let trailer = try reader.tiles { tile, inode, path in
      guard builder.count < Self.mostPhotos, builder.add(tile, inode: inode, path) else {
        throw GalleryError(.tooLarge, "These are too many photos; ask for fewer.")
      }
    }
    builder.pending = max(builder.pending, trailer.pending)
    builder.isExamining = trailer.isExamining
  }
}
