package import System

/// Where a file belongs in a space.
struct Placement: Sendable {
  /// The album, below the one that everything goes into.
  var album: [[UInt8]]
  var name: WantedName
  /// The number of the file in a Google Takeout that it describes: it goes where that one goes, under its name.
  var leader: Int?
  /// Its own number in a Google Takeout.
  var number: Int?
  /// Whether its album counts more than its day.
  var isAlbumChosen = false
  /// When it was taken by what describes it, in seconds since 1970.
  var taken: Int64?
  /// Why it is left out, if it is.
  var reason: SkipReason?
}

/// What an album is chosen by.
package struct TakenDay: Hashable, Sendable {
  /// The day on which something was taken; nil if nobody knows.
  package var date: Date?
  /// The lowest counts for all that belongs together.
  package var rank: Int

  /// A date on the wall.
  package struct Date: Hashable, Sendable {
    package var year: Int
    package var month: Int
    package var day: Int

    /// A date of the Gregorian calendar.
    package init(year: Int, month: Int, day: Int) {
      self.year = year
      self.month = month
      self.day = day
    }
  }

  /// A day, and how much it counts.
  package init(date: Date?, rank: Int) {
    self.date = date
    self.rank = rank
  }
}

/// Chooses albums by what files say.
package protocol AlbumSorter: Sendable {
  /// When a file was taken.
  ///
  /// - Parameters:
  ///   - file: the open file; nil if it cannot be opened.
  ///   - described: what is said about it elsewhere, in seconds since 1970.
  func day(of file: Descriptor?, name: [UInt8], _ status: FileStatus, described: Int64?) -> TakenDay

  /// The albums of files that belong together.
  func albums(of days: [TakenDay]) -> [[[UInt8]]]
}
