// Invariants
// 1. Of one file all attributes are changed or none.

package import Catalog

/// What a user wants to be different about a file.
package struct WordsChange: Equatable {
  package var addedTags: [String] = []
  package var removedTags: [String] = []
  /// The only tags from now on.
  package var tags: [String]?
  package var addedPeople: [String] = []
  package var removedPeople: [String] = []
  /// Fields of the user's own that are added, or get another text.
  package var fields: [OwnField] = []
  /// Attributes that get a value, and such that go.
  package var values: [UserWord: [UInt8]?] = [:]
  /// Whether the file becomes the cover of its album.
  package var isCover = false

  /// What is to be different about tags and people; nothing without.
  package init(
    addedTags: [String] = [], removedTags: [String] = [], tags: [String]? = nil, addedPeople: [String] = [],
    removedPeople: [String] = []
  ) {
    (self.addedTags, self.removedTags, self.tags) = (addedTags, removedTags, tags)
    (self.addedPeople, self.removedPeople) = (addedPeople, removedPeople)
  }

  /// Whether nothing is to be different.
  package var isEmpty: Bool { self == WordsChange() }

  /// Whether it needs to be known which tags the file itself has.
  package var concernsOwnTags: Bool { tags != nil || !removedTags.isEmpty }
  /// Whether tags change.
  package var concernsTags: Bool { concernsOwnTags || !addedTags.isEmpty }

  /// The attributes of a file that get another value; nil is for those that go.
  ///
  /// - Parameter current: those that it has.
  package func changes(of current: [UserWord: [UInt8]]) throws(WordsRefused) -> [UserWord: [UInt8]?] {
    var changes = values
    if concernsTags {
      let own = tags ?? WordList.tags(current[.tags] ?? [])
      let kept = WordList.without(own, called: removedTags)
      changes[.tags] = try UserWord.value(tags: WordList.unique(kept + addedTags))
      let wanted = (tags ?? []) + addedTags
      let without = WordList.without(WordList.tags(current[.without] ?? []), wanted)
      changes[.without] = try Self.some(without)
      // Without a tag of the user's there is nothing to say, unless that is what was said.
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

  /// The attributes of a file that have one value, or one of each name, which gets lost to another.
  package func replaced(of current: [UserWord: [UInt8]]) -> [UserWord] {
    let old = OwnField.list(in: current[.fields] ?? [])
    let losesField = fields.contains { new in old.contains { $0.key == new.key && $0.text != new.text } }
    let words = values.compactMap { word, value -> UserWord? in
      guard let old = current[word], !old.isEmpty, old != value else { return nil }
      return word
    }
    return losesField ? words + [.fields] : words
  }

  /// The further change if a file still has tags that it should not have: they are its own.
  ///
  /// - Parameters:
  ///   - current: the attributes after the first change.
  ///   - found: the tags that the catalog finds then; nil if it does not know the file yet.
  ///   - wasNone: whether the user had said before that it has no tag.
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
