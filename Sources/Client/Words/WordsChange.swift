// Invariants
// 1. For one file, either all attributes are changed or none.

package import Catalog

/// The changes that a user wants to make to the words about a file.
package struct WordsChange: Equatable {
  package var addedTags: [String] = []
  package var removedTags: [String] = []
  /// Replaces all tags; nil keeps them.
  package var tags: [String]?
  package var addedPeople: [String] = []
  package var removedPeople: [String] = []
  /// User-defined fields to add or to change.
  package var fields: [OwnField] = []
  /// Attributes with their new values; nil removes one.
  package var values: [UserWord: [UInt8]?] = [:]
  /// Whether the file becomes the cover of its album.
  package var isCover = false

  /// A change of tags and people; without arguments, no change.
  package init(
    addedTags: [String] = [], removedTags: [String] = [], tags: [String]? = nil, addedPeople: [String] = [],
    removedPeople: [String] = []
  ) {
    (self.addedTags, self.removedTags, self.tags) = (addedTags, removedTags, tags)
    (self.addedPeople, self.removedPeople) = (addedPeople, removedPeople)
  }

  /// Whether nothing changes.
  package var isEmpty: Bool { self == WordsChange() }

  /// Whether the change depends on the tags that the file itself states.
  package var concernsOwnTags: Bool { tags != nil || !removedTags.isEmpty }
  /// Whether tags change.
  package var concernsTags: Bool { concernsOwnTags || !addedTags.isEmpty }

  /// The attributes of a file that get another value; nil removes one. Throws if a new value is not allowed.
  ///
  /// - Parameter current: the current attributes.
  package func changes(of current: [UserWord: [UInt8]]) throws(WordsRefused) -> [UserWord: [UInt8]?] {
    var changes = values
    if concernsTags {
      let own = tags ?? WordList.tags(current[.tags] ?? [])
      let kept = WordList.without(own, called: removedTags)
      changes[.tags] = try UserWord.value(tags: WordList.unique(kept + addedTags))
      let wanted = (tags ?? []) + addedTags
      let without = WordList.without(WordList.tags(current[.without] ?? []), wanted)
      changes[.without] = try Self.some(without)
      // If no tag of the user is left, the attribute is removed, unless the user had stated that the file has none.
      if tags == nil, kept.isEmpty, addedTags.isEmpty, current[.tags]?.isEmpty != true {
        changes[.tags] = .some(nil)
      }
    }
    if !addedPeople.isEmpty || !removedPeople.isEmpty {
      let own = WordList.people(current[.people] ?? [])
      let list = WordList.unique(WordList.without(own, removedPeople) + addedPeople)
      changes[.people] = list.isEmpty ? .some(nil) : try UserWord.value(people: list)
    }
    if !fields.isEmpty {
      let keys = Set(fields.map(\.key))
      let kept = OwnField.list(in: current[.fields] ?? []).filter { !keys.contains($0.key) }
      changes[.fields] = try UserWord.value(fields: kept + fields)
    }
    return changes.filter { current[$0.key] != $0.value }
  }

  /// The attributes with a single value, or a value for each name, that the change would overwrite.
  package func replaced(of current: [UserWord: [UInt8]]) -> [UserWord] {
    let old = OwnField.list(in: current[.fields] ?? [])
    let losesField = fields.contains { new in old.contains { $0.key == new.key && $0.text != new.text } }
    let words = values.compactMap { word, value -> UserWord? in
      guard let old = current[word], !old.isEmpty, old != value else { return nil }
      return word
    }
    return losesField ? words + [.fields] : words
  }

  /// The second change, if a file still has unwanted tags after the first: the file itself states them. Throws if the
  /// list becomes too long.
  ///
  /// - Parameters:
  ///   - current: the attributes after the first change.
  ///   - found: the tags that the catalog then has; nil if it does not know the file yet.
  ///   - wasNone: whether the user had stated before that the file has no tag.
  package func furtherChanges(
    of current: [UserWord: [UInt8]], found: [String]?, wasNone: Bool
  ) throws(WordsRefused) -> [UserWord: [UInt8]?] {
    let own = WordList.tags(current[.tags] ?? [])
    var left: [String] = []
    if let found {
      let isWhole = tags != nil || wasNone
      left = WordList.without(found, own)
      if !isWhole { left = WordList.without(left, WordList.without(left, called: removedTags)) }
    } else {
      left = removedTags
    }
    let before = WordList.tags(current[.without] ?? [])
    let all = WordList.unique(before + left)
    return all == before ? [:] : [.without: try Self.some(all)]
  }

  private static func some(_ tags: [String]) throws(WordsRefused) -> [UInt8]? {
    tags.isEmpty ? nil : try UserWord.value(tags: tags)
  }
}
