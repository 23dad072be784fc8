// The directories of `.agonyfs/views`.
//
// Invariants
// 1. A directory is fully described by its family and number, which are in its node number; only the text of a search
//    is kept in a table (SearchTexts), whose numbers are never reused.
// 2. A number is below 2^52. Photos, terms and searches are numbered consecutively from 1.

internal import Catalog
internal import Media
package import Vault

/// A directory of `.agonyfs/views`.
package enum ViewFolder: Hashable, Sendable {
  case views
  /// `by-date` and the directories below it; months and days are numbers.
  case dates
  case year(UInt64)
  case month(year: UInt64, UInt64)
  case day(year: UInt64, month: UInt64, UInt64)
  /// Photos without a time.
  case undated
  /// Photos of a year, or of a month of it, without a more exact date.
  case undatedIn(year: UInt64, month: UInt64?)
  /// `by-place`; countries by the two bytes of their code, towns by the first term with their name.
  case places
  case country(UInt64)
  case town(UInt64)
  /// `by-tag`, and tags by their terms.
  case tags
  case tag(UInt64)
  /// `by-camera`, and cameras by their terms.
  case cameras
  case camera(UInt64)
  /// `by-type`, and formats by the numbers of `MediaKind`.
  case types
  case type(UInt64)
  /// `by-rating`, and ratings, −1 to 5, plus 2.
  case ratings
  case rating(UInt64)
  case favourites
  /// `duplicates`, and groups by their lowest inode.
  case duplicates
  case group(InodeNumber)
  /// `search`, and searches by their place in `SearchTexts`.
  case search
  case query(UInt64)

  /// The number of names on its path from the root of the mount.
  var depth: Int {
    switch self {
    case .views: 2
    case .dates, .places, .tags, .cameras, .types, .ratings, .favourites, .duplicates, .search: 3
    case .year, .undated, .country, .tag, .camera, .type, .rating, .group, .query: 4
    case .month, .town, .undatedIn(_, nil): 5
    case .day, .undatedIn: 6
    }
  }

  /// The depths at which directories of links are.
  static let linkDepths = 3...6

  /// Whether it contains links; otherwise it contains directories.
  package var hasLinks: Bool {
    switch self {
    case .day, .undated, .undatedIn, .town, .tag, .camera, .type, .rating, .favourites, .group, .query: true
    case .views, .dates, .year, .month, .places, .country, .tags, .cameras, .types, .ratings, .duplicates, .search:
      false
    }
  }

  /// The entries of a directory with fixed names, in the order of families and numbers.
  var fixedEntries: [(name: String, folder: ViewFolder)] {
    switch self {
    case .views:
      [
        ("by-date", .dates), ("by-place", .places), ("by-tag", .tags), ("by-camera", .cameras), ("by-type", .types),
        ("by-rating", .ratings), ("favourites", .favourites), ("duplicates", .duplicates), ("search", .search),
      ]
    case .types: MediaKind.catalogued.map { ($0.word, .type(UInt64($0.rawValue))) }
    case .ratings:
      [("rejected", .rating(1)), ("unrated", .rating(2))] + (1...5).map { ("\($0)", .rating(UInt64($0) + 2)) }
    default: []
    }
  }

  /// The bits of a number.
  static let numberBits: UInt64 = 52

  /// The family, below 16, and the number within it.
  var code: (family: UInt64, number: UInt64) {
    switch self {
    case .views: (0, 0)
    case .dates: (1, 0)
    case .undated: (1, 1)
    case .undatedIn(let year, let month): (11, year << 9 | (month ?? 0) << 5)
    case .year(let year): (1, year << 9)
    case .month(let year, let month): (1, year << 9 | month << 5)
    case .day(let year, let month, let day): (1, year << 9 | month << 5 | day)
    case .places: (2, 0)
    case .country(let country): (2, country)
    case .town(let term): (3, term)
    case .tags: (4, 0)
    case .tag(let term): (4, term)
    case .cameras: (5, 0)
    case .camera(let term): (5, term)
    case .types: (6, 0)
    case .type(let kind): (6, kind)
    case .ratings: (7, 0)
    case .rating(let stars): (7, stars)
    case .favourites: (8, 0)
    case .duplicates: (9, 0)
    case .group(let inode): (9, inode.rawValue)
    case .search: (10, 0)
    case .query(let number): (10, number)
    }
  }

  /// The directory with a code; nil if there is none.
  init?(family: UInt64, number: UInt64) {
    switch (family, number) {
    case (0, 0): self = .views
    case (1, 0): self = .dates
    case (1, 1): self = .undated
    case (1, _):
      let (year, month, day) = (number >> 9, number >> 5 & 15, number & 31)
      guard (1...9999).contains(year), month <= 12, month > 0 || day == 0 else { return nil }
      self = month == 0 ? .year(year) : day == 0 ? .month(year: year, month) : .day(year: year, month: month, day)
    case (2, 0): self = .places
    case (2, 1...0xFFFF): self = .country(number)
    case (3, 1...): self = .town(number)
    case (4, 0): self = .tags
    case (4, _): self = .tag(number)
    case (5, 0): self = .cameras
    case (5, _): self = .camera(number)
    case (6, 0): self = .types
    case (6, 1...255): self = .type(number)
    case (7, 0): self = .ratings
    case (7, 1...7): self = .rating(number)
    case (8, 0): self = .favourites
    case (9, 0): self = .duplicates
    case (9, _): self = .group(InodeNumber(rawValue: number))
    case (10, 0): self = .search
    case (10, _): self = .query(number)
    case (11, _):
      let (year, month) = (number >> 9, number >> 5 & 15)
      guard (1...9999).contains(year), month <= 12, number & 31 == 0 else { return nil }
      self = .undatedIn(year: year, month: month == 0 ? nil : month)
    default: return nil
    }
  }
}
