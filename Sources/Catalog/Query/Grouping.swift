/// Counts answers in groups.
package struct Grouping: Sendable {
  private struct Group {
    let key: [UInt8]
    /// The count of each spelling: the first one, and others.
    var title: (text: String, count: Int)?
    var otherTitles: [String: Int] = [:]
    var count = 0
    var newest: SortPosition?

    mutating func count(_ title: String, _ times: Int) {
      if self.title == nil { self.title = (title, 0) }
      if self.title?.text == title { self.title?.count += times } else { otherTitles[title, default: 0] += times }
    }

    /// The most frequent spelling; among equally frequent ones, the first by its bytes.
    var mostUsualTitle: String? {
      guard let title, !otherTitles.isEmpty else { return title?.text }
      var all = otherTitles
      all[title.text] = title.count
      return all.min { one, other in
        one.value != other.value ? one.value > other.value : one.key.utf8.lexicographicallyPrecedes(other.key.utf8)
      }?.key
    }
  }

  private let field: GroupField
  /// In the order of arrival, which is nearly that of days, so that little is left to sort.
  private var counted: [Group] = []
  private var places: [[UInt8]: Int] = [:]
  private var rest = Group(key: [])

  /// Without answers yet.
  package init(by field: GroupField) { self.field = field }

  /// The groups of all answers among some items.
  package static func of(_ items: some Sequence<MediaItem>, to query: Query, by field: GroupField) -> [AnswerGroup] {
    var grouping = Grouping(by: field)
    for item in items where query.answers(item) { grouping.add(item) }
    return grouping.groups()
  }

  /// Counts an item, once in each of its groups.
  package mutating func add(_ item: MediaItem) {
    add(item, times: 1, newest: SortOrder.standard.position(of: item))
  }

  /// Counts several items that are in the same groups, by one of them, with the position of their newest.
  package mutating func add(_ item: MediaItem, times count: Int, newest: SortPosition) {
    self.count(field.entries(of: item), times: count, newest: newest)
  }

  private mutating func count(_ entries: [(key: [UInt8], title: String)], times: Int, newest: SortPosition) {
    if entries.isEmpty { Self.count(in: &rest, title: nil, isFirst: true, times: times, newest: newest) }
    var seen = Set<[UInt8]>()
    for entry in entries {
      let isFirst = entries.count == 1 || seen.insert(entry.key).inserted
      let place = place(of: entry.key)
      Self.count(in: &counted[place], title: entry.title, isFirst: isFirst, times: times, newest: newest)
    }
  }

  private mutating func place(of key: [UInt8]) -> Int {
    let place = places[key, default: counted.count]
    if place == counted.count {
      places[key] = place
      counted.append(Group(key: key))
    }
    return place
  }

  private static func count(
    in group: inout Group, title: String?, isFirst: Bool, times: Int, newest position: SortPosition
  ) {
    if let title { group.count(title, times) }
    guard isFirst else { return }
    group.count += times
    if group.newest.map({ position.precedes($0, in: .standard) }) ?? true { group.newest = position }
  }

  /// The counted groups. Days, months, years and ratings are sorted with the highest first, others with the largest
  /// first; items without a value come last.
  package func groups() -> [AnswerGroup] {
    let sorted = counted.sorted { one, other in
      if field == .rating { return Self.number(one.key) > Self.number(other.key) }
      if field.isOrdered { return other.key.lexicographicallyPrecedes(one.key) }
      return one.count != other.count ? one.count > other.count : one.key.lexicographicallyPrecedes(other.key)
    }
    var groups = sorted.map { answer($0, title: $0.mostUsualTitle) }
    if rest.count > 0 { groups.append(answer(rest, title: nil)) }
    return groups
  }

  private static func number(_ key: [UInt8]) -> Int { Int(String(decoding: key, as: UTF8.self)) ?? 0 }

  private func answer(_ group: Group, title: String?) -> AnswerGroup {
    let isText = field != .album || String(validating: group.key, as: UTF8.self) != nil
    return AnswerGroup(
      title: title, titleBytes: isText ? nil : group.key, count: group.count, newest: group.newest?.inode ?? 0,
      query: isText ? field.query(title: title) : nil)
  }
}
