package import HostFiles
package import System

/// Where a file goes in a space.
struct Placement: Sendable {
  /// The album, below the album of the import.
  var album: [[UInt8]]
  var name: WantedName
  /// For a JSON of a Google Takeout, the number of the file that it describes. The JSON goes next to that file, under
  /// its name.
  var leader: Int?
  /// Its own number in a Google Takeout.
  var number: Int?
  /// Whether its album is kept although the import sorts by day.
  var isAlbumChosen = false
  /// What its JSON says about time and place, in the form that the sorter reads.
  var described: [UInt8]?
  /// The mark of the JSON that describes it (`TakeoutDescription.mark`).
  var description: Int?
  /// Whether its day is taken from the time of the file, because it states no other.
  var isDatedByFile = false
  /// Why it is left out; nil if it is not.
  var reason: SkipReason?
}

/// A file for which an album is chosen.
package struct SortedFile {
  package let name: [UInt8]
  package let status: FileStatus
  /// What its JSON says about time and place, in the form that the sorter reads.
  package let described: [UInt8]?
  /// Opens it; nil if it cannot be read.
  package let open: () -> Descriptor?

  /// A file of a group. `open` is called only when the sorter reads it, so that a large group needs few open files.
  package init(name: [UInt8], status: FileStatus, described: [UInt8]?, open: @escaping () -> Descriptor?) {
    self.name = name
    self.status = status
    self.described = described
    self.open = open
  }
}

/// The album chosen for a file.
package struct SortedAlbum: Hashable, Sendable {
  package var album: [[UInt8]]
  /// Whether it is a photo or video that was sorted by the time of its file, because it states no other.
  package var isDatedByFile: Bool

  /// An album, below the album of the import.
  package init(_ album: [[UInt8]], isDatedByFile: Bool = false) {
    self.album = album
    self.isDatedByFile = isDatedByFile
  }
}

/// Chooses albums by the metadata of files.
package protocol AlbumSorter: Sendable {
  /// The albums of a group's files, in the order of the files.
  func albums(of group: [SortedFile]) -> [SortedAlbum]
}
