// The directories that contain the names of answers.
//
// Invariants
// 1. A name is visible to a user who may search every directory above it, and read the directory that contains it.
//    The right to read the file itself is checked elsewhere.
// 2. A directory that is not connected to the root, which only damage causes, contains no visible names.

internal import Albums
internal import Index
internal import SystemPackage
internal import Vault

struct CatalogFolder {
  /// The path from the root, without a slash at either end; empty for the root.
  var path: [UInt8]
  /// Whether the directory itself and everything above it may be searched.
  var isSearchable: Bool
  /// Whether the names in it are visible (invariant 1).
  var isVisible: Bool
  /// Whether it is a trash folder, or inside one.
  var isTrash: Bool
}

/// The known directories, for one user and one moment.
struct CatalogFolders {
  let opener: Opener
  private var known: [InodeNumber: CatalogFolder?] = [:]

  /// The cache is emptied when it has more directories than this.
  private static let limit = 65_536
  /// Deeper than any path.
  private static let mostLevels = 4096

  init(for opener: Opener) { self.opener = opener }

  /// A directory; nil if it is not connected to the root.
  mutating func folder(_ number: InodeNumber, _ files: CatalogFiles) throws(Errno) -> CatalogFolder? {
    if let folder = known[number] { return folder }
    if known.count > Self.limit { known.removeAll(keepingCapacity: true) }
    // Climbs until a known directory is reached.
    var climbed: [(number: InodeNumber, record: InodeRecord, name: FileName)] = []
    var place = number
    var above: CatalogFolder?
    while true {
      if let folder = known[place] {
        above = folder
        break
      }
      guard let record = try files.record(place), record.mode & FileKind.mask == FileKind.directory else {
        break
      }
      if place == .root {
        let mayEnter = try files.may(opener, .search, record)
        let mayList = try files.may(opener, .read, record)
        above = CatalogFolder(path: [], isSearchable: mayEnter, isVisible: mayEnter && mayList, isTrash: false)
        known[place] = .some(above)
        break
      }
      guard climbed.count < Self.mostLevels,
        let entry = try files.result(of: files.index.catalog.names(of: place, limit: 1)).first
      else { break }
      climbed.append((place, record, entry.name))
      place = entry.parent
    }
    for (number, record, name) in climbed.reversed() {
      above = try above.map { parent throws(Errno) in try child(name, record, of: parent, files) }
      known[number] = .some(above)
    }
    if climbed.isEmpty, above == nil { known[number] = .some(nil) }
    return above
  }

  private func child(
    _ name: FileName, _ record: InodeRecord, of parent: CatalogFolder, _ files: CatalogFiles
  ) throws(Errno) -> CatalogFolder {
    let maySearch = try files.may(opener, .search, record)
    let mayList = try files.may(opener, .read, record)
    let isSearchable = parent.isSearchable && maySearch
    return CatalogFolder(
      path: parent.path(of: name.bytes), isSearchable: isSearchable, isVisible: isSearchable && mayList,
      isTrash: parent.isTrash || parent.path.isEmpty && TrashFolder.contains(path: name.bytes))
  }
}
