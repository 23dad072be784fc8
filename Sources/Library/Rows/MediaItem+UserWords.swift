// The user's statements about a photo, in extended attributes. They are stored only there; the catalog's row is
// derived from them.

internal import Catalog
internal import Index
internal import System
internal import Vault

extension UserWord {
  /// The attributes of files.
  static let ofFiles = allCases.filter { $0 != .cover }
  /// The attributes that a copy of a photo gets too: not those that relate a file to others.
  static let copied = ofFiles.filter { $0 != .stack && $0 != .distinct }
  private static let known = Set(allCases.map(\.name))
  private static let beginning = Array("user.".utf8)

  /// Whether an extended attribute is one of these.
  static func isOne(_ name: [UInt8]) -> Bool { name.starts(with: beginning) && known.contains(name) }

  /// The value for a photo that the user took out of its stack.
  static let apart = "apart"
}

extension MediaItem {
  /// Applies the user's attributes. A malformed attribute is ignored; an empty one removes the value that the file
  /// states. Call this after all other facts were applied.
  ///
  /// - Parameter attributes: the text of each attribute.
  /// - Returns: the user's decisions about the stack and about duplicates.
  mutating func offer(
    attributes: [UserWord: String], times: inout [TimeCandidate]
  ) -> (stackWord: String?, isDistinct: Bool) {
    func text(_ word: UserWord) -> String? { attributes[word].map(Whitespace.trimmed) }
    // Before `without` is applied, so that removing a tag also removes the shorter forms of it that `distinct` drops.
    words.tags = TagList.distinct(words.tags)
    if let without = text(.without) {
      let gone = Set(Self.list(without, ",").map { $0.lowercased() })
      // An attribute may have been written before slashes were escaped by a backslash.
      words.tags.removeAll { gone.contains($0.lowercased()) || gone.contains(TagLevels.plain($0).lowercased()) }
      if words.tags.isEmpty { sources[.tags] = [] }
    }
    if let tags = text(.tags) {
      if tags.isEmpty {
        words.tags = []
        sources[.tags] = FactSources(.attribute)
      }
      offer(tags: Self.list(tags, ","), from: .attribute)
      words.tags = TagList.distinct(words.tags)
    }
    if let people = text(.people) {
      if people.isEmpty {
        words.people = []
        sources[.people] = FactSources(.attribute)
      }
      offer(people: Self.list(people, "\n"), from: .attribute)
    }
    override(\.words.caption, with: text(.caption), for: .caption, from: .attribute)
    override(\.words.title, with: text(.title), for: .title, from: .override)
    if let rating = text(.rating) {
      if let halves = Int(rating) {
        offer(halfStars: halves, from: .attribute)
      } else if rating.isEmpty {
        words.rating = nil
        sources[.rating] = FactSources(.attribute)
      }
    }
    if let flag = text(.favourite), ["0", "1", ""].contains(flag) {
      words.isFavourite = flag == "1"
      sources[.favourite] = FactSources(.override)
    }
    if let taken = text(.taken) {
      if taken.isEmpty { times = [] }
      if case .time(let value)? = FactValue(field: "taken", text: taken) {
        times.append(TimeCandidate(value, from: .override))
      }
    }
    if let position = text(.position) {
      if position.isEmpty || position == "none" {
        self.position = nil
        sources[.position] = FactSources(.override)
      } else if case .position(let value)? = FactValue(field: "position", text: position) {
        offer(value, for: .position, at: \.position, from: .override)
      }
    }
    if let fields = text(.fields) { words.fields = OwnField.list(in: Array(fields.utf8)) }
    let word = text(.stack).flatMap { $0.isEmpty ? nil : $0 }
    return (word, text(.distinct) == "1")
  }

  private mutating func override(
    _ path: WritableKeyPath<MediaItem, String?>, with text: String?, for field: MediaField, from source: FactSource
  ) {
    guard let text else { return }
    self[keyPath: path] = text.isEmpty ? nil : text
    sources[field] = FactSources(source)
  }

  private static func list(_ text: String, _ separator: Character) -> [String] {
    text.split(separator: separator).map { Whitespace.trimmed(String($0)) }.filter { !$0.isEmpty }
  }
}

extension Index {
  /// The user-defined fields of a photo whose row has these flags. Rows do not contain their texts, because version
  /// 1.0.0 could not read such rows.
  func ownFields(of inode: InodeNumber, _ flags: ItemFlags) throws(IndexError) -> [OwnField] {
    guard flags.contains(.fields) || !flags.contains(.isExact),
      let value = try attributes.value(named: UserWord.fields.name, of: inode)
    else { return [] }
    return OwnField.list(in: value)
  }
}
