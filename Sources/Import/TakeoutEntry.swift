/// The rule that matched a file of a Google Takeout with its JSON, the most certain first.
package enum TakeoutRule: UInt8, Hashable, Sendable, CaseIterable {
  /// `X.jpg.json`.
  case exactName
  /// `X.jpg.supplemental-metadata.json`, or a shortened form of that.
  case supplemental
  /// `X.jpg(1).json` or `X.jpg.supplemental-metadata(1).json` for `X(1).jpg`.
  case index
  /// The title in the JSON.
  case title
  /// A name that Takeout cut.
  case cutName
  /// The ending, or a part of it, is missing in one of the names: `X.json` for `X.jpg`.
  case missingEnding
  /// The video of a live photo shares the photo's JSON, or the photo shares the video's if the title says so.
  case livePhoto
  /// An edited version shares its original's JSON.
  case edited
}

/// The result for a file of a Google Takeout. Numbers are those that ``TakeoutTree/add(path:part:title:)`` returned.
package enum TakeoutState: Hashable, Sendable {
  /// A file that a JSON describes.
  case matched(json: Int, rule: TakeoutRule)
  /// A file that no JSON describes.
  case unmatched
  /// A JSON that describes at least one file; `files` is their number.
  case used(files: Int)
  /// A JSON that describes the album that contains it.
  case albumMetadata
  /// A JSON of the account: orders, comments, titles of memories.
  case accountMetadata
  /// A JSON that describes no file of the Takeout.
  case unused
}

/// The kind of a directory of a Google Takeout.
package enum TakeoutDirectoryKind: Hashable, Sendable {
  /// A year. The years together have every photo once.
  case year(Int)
  /// An album, whose photos are in the directories of their years as well. `metadata` is the number of its JSON.
  case album(metadata: Int)
  /// The trash.
  case trash
  /// Any other directory.
  case other
}

/// A directory of a Google Takeout, in all parts that have it.
package struct TakeoutDirectory: Hashable, Sendable {
  /// Its path below "Google Photos", or its path in the source if there is no such directory.
  package let path: [UInt8]
  package let kind: TakeoutDirectoryKind
}

/// The number of files of each state. The sum is the number of all files.
package struct TakeoutCounts: Hashable, Sendable {
  package var matched = 0
  package var unmatched = 0
  package var used = 0
  package var albumMetadata = 0
  package var accountMetadata = 0
  package var unused = 0

  /// The sum.
  package var total: Int { matched + unmatched + used + albumMetadata + accountMetadata + unused }
}

/// Which JSON describes which file of a Google Takeout.
package struct TakeoutMatches: Sendable {
  /// The state of each file, by its number.
  package let states: [TakeoutState]
  /// The directories, sorted by path.
  package let directories: [TakeoutDirectory]
  /// The index in `directories` of each file's directory, by the file's number.
  package let directoryOfFile: [Int32]
  /// Whether the sources are a Takeout at all.
  package let isTakeout: Bool
  /// All files except JSONs, in an order in which a photo in an album follows its first occurrence elsewhere: years,
  /// other directories, albums, trash; within each by path.
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

  /// The number of files of each state.
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
