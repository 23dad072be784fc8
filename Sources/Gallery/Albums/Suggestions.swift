internal import Catalog
internal import Client
internal import Synchronization
internal import System

/// A suggestion for completing a search.
public struct Suggestion: Equatable, Sendable {
  /// The text that is shown.
  public var text: String
  /// `tag`, `person`, `place`, `camera` or `album`.
  public var kind: String
  /// The query that finds it.
  public var query: String
  /// The number of photos that the query finds.
  public var count: Int
}

/// A short-lived cache of everything in a space that is suggested for searches.
final class SuggestionTable: Sendable {
  struct Entry: Sendable {
    var suggestion: Suggestion
    var folded: String
  }

  private let kept: Mutex<(entries: [Entry], until: Int64)> = Mutex(([], .min))
  /// How long the cache is used, in seconds.
  private static let seconds: Int64 = 30

  /// The cached entries, or those that `body` returns if the cache is too old.
  func entries(_ body: () throws -> [Entry]) rethrows -> [Entry] {
    let now = monotonicSeconds()
    if let entries = kept.withLock({ $0.until > now ? $0.entries : nil }) { return entries }
    let entries = try body()
    kept.withLock { $0 = (entries, now + Self.seconds) }
    return entries
  }
}

extension Gallery {
  private static let kinds = ["tag", "person", "place", "camera", "album"]
  /// The most groups of each kind that are read.
  private static let mostGroups = 5000
  private static let most = 12

  /// Completions of the text in a search field: first entries that begin with it, then entries with a word that does.
  public func suggestions(for text: String) throws(GalleryError) -> [Suggestion] {
    let wanted = Folding.folded(Whitespace.trimmed(text))
    guard !wanted.isEmpty else { return [] }
    return try GalleryError.of("The catalog") {
      let entries = try suggestionTable.entries { try Self.kinds.flatMap { try suggestions(of: $0) } }
      let first = entries.filter { $0.folded.hasPrefix(wanted) }
      let second = entries.filter { !$0.folded.hasPrefix(wanted) && $0.folded.contains(" " + wanted) }
      return [first, second].flatMap { part in
        part.map(\.suggestion).sorted { ($1.count, $0.text) < ($0.count, $1.text) }
      }.prefix(Self.most).map { $0 }
    }
  }

  private func suggestions(of kind: String) throws -> [SuggestionTable.Entry] {
    var request = CatalogRequest(format: .groups)
    request.group = kind
    request.limit = Self.mostGroups
    var entries: [SuggestionTable.Entry] = []
    try lines(request) { group in
      guard let title = group["title"]?.text, !title.isEmpty, let query = group["query"]?.text,
        let count = group["count"]?.whole
      else { return }
      let suggestion = Suggestion(text: title, kind: kind, query: query, count: count)
      let words =
        kind == "tag"
        ? TagLevels.all(of: title).map { TagLevels.plain($0) }.joined(separator: " ") : title.replacing("/", with: " ")
      entries.append(.init(suggestion: suggestion, folded: Folding.folded(words)))
    }
    return entries
  }
}
