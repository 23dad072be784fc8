// What one user sees of the catalog.
//
// Invariants
// 1. A photo is seen by somebody who may read it, under its visible names only (CatalogFolders.swift). Names in a trash
//    folder count only if the question speaks of trash, and only those below the directory that it is about.
// 2. What is not seen changes no answer, no count and no group.

internal import Albums
internal import Catalog
internal import Index
internal import Media
internal import SystemPackage
internal import Vault

/// A question in the eyes of the user who asks it, of one moment. It keeps what it learns about directories and terms, but
/// nothing for single photos.
struct CatalogView {
  let query: Query
  let showsTrash: Bool
  /// The directory below which names count, from the root without a slash at either end; empty for all.
  let directory: [UInt8]
  /// What lines have in its place; empty where paths are whole.
  private var prefix: [UInt8] = []
  var folders: CatalogFolders
  private var rights: [Int64: Rights] = [:]
  /// What the term before said; most rows have the same.
  private var recentRights: (term: Int64, rights: Rights)?
  private var lookups = ItemLookups()
  var matcher: CatalogMatcher
  /// The directory that was looked at last; most rows have the same as the one before.
  private var recent: (album: InodeNumber, folder: CatalogFolder?)?
  /// Whether names in it count.
  private var doRecentNamesCount = false

  /// The files of which rows may say what is no longer so; nil if that was not asked yet.
  private var stale: Set<InodeNumber>?
  /// So many of them are told apart; if there are more, it may be any.
  private static let mostStale = 4096

  /// What a term says about who may read a file.
  private enum Rights {
    case yes, no
    /// The file has an access control list.
    case ask
  }

  init(_ query: Query, showsTrash: Bool, within directory: [UInt8] = [], for opener: Opener) {
    self.query = query
    self.showsTrash = showsTrash
    self.directory = directory
    folders = CatalogFolders(for: opener)
    matcher = CatalogMatcher(query)
  }

  /// A question in the eyes of somebody.
  init(_ question: CatalogQuestion, for opener: Opener) {
    self.init(question.query, showsTrash: question.showsTrash, within: question.within, for: opener)
    prefix = question.prefix
  }

  /// A path that counts, as lines have it.
  func shown(_ path: [UInt8]) -> [UInt8] {
    prefix.isEmpty ? path : prefix + path.dropFirst(directory.isEmpty ? 0 : directory.count + 1)
  }

  var opener: Opener { folders.opener }

  /// Whether the user may read a file, by its term.
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

  /// Whether the user may read a file, by its record.
  func mayRead(_ inode: InodeNumber, _ files: CatalogFiles) throws(Errno) -> Bool {
    if opener.seesEverything { return true }
    guard let record = try files.record(inode) else { return false }
    return try files.may(opener, .read, record)
  }

  /// Whether names in a directory count.
  private func doNamesCount(in folder: CatalogFolder, everywhere: Bool = false) -> Bool {
    folder.isVisible && (showsTrash || !folder.isTrash) && (everywhere || folder.isIn(directory))
  }

  /// The names that count, in the order of directories and names; or those that would if the question were about all
  /// directories. Not every name is one of a photo.
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

  /// All facts of a photo but its names; nil if there are none.
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

  /// Files of one content that are looked at for one that the asker sees.
  private static let mostTwins = 64

  /// Whether the user sees a file, wherever it is.
  private mutating func sees(_ inode: InodeNumber, _ files: CatalogFiles) throws(Errno) -> Bool {
    guard try mayRead(inode, files) else { return false }
    return try !names(of: inode, files, everywhere: true).isEmpty
  }

  /// Whether the row of a file says what is so. Where nothing may be changed or there is no room, it waits to be merged.
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
    /// Its lowest path, if it is wanted.
    var path: [UInt8]?
    /// Whether all names that count are in the trash.
    var isTrashed = false
    /// Its facts, if it has several names, of which some may not count.
    var several: SeenItem?
  }

  /// Seconds of the wall clock in which every answer is.
  var within: ClosedRange<Int64> { matcher.within }

  /// Whether a photo, with the names that count, answers.
  func answers(_ item: MediaItem) -> Bool { (showsTrash || !item.isTrashed) && query.matches(item) }

  /// Finds what rows do not say. To be called before photos are looked at.
  mutating func prepare(_ files: CatalogFiles) throws(Errno) {
    for set in matcher.sets.indices { try matcher.sets[set].find(files) }
  }

  /// A photo of a row, if it is seen and answers.
  mutating func look(
    at row: borrowing Timeline, _ files: CatalogFiles, wants wanted: Wanted = .nothing
  ) throws(Errno) -> Seen? {
    guard row.names == 1, let album = row.album, try trusts(row.inode, files) else {
      // Some of its names may not count, or are others by now.
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
    // Most of what a question for everything costs is what this spares.
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

  /// Where only covers answer for their stacks: whether a photo is a cover or in no stack, or its cover is no answer. The
  /// row has `flags` then.
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

  /// A photo under one of its names, with all that count.
  mutating func seen(
    _ inode: InodeNumber, at path: [UInt8], _ files: CatalogFiles
  ) throws(Errno) -> Seen {
    let names = try names(of: inode, files)
    var item = MediaItem(inode: inode.rawValue, kind: .jpeg)
    item.names = names.map { ItemName(path: $0.path) }
    return Seen(path: path, isTrashed: !names.isEmpty && names.allSatisfy(\.isTrash), several: SeenItem(item))
  }

  /// The paths of sidecars that the user may read.
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

  /// Adds the line of a photo that is seen. The row has all columns.
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

  /// What has to be read of rows to look at them.
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

/// A name that counts.
struct SeenName {
  /// From the root, without a slash at either end.
  var path: [UInt8]
  var isTrash: Bool
}

extension CatalogFolder {
  /// Whether it is a directory, or below it; everything is below an empty path.
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
