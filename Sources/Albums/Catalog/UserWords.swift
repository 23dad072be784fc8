// What a person says about a photo: extended attributes, which file managers read and set as well. They are the only
// store of it; the catalog's row follows.

internal import Catalog
internal import Index
internal import System
internal import Vault

/// The extended attributes that say something about a photo.
package enum UserWords {
  /// Tags, separated by commas; they are added to those in the file. KDE's and Freedesktop's.
  package static let tags = "user.xdg.tags"
  /// Tags of the file that it does not have for the user, separated by commas.
  package static let without = "user.agonyfs.without"
  /// The caption.
  package static let comment = "user.xdg.comment"
  /// Half stars, 0 to 10. KDE's.
  package static let rating = "user.baloo.rating"
  package static let title = "user.agonyfs.title"
  /// 1 or 0.
  package static let favourite = "user.agonyfs.favourite"
  /// People, one a line; they are added to those in the file.
  package static let people = "user.agonyfs.people"
  /// As "2019-08-15T12:34:56+02:00".
  package static let taken = "user.agonyfs.taken"
  /// As "48.85,2.35"; "none" for no position.
  package static let position = "user.agonyfs.position"
  /// "apart", or a word that the files of a stack share.
  package static let stack = "user.agonyfs.stack"
  /// Fields of the user's own, one a line: `customer=4711`.
  package static let fields = "user.agonyfs.fields"
  /// 1 for a file that is nobody's duplicate.
  package static let distinct = "user.agonyfs.distinct"
  /// Of a directory: its cover, as `AlbumCover` has it.
  package static let cover = "user.agonyfs.cover"

  /// Those of files.
  static let ofFiles = [
    tags, without, comment, rating, title, favourite, people, taken, position, fields, stack,
    distinct,
  ]
  /// Those that a copy of a photo has as well: not what ties a file to others.
  static let copied = [tags, without, comment, rating, title, favourite, people, taken, position, fields]
  private static let known = Set((ofFiles + [cover]).map { Array($0.utf8) })
  private static let beginning = Array("user.".utf8)

  /// Whether an attribute says something about a photo.
  static func isOne(_ name: [UInt8]) -> Bool { name.starts(with: beginning) && known.contains(name) }

  /// The word of a stack that means none.
  static let apart = "apart"
}

extension MediaItem {
  /// Offers what a person said. Attributes that say nothing sensible do not count; an empty one takes away what the file
  /// says. Call it after everything else was offered.
  ///
  /// - Parameter attributes: texts by their names.
  /// - Returns: what is said about the stack and about duplicates.
  mutating func offer(
    attributes: [String: String], times: inout [TimeCandidate]
  ) -> (stackWord: String?, isDistinct: Bool) {
    func text(_ name: String) -> String? { attributes[name].map(Whitespace.trimmed) }
    // Before tags are taken away: what is not listed goes with the one that is.
    words.tags = TagList.distinct(words.tags)
    if let without = text(UserWords.without) {
      let gone = Set(Self.list(without, ",").map { $0.lowercased() })
      // What says so may be older than the backslash before a slash.
      words.tags.removeAll { gone.contains($0.lowercased()) || gone.contains(TagLevels.plain($0).lowercased()) }
      if words.tags.isEmpty { sources[.tags] = [] }
    }
    if let tags = text(UserWords.tags) {
      if tags.isEmpty {
        words.tags = []
        sources[.tags] = FactSources(.attribute)
      }
      offer(tags: Self.list(tags, ","), from: .attribute)
      words.tags = TagList.distinct(words.tags)
    }
    if let people = text(UserWords.people) {
      if people.isEmpty {
        words.people = []
        sources[.people] = FactSources(.attribute)
      }
      offer(people: Self.list(people, "\n"), from: .attribute)
    }
    override(\.words.caption, with: text(UserWords.comment), for: .caption, from: .attribute)
    override(\.words.title, with: text(UserWords.title), for: .title, from: .override)
    if let rating = text(UserWords.rating) {
      if let halves = Int(rating) {
        offer(halfStars: halves, from: .attribute)
      } else if rating.isEmpty {
        words.rating = nil
        sources[.rating] = FactSources(.attribute)
      }
    }
    if let flag = text(UserWords.favourite), ["0", "1", ""].contains(flag) {
      words.isFavourite = flag == "1"
      sources[.favourite] = FactSources(.override)
    }
    if let taken = text(UserWords.taken) {
      if taken.isEmpty { times = [] }
      if case .time(let value)? = FactValue(field: "taken", text: taken) {
        times.append(TimeCandidate(value, from: .override))
      }
    }
    if let position = text(UserWords.position) {
      if position.isEmpty || position == "none" {
        self.position = nil
        sources[.position] = FactSources(.override)
      } else if case .position(let value)? = FactValue(field: "position", text: position) {
        offer(value, for: .position, at: \.position, from: .override)
      }
    }
    if let fields = text(UserWords.fields) { words.fields = OwnField.list(in: Array(fields.utf8)) }
    let word = text(UserWords.stack).flatMap { $0.isEmpty ? nil : $0 }
    return (word, text(UserWords.distinct) == "1")
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
  /// The fields of the user's own of a photo whose row has these flags. No row has their texts: version 1.0.0 would not
  /// read it.
  func ownFields(of inode: InodeNumber, _ flags: ItemFlags) throws(IndexError) -> [OwnField] {
    guard flags.contains(.fields) || !flags.contains(.isExact),
      let value = try attributes.value(named: Array(UserWords.fields.utf8), of: inode)
    else { return [] }
    return OwnField.list(in: value)
  }
}
