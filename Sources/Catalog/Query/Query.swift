package import Media

/// A question to the catalog, as it was understood. ``QueryParser`` makes it from a text.
package indirect enum Query: Hashable, Sendable {
  case all
  /// Every one holds.
  case and([Query])
  /// At least one holds.
  case or([Query])
  case not(Query)
  case condition(Condition)

  /// Something that is true or false of a photo.
  package enum Condition: Hashable, Sendable {
    /// Words in any of the item's texts.
    case words(WordPattern)
    case text(TextField, TextTest)
    /// A field of the user's own, by the key of its name (`OwnField.key`).
    case own(String, TextTest)
    /// Whether there is one, by the same.
    case hasOwn(String)
    /// A tag; one above it, or its last level, if `isExact` is false.
    case tag(Glob, isExact: Bool)
    case album(AlbumPattern)
    /// Code or name.
    case country(Glob)
    /// The region's name, or its name and the country's.
    case region(Glob)
    case codec(Glob)
    case kinds(Set<MediaKind>)
    case flag(Flag)
    case has(Presence)
    case number(NumberField, NumberRange)
    /// Wall clock seconds; nil is open. A month or a year that is all that is known is in them as a whole.
    case time(from: Int64?, before: Int64?)
    /// A month of any year, or a day of it.
    case anniversary(month: Int, day: Int?)
    case near(Position, metres: Double)
    /// The first hexadecimal digits of the content's hash, in lower case.
    case hash(String)
  }

  /// A field of words.
  package enum TextField: UInt8, Sendable, CaseIterable {
    case name = 1
    case title, caption, person, camera, lens, place
  }

  /// What a field of words is compared with.
  package enum TextTest: Hashable, Sendable {
    /// The words are somewhere in it.
    case words(WordPattern)
    /// The whole text has a form.
    case whole(Glob)
  }

  /// What `is:` asks for.
  package enum Flag: String, Sendable, CaseIterable {
    case favourite, stacked, live, motion, burst, raw, duplicate, edited, panorama, cover, rejected, trashed
  }

  /// What `has:` asks for.
  package enum Presence: String, Sendable, CaseIterable {
    case time, month, day, zone, gps, altitude, place, title, caption, tags, people, rating, camera, lens, sidecar
  }
}

extension Query {
  /// Whether trash is asked for or spoken of. Otherwise what is in a trash folder is no answer.
  package var mentionsTrash: Bool {
    switch self {
    case .all: false
    case .and(let parts), .or(let parts): parts.contains(where: \.mentionsTrash)
    case .not(let part): part.mentionsTrash
    case .condition(let condition): condition == .flag(.trashed)
    }
  }
}

/// Directories, by parts of their paths.
package struct AlbumPattern: Hashable, Sendable {
  package let components: [Glob]
  /// Whether the first component must be in the root.
  package let isRooted: Bool
  /// Whether nothing may follow, as in a path that is given as a whole.
  package let isExact: Bool

  /// Whether a directory, or one above it, is meant.
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
