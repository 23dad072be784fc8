/// A part of an answer.
package struct AnswerPage: Sendable {
  /// The items, in order.
  package var items: [MediaItem]
  /// Where the next page begins; nil if this is the last.
  package var next: Cursor?

  /// The answers among some items that come after a cursor, at most `limit`. An item that is added or taken away
  /// between two pages changes nothing for the others: none comes twice and none is missed, as long as its own key
  /// stays. Not much more than twice the limit is held at a time, however many answers there are.
  package static func of(
    _ items: some Sequence<MediaItem>, to query: Query, order: SortOrder = .standard, after cursor: Cursor? = nil,
    limit: Int
  ) -> AnswerPage {
    if limit <= 0 { return AnswerPage(items: [], next: cursor) }
    var found: [(position: SortPosition, item: MediaItem)] = []
    // One more than the limit tells whether there is a next page.
    let kept = min(limit, .max / 4) + 1
    var last: SortPosition?
    func cut() {
      found.sort { $0.position.precedes($1.position, in: order) }
      if found.count > kept { found.removeSubrange(kept...) }
      if found.count == kept { last = found.last?.position }
    }
    for item in items where query.answers(item) {
      let position = order.position(of: item)
      if let cursor, !cursor.position.precedes(position, in: order) { continue }
      if let last, !position.precedes(last, in: order) { continue }
      found.append((position, item))
      if found.count >= 2 * kept + 100 { cut() }
    }
    cut()
    let page = found.prefix(limit)
    return AnswerPage(
      items: page.map(\.item),
      next: found.count > limit ? page.last.map { Cursor(order: order, position: $0.position) } : nil)
  }
}
