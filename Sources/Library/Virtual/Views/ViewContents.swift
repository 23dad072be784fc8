// The content of view directories, from the catalog.
//
// Invariants
// 1. Views show what the mount's owner may read, because no other user may enter them.
// 2. Photos in the trash appear only in a search that asks for them.

internal import Albums
internal import Catalog
internal import Glibc
internal import Index
internal import Media
internal import Synchronization
internal import System
internal import SystemPackage
internal import Vault

/// Reads the content of view directories.
struct ViewReader: Sendable {
  let fileSystem: FileSystem
  let memory: ViewMemory

  /// The mount's owner, who is the owner of its root directory.
  func owner() throws(Errno) -> Opener {
    let root = try fileSystem.attributes(of: .root)
    var groups: [gid_t] = []
    if root.owner == geteuid() {
      let count = getgroups(0, nil)
      groups = [gid_t](repeating: 0, count: max(0, Int(count)))
      groups = Array(groups.prefix(max(0, Int(unsafe getgroups(count, &groups)))))
    } else {
      // A mount by root, such as one in /etc/fstab.
      groups = memory.groups(of: root.owner)
    }
    return Opener(user: root.owner, group: root.group, groups: groups)
  }

  /// The query whose answers are in a directory, or in those below it.
  ///
  /// - Throws: `ENOENT` if the directory no longer exists, `ESTALE` if the search must be entered again.
  func query(of folder: ViewFolder) throws(Errno) -> Query {
    switch folder {
    case .views, .places, .tags, .cameras, .types, .ratings, .search: return .all
    // People do not look for a photo by the time of its file.
    case .dates: return try parsed("has:time")
    case .year, .month, .day: return try parsed("has:time date:" + Self.date(folder))
    case .undated: return try parsed("-has:time")
    case .undatedIn(_, let month):
      return try parsed("has:time date:" + Self.date(folder) + (month == nil ? " -has:month" : " -has:day"))
    case .country(let code): return try parsed("country:" + QueryQuoting.quoted(Self.country(code)))
    case .town(let term): return .condition(.text(.place, .whole(Glob(parts: [try place(term).fullName]))))
    case .tag(let term): return .condition(.tag(Glob(parts: [try text(ofTerm: term)]), isExact: true))
    case .camera(let term): return .condition(.text(.camera, .whole(Glob(parts: [try text(ofTerm: term)]))))
    case .type(let number):
      guard let kind = MediaKind(rawValue: UInt8(clamping: number)) else { throw .noSuchFileOrDirectory }
      return .condition(.kinds([kind]))
    case .rating(let number): return try parsed("rating:\(Int(number) - 2)")
    case .favourites: return .condition(.flag(.favourite))
    case .duplicates, .group: return .condition(.flag(.duplicate))
    case .query(let number):
      guard let text = memory.searches.withLock({ $0.text(number) }) else { throw .staleNFSFileHandle }
      return try parsed(text)
    }
  }

  /// - Throws: `EINVAL` if the text is not a query.
  func parsed(_ text: String) throws(Errno) -> Query {
    do throws(QueryError) { return try QueryParser.parse(text, today: CivilDate.today()) } catch {
      throw .invalidArgument
    }
  }

  /// A directory of dates, as a value of the query's `date:`.
  static func date(_ folder: ViewFolder) -> String {
    switch folder {
    case .year(let year), .undatedIn(let year, nil): padded(year, 4)
    case .month(let year, let month), .undatedIn(let year, let month?): padded(year, 4) + "-" + padded(month, 2)
    case .day(let year, let month, let day): padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2)
    default: ""
    }
  }

  static func padded(_ number: UInt64, _ length: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, length - digits.count)) + digits
  }

  static func country(_ code: UInt64) -> String {
    String(decoding: [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)], as: UTF8.self)
  }

  func text(ofTerm term: UInt64) throws(Errno) -> String {
    let text = try fileSystem.reading { files throws(Errno) in
      try files.result(of: files.index.catalog.text(ofTerm: Int64(clamping: term)))
    }
    guard let text else { throw .noSuchFileOrDirectory }
    return text
  }

  func term(_ kind: TermKind, _ text: String) throws(Errno) -> UInt64? {
    try fileSystem.reading { files throws(Errno) in
      try files.result(of: files.index.catalog.term(kind, text)).map { UInt64(clamping: $0) }
    }
  }

  private func place(_ term: UInt64) throws(Errno) -> Place {
    guard let place = Place(term: try text(ofTerm: term)) else { throw .noSuchFileOrDirectory }
    return place
  }

  /// Whether the owner sees photos in a directory.
  func hasAnswers(_ folder: ViewFolder) throws(Errno) -> Bool {
    try memory.value(of: folder, in: memory.known, fileSystem, isNew: true, size: { _ in 1 }) { () throws(Errno) in
      try isAnswered(folder)
    }
  }

  /// As above, without caching the result.
  func isAnswered(_ folder: ViewFolder) throws(Errno) -> Bool {
    var isFound = false
    try fileSystem.questions.answers(to: CatalogQuestion(query(of: folder), limit: 1), for: owner()) { _ in
      isFound = true
      return false
    }
    return isFound
  }

  /// The photos of a directory of links.
  ///
  /// - Parameter isNew: whether to look again if anything has changed since.
  func table(of folder: ViewFolder, isNew: Bool) throws(Errno) -> ViewTable {
    return try memory.value(of: folder, in: memory.tables, fileSystem, isNew: isNew, size: \.inodes.count) {
      () throws(Errno) in
      var photos: [(inode: InodeNumber, hash: UInt64)] = []
      if case .group(let first) = folder {
        return ViewTable(try duplicates(of: first).map { ($0.inode, ViewTable.hash($0.name?.bytes ?? [])) })
      }
      let question = CatalogQuestion(try query(of: folder), limit: ViewTable.limit)
      try fileSystem.questions.answers(to: question, for: owner()) { answer throws(Errno) in
        let path = question.query.mentionsTrash ? try files([answer.inode]).first?.path ?? answer.path : answer.path
        let name = path.lastIndex(of: 0x2F).map { path[($0 + 1)...] } ?? path[...]
        photos.append((answer.inode, ViewTable.hash(name)))
        return true
      }
      return ViewTable(photos)
    }
  }

  /// The photos that the owner may find by a name and read. A name outside the trash goes before one inside it.
  func files(_ inodes: [InodeNumber]) throws(Errno) -> [ViewedFile] {
    if inodes.isEmpty { return [] }
    var view = CatalogView(.all, showsTrash: true, for: try owner())
    return try fileSystem.questions.present { files throws(Errno) -> [ViewedFile] in
      var found: [ViewedFile] = []
      for inode in inodes {
        guard let record = try files.record(inode), record.mode & FileKind.mask == FileKind.regular,
          try view.mayRead(inode, files)
        else { continue }
        guard let path = Self.path(of: try view.names(of: inode, files)) else { continue }
        found.append(ViewedFile(inode: inode, path: path, record: record))
      }
      return found
    }
  }

  /// The target of a link: the lowest path, outside the trash if possible.
  private static func path(of names: [SeenName]) -> [UInt8]? {
    names.min { one, other in
      one.isTrash == other.isTrash ? one.path.lexicographicallyPrecedes(other.path) : !one.isTrash
    }?.path
  }
}
