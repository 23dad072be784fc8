/// The field by which answers are grouped.
package enum GroupField: String, Sendable, CaseIterable {
  case day, month, year, place, region, country, tag, person, camera, lens, type, album, rating
}

/// One group of answers.
package struct AnswerGroup: Hashable, Sendable {
  /// The value that its items share, as text for the user; nil for items without a value.
  package var title: String?
  /// The bytes of an album's name if it is not UTF-8.
  package var titleBytes: [UInt8]?
  /// The number of its items. An item with two tags is in two groups.
  package var count: Int
  /// The inode of its newest item.
  package var newest: UInt64
  /// A query for its items, to be combined with the query of the question; nil for an album whose name is not UTF-8.
  package var query: String?
}

extension GroupField {
  /// The groups of an item: for each a key that identifies the group, and a title to show. Keys are folded if queries
  /// fold the field, so that a group's query finds exactly the group.
  func entries(of item: MediaItem) -> [(key: [UInt8], title: String)] {
    switch self {
    case .day: date(item, length: 10)
    case .month: date(item, length: 7)
    case .year: date(item, length: 4)
    case .place: item.place.map { [Self.folded($0.fullName)] } ?? []
    case .region: item.place.flatMap(\.regionName).map { [Self.folded($0)] } ?? []
    case .country: item.place.map { [Self.folded($0.country)] } ?? []
    case .tag: item.words.tags.map(Self.folded)
    case .person: item.words.people.map(Self.folded)
    case .camera: item.camera.name.map { [Self.folded($0)] } ?? []
    case .lens: item.camera.lens.map { [Self.folded($0)] } ?? []
    case .type: [Self.plain(item.kind.word)]
    case .album: item.names.map { (Array($0.album), $0.albumText) }
    case .rating: [Self.plain(String(item.words.rating ?? 0))]
    }
  }

  private static func folded(_ text: String) -> (key: [UInt8], title: String) {
    (Array(Folding.folded(text).utf8), text)
  }

  private static func plain(_ text: String) -> (key: [UInt8], title: String) { (Array(text.utf8), text) }

  private func date(_ item: MediaItem, length: Int) -> [(key: [UInt8], title: String)] {
    guard let wall = item.taken?.wall else { return [] }
    let date = wall.date
    let known = wall.precision == .year ? 4 : wall.precision == .month ? 7 : 10
    // A library of many years has thousands of days, so the date is written digit by digit.
    func digit(_ number: Int) -> UInt8 { UInt8(0x30 + number % 10) }
    let key = [
      digit(date.year / 1000), digit(date.year / 100), digit(date.year / 10), digit(date.year), 0x2D,
      digit(date.month / 10), digit(date.month), 0x2D, digit(date.day / 10), digit(date.day),
    ].prefix(min(length, known))
    return [(Array(key), String(decoding: key, as: UTF8.self))]
  }

  /// Whether groups are listed by their value, latest or highest first; otherwise the largest group is first.
  var isOrdered: Bool {
    switch self {
    case .day, .month, .year, .rating: true
    default: false
    }
  }

  func query(title: String?) -> String? {
    switch (self, title) {
    // Dates known only in part. Without `has:time` the query would also find photos dated by their file's time.
    case (.day, let title?) where title.utf8.count == 7: "has:time date:" + title + " -has:day"
    case (.day, let title?) where title.utf8.count == 4, (.month, let title?) where title.utf8.count == 4:
      "has:time date:" + title + " -has:month"
    case (.day, let title?), (.month, let title?), (.year, let title?): "date:" + title
    case (.day, nil), (.month, nil), (.year, nil): "-date:0001.."
    case (.type, let title?), (.rating, let title?): rawValue + ":" + title
    case (.album, ""): "album:=/"
    case (.place, let title?), (.region, let title?), (.country, let title?), (.tag, let title?), (.person, let title?),
      (.camera, let title?), (.lens, let title?), (.album, let title?):
      rawValue + ":=" + QueryQuoting.quoted(title)
    case (.place, nil), (.country, nil): "-has:place"
    case (.region, nil): "-region:*"
    case (.tag, nil): "-has:tags"
    case (.person, nil): "-has:people"
    case (.camera, nil): "-has:camera"
    case (.lens, nil): "-has:lens"
    case (.album, nil), (.type, nil), (.rating, nil): nil
    }
  }
}

/// Quotes texts for queries.
package enum QueryQuoting {
  /// A text in quotes, in which no character has a special meaning.
  package static func quoted(_ text: String) -> String {
    var view = "\"".unicodeScalars
    for scalar in text.unicodeScalars {
      if scalar == "\\" || QueryScanner.isQuote(scalar) { view.append("\\") }
      view.append(scalar)
    }
    view.append("\"")
    return String(view)
  }
}
