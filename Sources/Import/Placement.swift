package import HostFiles
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
  /// What describes it, as the sorter reads it.
  var described: [UInt8]?
  /// What tells the bytes of the JSON that describes it from others.
  var description: Int?
  /// Whether its day is that of the file, for want of another.
  var isDatedByFile = false
  /// Why it is left out, if it is.
  var reason: SkipReason?
}

/// A file whose album is to be chosen.
package struct SortedFile {
  package let name: [UInt8]
  package let status: FileStatus
  /// What is said elsewhere about when and where it was taken, as the sorter reads it.
  package let described: [UInt8]?
  /// Opens it; nil if it cannot be read.
  package let open: () -> Descriptor?

  /// Files are opened one by one, however many belong together.
  package init(name: [UInt8], status: FileStatus, described: [UInt8]?, open: @escaping () -> Descriptor?) {
    self.name = name
    self.status = status
    self.described = described
    self.open = open
  }
}

/// What was chosen for a file.
package struct SortedAlbum: Hashable, Sendable {
  package var album: [[UInt8]]
  /// Whether it is a photo or video that goes to the day of its file, since nothing says when it was taken.
  package var isDatedByFile: Bool

  /// An album, below the one that everything goes into.
  package init(_ album: [[UInt8]], isDatedByFile: Bool = false) {
    self.album = album
    self.isDatedByFile = isDatedByFile
  }
}

/// Chooses albums by what files say.
package protocol AlbumSorter: Sendable {
  /// The albums of files that belong together, in the order of the files.
  func albums(of group: [SortedFile]) -> [SortedAlbum]
}
