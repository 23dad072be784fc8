/// Counts answers in groups.
package struct Grouping: Sendable {
  private struct Group {
    /// How often each spelling comes.
    var titles: [String: Int] = [:]
    var count = 0
    var newest: SortPosition?
  }

  private let field: GroupField
  private var counted: [[UInt8]: Group] = [:]
  private var rest = Group()

  /// Nothing counted yet.
  package init(by field: GroupField) { self.field = field }

  /// The groups of the answers among some items.
  package static func of(_ items: some Sequence<MediaItem>, to query: Query, by field: GroupField) -> [AnswerGroup] {
    var grouping = Grouping(by: field)
    for item in items where query.answers(item) { grouping.add(item) }
    return grouping.groups()
  }

  /// Counts an item, once in each of its groups.
  package mutating func add(_ item: MediaItem) {
    let entries = field.entries(of: item)
    if entries.isEmpty { Self.count(item, in: &rest, title: nil, isFirst: true) }
    var seen = Set<[UInt8]>()
    for entry in entries {
      let isFirst = seen.insert(entry.key).inserted
      Self.count(item, in: &counted[entry.key, default: Group()], title: entry.title, isFirst: isFirst)
    }
  }

  private static func count(_ item: MediaItem, in group: inout Group, title: String?, isFirst: Bool) {
    if let title { group.titles[title, default: 0] += 1 }
    guard isFirst else { return }
    group.count += 1
    let position = SortOrder.standard.position(of: item)
    if group.newest.map({ position.precedes($0, in: .standard) }) ?? true { group.newest = position }
  }

  /// What was counted. Days, months, years and ratings begin with the highest, others with the largest group; items
  /// that have nothing here come last.
  package func groups() -> [AnswerGroup] {
    var all: [(key: [UInt8], group: AnswerGroup)] = counted.map { key, group in
      // The most usual spelling, and the first of equally usual ones.
      let title = group.titles.min { one, other in
        one.value != other.value ? one.value > other.value : one.key.utf8.lexicographicallyPrecedes(other.key.utf8)
      }
      return (key, answer(group, title: title?.key))
    }
    all.sort { one, other in
      if !field.isOrdered, one.group.count != other.group.count { return one.group.count > other.group.count }
      if field == .rating { return Self.number(one.key) > Self.number(other.key) }
      return field.isOrdered
        ? other.key.lexicographicallyPrecedes(one.key)
        : one.key.lexicographicallyPrecedes(other.key)
    }
    return all.map(\.group) + (rest.count > 0 ? [answer(rest, title: nil)] : [])
  }

  private static func number(_ key: [UInt8]) -> Int { Int(String(decoding: key, as: UTF8.self)) ?? 0 }

  private func answer(_ group: Group, title: String?) -> AnswerGroup {
    AnswerGroup(
      title: title, count: group.count, newest: group.newest?.inode ?? 0, query: field.query(title: title))
  }
}
