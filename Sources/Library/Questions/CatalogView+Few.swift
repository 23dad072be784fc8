internal import Catalog
internal import Index
internal import SystemPackage
internal import Vault

/// Finds the few photos that can be answers, if the query allows it.
extension CatalogView {
  /// Up to this many candidates are looked at one by one.
  private static let fewPhotos = 2000
  /// The smallest set is compared with the others if it has at most this many photos.
  private static let mostCompared = 65_536
  /// Directories whose paths are searched for words, at most.
  private static let fewDirectories = 16_384

  /// The photos that contain all answers, if they are few; nil if all photos must be looked at.
  mutating func few(_ files: CatalogFiles) throws(Errno) -> [TimelineKey]? {
    var photos: InodeBits?
    for (set, words) in matcher.setsOfAll {
      var own = matcher.sets[set].bits
      guard photos != nil || own.count <= Self.mostCompared else { return nil }
      // If too many albums have the words, the other sets decide.
      if let words, try !insertPhotos(ofAlbumsWith: words, into: &own, files) { continue }
      own.formIntersection(photos ?? own)
      photos = own
    }
    guard let photos, photos.count <= Self.fewPhotos else { return nil }
    var keys: [TimelineKey] = []
    for photo in photos.numbers {
      var row = try CatalogWalk.row(of: photo, .fraction, files)
      if try CatalogWalk.next(&row, files) { keys.append(row.key) }
    }
    return keys
  }

  /// Adds the photos of all albums with words in their paths; false if there are too many.
  private mutating func insertPhotos(
    ofAlbumsWith words: WordPattern, into photos: inout InodeBits, _ files: CatalogFiles
  ) throws(Errno) -> Bool {
    let directories = try files.result(of: files.index.catalog.directories(after: nil, limit: Self.fewDirectories + 1))
    guard directories.count <= Self.fewDirectories else { return false }
    var room = Self.fewPhotos
    for directory in directories {
      guard let folder = try folders.folder(directory, files), folder.isVisible,
        words.matches(String(decoding: folder.path, as: UTF8.self))
      else { continue }
      let found = try files.result(of: files.index.catalog.files(in: directory, limit: room + 1))
      room -= found.count
      guard room >= 0 else { return false }
      for photo in found { photos.insert(photo) }
    }
    return true
  }
}
