/// A rule by which a file of a Google Takeout gets its JSON, the surest first.
package enum TakeoutRule: UInt8, Hashable, Sendable, CaseIterable {
  /// `X.jpg.json`.
  case exactName
  /// `X.jpg.supplemental-metadata.json`, or a beginning of that.
  case supplemental
  /// `X.jpg(1).json` or `X.jpg.supplemental-metadata(1).json` for `X(1).jpg`.
  case index
  /// The title inside.
  case title
  /// Takeout cut the name.
  case cutName
  /// The ending, or a part of it, is on one side only: `X.json` for `X.jpg`.
  case missingEnding
  /// The video of a live photo has its photo's, or the other way round if the title says so.
  case livePhoto
  /// An edited version has its original's.
  case edited
}

/// What became of a file of a Google Takeout. Numbers are those that ``TakeoutTree/add(path:part:title:)`` gave.
package enum TakeoutState: Hashable, Sendable {
  /// A file that is described by a JSON.
  case matched(json: Int, rule: TakeoutRule)
  /// A file that no JSON describes.
  case unmatched
  /// A JSON that describes some files, at least one.
  case used(files: Int)
  /// A JSON that describes the album that it lies in.
  case albumMetadata
  /// A JSON of the account: orders, comments, titles of memories.
  case accountMetadata
  /// A JSON that describes nothing that is there.
  case unused
}

/// What a directory of a Google Takeout is.
package enum TakeoutDirectoryKind: Hashable, Sendable {
  /// One of those that have all photos, each once.
  case year(Int)
  /// An album; what is in it is in the directory of its year as well. The number is that of its JSON.
  case album(metadata: Int)
  /// What the user threw away.
  case trash
  /// Anything else.
  case other
}

/// A directory of a Google Takeout, of all parts that have it.
package struct TakeoutDirectory: Hashable, Sendable {
  /// Its path below "Google Photos", or that of the source where there is no such directory.
  package let path: [UInt8]
  package let kind: TakeoutDirectoryKind
}

/// How many files there are of each state. The sum is the number of files.
package struct TakeoutCounts: Hashable, Sendable {
  package var matched = 0
  package var unmatched = 0
  package var used = 0
  package var albumMetadata = 0
  package var accountMetadata = 0
  package var unused = 0

  /// All of them.
  package var total: Int { matched + unmatched + used + albumMetadata + accountMetadata + unused }
}

/// What belongs to what in a Google Takeout.
package struct TakeoutMatches: Sendable {
  /// The state of each file, by its number.
  package let states: [TakeoutState]
  /// The directories, by their paths.
  package let directories: [TakeoutDirectory]
  /// The place of each file's directory in `directories`, by the file's number.
  package let directoryOfFile: [Int32]
  /// Whether it is a Takeout at all.
  package let isTakeout: Bool
  /// All files that are no JSON, in an order in which a file of an album follows what it may be a second occurrence of:
  /// years, other directories, albums, trash; in each by path.
  package let order: [Int]

  /// The directory of a file.
  package func directory(of file: Int) -> TakeoutDirectory { directories[Int(directoryOfFile[file])] }

  /// Whether a file has a JSON, or a JSON a file.
  func isDescribed(_ file: Int) -> Bool {
    switch states[file] {
    case .matched, .used: true
    case .unmatched, .albumMetadata, .accountMetadata, .unused: false
    }
  }

  /// How many files there are of each state.
  package var counts: TakeoutCounts {
    var counts = TakeoutCounts()
    for state in states {
      switch state {
      case .matched: counts.matched += 1
      case .unmatched: counts.unmatched += 1
      case .used: counts.used += 1
      case .albumMetadata: counts.albumMetadata += 1
      case .accountMetadata: counts.accountMetadata += 1
      case .unused: counts.unused += 1
      }
    }
    return counts
  }
}
