internal import Catalog
internal import Client
internal import System

/// A request for photos in sections.
public struct SectionsRequest: Sendable {
  /// The criterion that forms sections.
  public enum Grouping: String, Sendable {
    case day, month, place, tag, album, type, none
  }

  /// The order, with the names that the catalog uses.
  public enum Order: String, Sendable {
    case time, name, size, rating
  }

  /// A query in the query language.
  public var query = ""
  /// The criterion that forms sections.
  public var grouping = Grouping.day
  /// The order of the photos.
  public var order = Order.time
  /// Whether the order is reversed.
  public var isReversed = false
  /// The directory of the photos; nil for all. With a query, the directories below it are searched as well.
  public var album: SpacePath?
  /// Whether to list the photos in the trash, and only those.
  public var isTrash = false
  /// A query that finds the photos that may be chosen; empty if all may.
  public var allowed = ""

  /// A request for all photos by day.
  public init() {}
}

extension Gallery {
  private static let mostPhotos = 4_000_000
  /// The most groups by place, tag, album or type. Photos of further groups are found by searching.
  private static let mostGroups = 1000

  /// The photos that match, in sections.
  ///
  /// - Throws: `.badRequest` with the range of the mistake if the query is invalid.
  public func snapshot(_ request: SectionsRequest) throws(GalleryError) -> Snapshot {
    try GalleryError.of("The catalog") {
      // Parsed separately, so that a mistake is located in the user's text and not in the extended query. The date does
      // not matter for that.
      do throws(QueryError) {
        _ = try QueryParser.parse(request.query, today: CivilDate(daysSince1970: 0))
      } catch {
        throw GalleryError(.badRequest, error.message + ".", at: Self.place(of: error.range, in: request.query))
      }
      var builder = SnapshotBuilder(request)
      let question = question(request)
      if !request.allowed.isEmpty { builder.allowed = try inodes(of: question, request.allowed) }
      switch request.grouping {
      case .day, .month, .none: try add(question, to: &builder, title: nil)
      case .place, .tag, .type:
        for group in try groups(of: question, by: request.grouping.rawValue) {
          guard let query = group.query else { continue }
          var part = question
          part.query = question.query + " " + query
          try add(part, to: &builder, title: group.title)
        }
      case .album:
        for group in try groups(of: question, by: request.grouping.rawValue) {
          // Selected by bytes: a query ignores the case of names, and cannot express names that are not text.
          let album = SpacePath(trusted: group.bytes)
          if let above = request.album, album != above, !album.isBelow(above) { continue }
          var part = question
          if group.bytes.isEmpty { part.query += " album:=/" } else { part.within = group.bytes }
          try add(part, to: &builder, title: group.title, only: album)
        }
      }
      return builder.snapshot()
    }
  }

  /// Converts a range of bytes to UTF-16 units.
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

  /// The inodes of the files that both a request and a query find.
  private func inodes(of question: CatalogRequest, _ query: String) throws -> Set<UInt64> {
    var question = question
    question.query += " " + query
    question.sort = nil
    var inodes: Set<UInt64> = []
    var reader = try ask(question)
    _ = try reader.tiles { _, inode, _ in _ = inodes.insert(inode) }
    return inodes
  }

  private func groups(
    of question: CatalogRequest, by field: String
  ) throws -> [(title: String, bytes: [UInt8], query: String?)] {
    var request = question
    request.format = .groups
    request.group = field
    request.sort = nil
    request.limit = Self.mostGroups
    var groups: [(title: String, bytes: [UInt8], query: String?)] = []
    try lines(request) { group in
      let title = group["title"]?.text ?? ""
      let bytes = group["titleBytes"]?.text.flatMap { Hexadecimal.bytes(of: $0.utf8) } ?? Array(title.utf8)
      groups.append((title, bytes, group["query"]?.text))
    }
    return groups
  }

  /// Adds the photos that a request finds, as a group if it has a title; with `album`, only those directly in it.
  private func add(
    _ question: CatalogRequest, to builder: inout SnapshotBuilder, title: String?, only album: SpacePath? = nil
  ) throws {
    var reader = try ask(question)
    builder.beginGroup(title)
    let trailer = try reader.tiles { tile, inode, path in
      if let album, SpacePath(trusted: Array(path)).parent != album { return }
      guard builder.count < Self.mostPhotos, builder.add(tile, inode: inode, path) else {
        throw GalleryError(.tooLarge, "Too many photos were requested; ask for fewer.")
      }
    }
    builder.pending = max(builder.pending, trailer.pending)
    builder.isExamining = trailer.isExamining
  }
}
