// The directories in which answers have their names.
//
// Invariants
// 1. A name is visible to somebody who may search every directory above it, and read the one that it is in. Whether
//    the file itself may be read is asked elsewhere.
// 2. A directory that does not hang on the root, which only damage makes, has no visible name in it.

internal import Albums
internal import Index
internal import SystemPackage
internal import Vault

struct CatalogFolder {
  /// From the root, without a slash at either end; empty for the root.
  var path: [UInt8]
  /// Whether everything above it and the directory itself may be searched.
  var isSearchable: Bool
  /// Whether its names are visible (invariant 1).
  var isVisible: Bool
  /// Whether it is a trash folder, or in one.
  var isTrash: Bool
}

/// What is known of directories, for one user and one moment.
struct CatalogFolders {
  let opener: Opener
  private var known: [InodeNumber: CatalogFolder?] = [:]

  /// Directories that are kept at most; they are looked up again beyond that.
  private static let limit = 65_536
  /// More directories inside each other than any path has.
  private static let mostLevels = 4096

  init(for opener: Opener) { self.opener = opener }

  /// A directory; nil if it does not hang on the root.
  mutating func folder(_ number: InodeNumber, _ files: CatalogFiles) throws(Errno) -> CatalogFolder? {
    if let folder = known[number] { return folder }
    if known.count > Self.limit { known.removeAll(keepingCapacity: true) }
    // From it upwards, until one is known.
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
