// The catalog as one user sees it.
//
// Invariants
// 1. A user sees a photo that the user may read, under its visible names only (CatalogFolders.swift). Names in a
//    trash folder count only if the question mentions trash, and only names below the directory of the question
//    count.
// 2. A photo that the user does not see changes no answer, no count and no group.

internal import Albums
internal import Catalog
internal import Index
internal import Media
internal import SystemPackage
internal import Vault

/// A question of one user at one moment. It caches directories and terms, but nothing for single photos.
struct CatalogView {
  let query: Query
  let showsTrash: Bool
  /// Only names below this directory count: the path from the root without a slash at either end; empty for all.
  let directory: [UInt8]
  /// The prefix that lines show instead of that directory; empty if paths are shown whole.
  private var prefix: [UInt8] = []
  var folders: CatalogFolders
  private var rights: [Int64: Rights] = [:]
  /// The rights of the term before; most rows have the same.
  private var recentRights: (term: Int64, rights: Rights)?
  private var lookups = ItemLookups()
  var matcher: CatalogMatcher
  /// The directory of the row before; most rows have the same.
  private var recent: (album: InodeNumber, folder: CatalogFolder?)?
  /// Whether names in the recent directory count.
  private var doRecentNamesCount = false

  /// The files whose rows may be out of date; nil before they were looked up.
  private var stale: Set<InodeNumber>?
  /// The largest number of stale rows that are told apart; beyond it, every row counts as stale.
  private static let mostStale = 4096

  /// Whether a term allows the user to read a file.
  private enum Rights {
    case yes, no
    /// The file has an access control list, which decides.
    case ask
  }

  init(_ query: Query, showsTrash: Bool, within directory: [UInt8] = [], for opener: Opener) {
    self.query = query
    self.showsTrash = showsTrash
    self.directory = directory
    folders = CatalogFolders(for: opener)
    matcher = CatalogMatcher(query)
  }

  /// A view of a question for one user.
  init(_ question: CatalogQuestion, for opener: Opener) {
    self.init(question.query, showsTrash: question.showsTrash, within: question.within, for: opener)
    prefix = question.prefix
  }

  /// A path as lines show it.
  func shown(_ path: [UInt8]) -> [UInt8] {
    prefix.isEmpty ? path : prefix + path.dropFirst(directory.isEmpty ? 0 : directory.count + 1)
  }

  var opener: Opener { folders.opener }

  /// Whether the user may read a file, by the term of its rights.
  mutating func mayRead(
    _ inode: InodeNumber, rights term: Int64, _ files: CatalogFiles
  ) throws(Errno) -> Bool {
    if opener.seesEverything { return true }
    let known: Rights
    if let recentRights, recentRights.term == term {
      known = recentRights.rights
    } else {
      if let found = rights[term] {
        known = found
      } else {
        known = self.rights(of: try files.result(of: files.index.catalog.text(ofTerm: term)))
        rights[term] = known
      }
      recentRights = (term, known)
    }
    switch known {
    case .yes: return true
    case .no: return false
    case .ask: return try mayRead(inode, files)
    }
  }

  private func rights(of text: String?) -> Rights {
    guard let text, let rights = ItemRights(term: text), !rights.mayHaveList else { return .ask }
    let may = opener.may(.read, mode: rights.mode, owner: rights.owner, group: rights.group, list: nil)
    return may ? .yes : .no
  }

  /// Whether the user may read a file, by its inode record.
  func mayRead(_ inode: InodeNumber, _ files: CatalogFiles) throws(Errno) -> Bool {
    if opener.seesEverything { return true }
    guard let record = try files.record(inode) else { return false }
    return try files.may(opener, .read, record)
  }

  /// Whether names in a directory count.
  private func doNamesCount(in folder: CatalogFolder, everywhere: Bool = false) -> Bool {
    folder.isVisible && (showsTrash || !folder.isTrash) && (everywhere || folder.isIn(directory))
  }

  /// The names of a file that count, in the order of directories and names; with `everywhere` also names outside the
  /// directory of the question. Names that no photo has are left out.
  mutating func names(
    of inode: InodeNumber, _ files: CatalogFiles, everywhere: Bool = false
  ) throws(Errno) -> [SeenName] {
    var seen: [SeenName] = []
    for (parent, name) in try files.result(
      of: files.index.catalog.names(of: inode, limit: Int(FileSystem.maximumLinks)))
    {
      guard !name.isNoPhoto, let folder = try folders.folder(parent, files),
        doNamesCount(in: folder, everywhere: everywhere)
      else { continue }
      seen.append(SeenName(path: folder.path(of: name.bytes), isTrash: folder.isTrash))
    }
    return seen
  }

  /// All facts of a photo except its names; nil if the catalog has none.
  mutating func facts(of inode: InodeNumber, _ files: CatalogFiles) throws(Errno) -> MediaItem? {
    let known = try files.result(of: files.index.catalog.mediaItem(inode, &lookups))
    guard var item = known else { return nil }
    if item.links.isDuplicate { item.links.isDuplicate = try seesTwin(of: inode, files) }
    return item
  }

  /// Whether the user sees another file with this content, or with these pixels.
  private mutating func seesTwin(of inode: InodeNumber, _ files: CatalogFiles) throws(Errno) -> Bool {
    var twins: [InodeNumber] = []
    if let hash = try files.result(of: files.index.catalog.contentHash(of: inode)) {
      twins = try files.result(of: files.index.catalog.inodes(withHash: hash, limit: Self.mostTwins))
    }
    if let row = try files.result(of: files.index.catalog.item(inode)), let look = row.look, let pixels = row.pixels {
      twins += try files.result(of: files.index.catalog.items(withLook: look, limit: Self.mostTwins))
        .filter { $0.pixels == pixels }.map(\.inode)
    }
    for twin in twins where twin != inode {
      if try sees(twin, files) { return true }
    }
    return false
  }

  /// The search for a copy that the user sees looks at this many files with the same hash.
  private static let mostTwins = 64

  /// Whether the user sees a file, in any directory.
  private mutating func sees(_ inode: InodeNumber, _ files: CatalogFiles) throws(Errno) -> Bool {
    guard try mayRead(inode, files) else { return false }
    return try !names(of: inode, files, everywhere: true).isEmpty
  }

  /// Whether the row of a file is up to date. On a read-only or full file system, stale rows wait to be merged.
  private mutating func trusts(_ inode: InodeNumber, _ files: CatalogFiles) throws(Errno) -> Bool {
    if stale == nil {
      stale = Set(try files.result(of: files.index.catalog.stale(for: .merge, limit: Self.mostStale)).map(\.inode))
    }
    guard let stale else { return false }
    return stale.count < Self.mostStale && !stale.contains(inode)
  }

  /// All facts of a photo, with the names that count; nil if the user does not see it.
  mutating func item(_ inode: InodeNumber, _ files: CatalogFiles) throws(Errno) -> MediaItem? {
    guard try mayRead(inode, files) else { return nil }
    let names = try names(of: inode, files)
    guard !names.isEmpty, var item = try facts(of: inode, files) else { return nil }
    item.names = names.map { ItemName(path: $0.path) }
    item.isTrashed = names.allSatisfy(\.isTrash)
    return item
  }

  /// A photo that the user sees and that answers.
  struct Seen {
    /// Its lowest path, if the caller wants one.
    var path: [UInt8]?
    /// Whether all names that count are in the trash.
    var isTrashed = false
    /// Its facts and the names that count, if it has several names.
    var several: SeenItem?
  }

  /// The seconds of the wall clock that contain every answer.
  var within: ClosedRange<Int64> { matcher.within }

  /// Whether a photo, with the names that count, answers.
  func answers(_ item: MediaItem) -> Bool { (showsTrash || !item.isTrashed) && query.matches(item) }

  /// Finds the sets that the query needs. Call this before looking at photos.
  mutating func prepare(_ files: CatalogFiles) throws(Errno) {
    for set in matcher.sets.indices { try matcher.sets[set].find(files) }
  }

  /// Looks at the photo of a row; nil if the user does not see it or it does not answer.
  mutating func look(
    at row: borrowing Timeline, _ files: CatalogFiles, wants wanted: Wanted = .nothing
  ) throws(Errno) -> Seen? {
    guard row.names == 1, let album = row.album, try trusts(row.inode, files) else {
      // Some of its names may not count, or may have changed since the row was merged.
      if row.names == 0 { return nil }
      if row.names > 1, try matcher.verdict(row, in: nil, files) == false { return nil }
      guard let item = try item(row.inode, files), answers(item) else { return nil }
      return Seen(path: item.firstPath, isTrashed: item.isTrashed, several: SeenItem(item))
    }
    if recent?.album != album {
      let folder = try folders.folder(album, files)
      recent = (album, folder)
      doRecentNamesCount = folder.map { doNamesCount(in: $0) } ?? false
    }
    guard doRecentNamesCount else { return nil }
    if !opener.seesEverything {
      guard try mayRead(row.inode, rights: row.rights, files) else { return nil }
    }
    // This shortcut saves most of the time of a question for everything.
    if matcher.answersAll, wanted == .nothing, !showsTrash { return Seen() }
    guard let folder = recent?.folder else { return nil }
    let verdict = try matcher.verdict(row, in: folder, files)
    if verdict == false { return nil }
    if verdict == nil, try !answers(row.inode, in: folder, files) { return nil }
    return Seen(path: wanted == .nothing ? nil : folder.path(of: row.name), isTrashed: folder.isTrash)
  }

  /// Whether a photo with one name answers, by all its facts.
  private mutating func answers(
    _ inode: InodeNumber, in folder: CatalogFolder, _ files: CatalogFiles
  ) throws(Errno) -> Bool {
    guard var item = try facts(of: inode, files) else { return false }
    let names = try files.result(of: files.index.catalog.names(of: inode, limit: Int(FileSystem.maximumLinks)))
    item.names = names.filter { !$0.name.isNoPhoto }.map { ItemName(path: folder.path(of: $0.name.bytes)) }
    item.isTrashed = folder.isTrash
    return query.matches(item)
  }

  /// With `stacks`, only covers answer for their stacks: whether a photo is a cover, is in no stack, or has a cover
  /// that does not answer. The row must have `flags`.
  mutating func stands(
    _ seen: Seen, _ row: borrowing Timeline, _ files: CatalogFiles, stacks: Bool
  ) throws(Errno) -> Bool {
    if !stacks { return true }
    let flags = ItemFlags(rawValue: row.flags)
    guard flags.contains(.stacked), !flags.contains(.stackCover) else { return true }
    let item = if let known = seen.several?.item { known } else { try item(row.inode, files) }
    guard let stack = item?.links.stack, !stack.isCover else { return true }
    guard let cover = try self.item(InodeNumber(rawValue: stack.stack), files) else { return true }
    return !answers(cover)
  }

  /// A photo under one of its names, with all names that count.
  mutating func seen(
    _ inode: InodeNumber, at path: [UInt8], _ files: CatalogFiles
  ) throws(Errno) -> Seen {
    let names = try names(of: inode, files)
    var item = MediaItem(inode: inode.rawValue, kind: .jpeg)
    item.names = names.map { ItemName(path: $0.path) }
    return Seen(path: path, isTrashed: !names.isEmpty && names.allSatisfy(\.isTrash), several: SeenItem(item))
  }

  /// The paths of a photo's sidecars that the user may read.
  mutating func sidecars(
    ofRecord record: [UInt8], _ files: CatalogFiles
  ) throws(Errno) -> [[UInt8]] {
    var paths: [[UInt8]] = []
    for number in PackedRecord(packed: record)?.sidecars ?? [] {
      let sidecar = InodeNumber(rawValue: UInt64(bitPattern: number))
      if try mayRead(sidecar, files) { paths += try names(of: sidecar, files).map(\.path) }
    }
    return paths
  }

  /// Writes the line of a photo that the user sees. The row must have all columns.
  mutating func write(
    _ row: borrowing Timeline, _ seen: Seen, showsSources: Bool = false, comparison: ShownItem.Comparison? = nil,
    to text: inout JSONText, _ files: CatalogFiles
  ) throws(Errno) {
    var shown = ShownItem(path: self.shown(seen.path ?? []), showsSources: showsSources, comparison: comparison)
    if let item = seen.several?.item { shown.names = item.names.map { self.shown($0.path) } }
    shown.isTrashed = seen.isTrashed
    if showsSources { shown.homeZone = files.homeZone }
    shown.isDuplicate = ItemFlags(rawValue: row.flags).contains(.duplicate)
    if shown.isDuplicate { shown.isDuplicate = try seesTwin(of: row.inode, files) }
    try files.result(of: text.value(row, shown, &lookups, files.index))
  }

  /// The columns that looking at rows reads.
  func columns(for wanted: Wanted) -> TimelineColumns {
    if wanted == .line { return .all }
    var columns = matcher.columns
    if wanted == .path { columns.insert(.name) }
    if !opener.seesEverything { columns.insert(.rights) }
    return columns
  }

  enum Wanted {
    case nothing, path
    case line
  }
}

/// The facts of a photo, with the names that count.
final class SeenItem {
  let item: MediaItem

  init(_ item: MediaItem) { self.item = item }
}

/// A visible name.
struct SeenName {
  /// From the root, without a slash at either end.
  var path: [UInt8]
  var isTrash: Bool
}

extension CatalogFolder {
  /// Whether it is `directory` or below it; everything is below an empty path.
  func isIn(_ directory: [UInt8]) -> Bool {
    if directory.isEmpty { return true }
    return path.starts(with: directory) && (path.count == directory.count || path[directory.count] == 0x2F)
  }

  func path(of name: [UInt8]) -> [UInt8] {
    if path.isEmpty { return name }
    var whole: [UInt8] = []
    whole.reserveCapacity(path.count + 1 + name.count)
    whole += path
    whole.append(0x2F)
    whole += name
    return whole
  }
}
