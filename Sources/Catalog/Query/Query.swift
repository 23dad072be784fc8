package import Media

/// A parsed question to the catalog. ``QueryParser`` makes it from a text.
package indirect enum Query: Hashable, Sendable {
  case all
  /// All of the parts hold.
  case and([Query])
  /// At least one part holds.
  case or([Query])
  case not(Query)
  case condition(Condition)

  /// A condition that holds for a photo or does not.
  package enum Condition: Hashable, Sendable {
    /// Words in any of the item's texts.
    case words(WordPattern)
    case text(TextField, TextTest)
    /// A user-defined field, by the key of its name (`OwnField.key`).
    case own(String, TextTest)
    /// Whether the photo has a user-defined field, by its key.
    case hasOwn(String)
    /// A tag; without `isExact` also a tag above it, or its last level.
    case tag(Glob, isExact: Bool)
    case album(AlbumPattern)
    /// The country's code or name.
    case country(Glob)
    /// The region's name, or its name and the country's.
    case region(Glob)
    case codec(Glob)
    case kinds(Set<MediaKind>)
    case flag(Flag)
    case has(Presence)
    case number(NumberField, NumberRange)
    /// Seconds of the wall clock; nil is an open end. A time known only to the month or year matches if all of that
    /// lies inside.
    case time(from: Int64?, before: Int64?)
    /// A month in any year, or a day in it.
    case anniversary(month: Int, day: Int?)
    case near(Position, metres: Double)
    /// The first hexadecimal digits of the content's hash, in lower case.
    case hash(String)
  }

  /// A text field.
  package enum TextField: UInt8, Sendable, CaseIterable {
    case name = 1
    case title, caption, person, camera, lens, place
  }

  /// The test of a text field.
  package enum TextTest: Hashable, Sendable {
    /// The text contains the words.
    case words(WordPattern)
    /// The whole text matches the pattern.
    case whole(Glob)
  }

  /// The flags for `is:`.
  package enum Flag: String, Sendable, CaseIterable {
    case favourite, stacked, live, motion, burst, raw, duplicate, edited, panorama, cover, rejected, trashed
  }

  /// The facts for `has:`.
  package enum Presence: String, Sendable, CaseIterable {
    case time, month, day, zone, gps, altitude, place, title, caption, tags, people, rating, camera, lens, sidecar
  }
}

extension Query {
  /// Whether the query mentions trash. Otherwise photos in a trash folder do not answer.
  package var mentionsTrash: Bool {
    switch self {
    case .all: false
    case .and(let parts), .or(let parts): parts.contains(where: \.mentionsTrash)
    case .not(let part): part.mentionsTrash
    case .condition(let condition): condition == .flag(.trashed)
    }
  }
}

/// Selects directories by parts of their paths.
package struct AlbumPattern: Hashable, Sendable {
  package let components: [Glob]
  /// Whether the first component must be in the root.
  package let isRooted: Bool
  /// Whether the path must end with the last component, as when the whole path is given.
  package let isExact: Bool

  /// Whether the pattern matches a directory, or one above it.
  package func matches(_ album: String) -> Bool {
    let path = album.utf8.split(separator: UInt8(ascii: "/")).map { Folding.fold(String(decoding: $0, as: UTF8.self)) }
    guard path.count >= components.count else { return false }
    let starts = isRooted ? 0...0 : 0...(path.count - components.count)
    return starts.contains { start in
      (!isExact || start + components.count == path.count)
        && components.indices.allSatisfy { components[$0].matches(path[start + $0][...]) }
    }
  }
}
