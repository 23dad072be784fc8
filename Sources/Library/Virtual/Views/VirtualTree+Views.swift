// Looks up and lists views.
//
// Invariants
// 1. Only the mount's owner may enter a view, because the kernel shares its cached entries among all users.
// 2. A name from a listing stays valid as long as its photo exists and answers, even if another photo of the same
//    name comes or goes.
// 3. Links lead only to files, and never out of the mount.

package import Albums
internal import Catalog
internal import Index
internal import Media
internal import Synchronization
internal import System
package import SystemPackage
package import Vault

/// A link in a view.
package struct ViewLink: Sendable {
  /// The path relative to the directory of the link.
  package var target: [UInt8]
  /// The attributes for `lstat`. The size is that of the target's path.
  package var attributes: Attributes
  /// Differs for different targets, so that the kernel does not mistake a link for an earlier one with the same
  /// number.
  package var generation: UInt32
}

struct ViewedFile {
  var inode: InodeNumber
  /// The path from the root.
  var path: [UInt8]
  var record: InodeRecord

  var name: FileName? { FileName([UInt8](path.lastIndex(of: 0x2F).map { path[($0 + 1)...] } ?? path[...])) }
}

extension VirtualTree {
  /// The longest target that the kernel accepts.
  private static let longestTarget = 4095
  /// Photos of a listing that are looked up while the lock is held once.
  private static let batch = 256
  /// Thumbnails are found by digest in directories of up to this many photos; for larger ones, file managers make
  /// thumbnails themselves.
  private static let mostDigests = 200_000

  /// The node of a name in a view.
  func lookup(_ name: FileName, in folder: ViewFolder) throws(Errno) -> VirtualNode {
    if folder.hasLinks {
      if name.bytes == Self.sharedName { return .viewShared(folder) }
      return .link(depth: folder.depth, try photo(named: name, in: folder))
    }
    return .view(try self.folder(named: name, in: folder))
  }

  // MARK: Links

  /// The photo of a link. A table from before a change serves for a while, if the photo still exists.
  func photo(named name: FileName, in folder: ViewFolder) throws(Errno) -> InodeNumber {
    if name.isHidden { throw .noSuchFileOrDirectory }
    for isNew in [false, true] {
      let table = try views.table(of: folder, isNew: isNew)
      if let marked = ViewName.inode(in: name), table.contains(marked),
        try views.files([marked]).first?.name.flatMap({ ViewName.marked($0, with: marked) }) == name
      {
        return marked
      }
      let photos = table.photos(withHash: ViewTable.hash(name.bytes))
      if let found = try views.files(photos).first(where: { $0.name == name }) { return found.inode }
    }
    throw .noSuchFileOrDirectory
  }

  /// The link with a number.
  ///
  /// - Throws: `ENOENT` if the owner no longer sees the photo.
  package func link(to inode: InodeNumber, depth: Int) throws(Errno) -> ViewLink {
    guard let file = try views.files([inode]).first, let root = try? fileSystem.attributes(of: .root) else {
      throw .noSuchFileOrDirectory
    }
    let target = Self.target(file.path, depth)
    guard target.count <= Self.longestTarget else { throw .noSuchFileOrDirectory }
    var attributes = Attributes(file.record)
    attributes.inode = VirtualNode.link(depth: depth, inode).number
    attributes.mode = FileKind.symbolicLink | 0o777
    attributes.links = 1
    (attributes.owner, attributes.group) = (root.owner, root.group)
    attributes.size = Int64(target.count)
    attributes.allocated = 0
    attributes.device = 0
    let hash = target.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return ViewLink(target: target, attributes: attributes, generation: hash)
  }

  private static func target(_ path: [UInt8], _ depth: Int) -> [UInt8] {
    Array(repeatElement([0x2E, 0x2E, 0x2F], count: depth).joined()) + path
  }

  /// The PNG for a name in `.sh_thumbnails`, by the digest of a link's name. A file manager looks for a link's
  /// thumbnail next to the link, and compares the time of the photo.
  func picture(_ size: SharedSize, named name: FileName, in folder: ViewFolder) throws(Errno) -> VirtualNode {
    guard let digest = NameDigests.digest(named: name) else { throw .noSuchFileOrDirectory }
    for isNew in [false, true] {
      let table = try views.table(of: folder, isNew: isNew)
      let photos = try digests(of: folder, table, isNew: isNew).photos(withHash: NameDigests.key(digest))
      for file in try views.files(photos) {
        guard let name = self.name(of: file, in: table), NameDigests.digests(of: name).contains(digest) else {
          continue
        }
        pictures.remember(name, of: file.inode, as: nil)
        return .picture(size, file.inode)
      }
    }
    throw .noSuchFileOrDirectory
  }

  private func digests(of folder: ViewFolder, _ table: ViewTable, isNew: Bool) throws(Errno) -> ViewTable {
    return try memory.value(of: folder, in: memory.digests, fileSystem, isNew: isNew, size: \.inodes.count) {
      () throws(Errno) in
      var found: [(inode: InodeNumber, hash: UInt64)] = []
      var last: UInt64 = 0
      while let photos = Optional(table.photos(after: last, limit: Self.batch)), let end = photos.last {
        for file in try views.files(photos) {
          guard let name = name(of: file, in: table) else { continue }
          found += NameDigests.digests(of: name).map { (file.inode, NameDigests.key($0)) }
        }
        last = end.rawValue
        if found.count > 2 * Self.mostDigests { return ViewTable([]) }
      }
      return ViewTable(found)
    }
  }

  // MARK: Directories

  private func folder(named name: FileName, in folder: ViewFolder) throws(Errno) -> ViewFolder {
    // File managers look up many hidden names, and view directories never contain them.
    if name.isHidden { throw .noSuchFileOrDirectory }
    if folder == .search {
      guard let text = ViewName.text(of: name) else { throw .invalidArgument }
      _ = try views.parsed(text)
      return .query(memory.searches.withLock { $0.number(of: text) })
    }
    guard let found = try candidate(named: name, in: folder) else { throw .noSuchFileOrDirectory }
    if !found.mayBeEmpty, try !views.hasAnswers(found) { throw .noSuchFileOrDirectory }
    return found
  }

  /// The directory that a name stands for, if it is not empty.
  private func candidate(named name: FileName, in folder: ViewFolder) throws(Errno) -> ViewFolder? {
    let undated = Array("undated".utf8)
    switch folder {
    case .dates:
      if name.bytes == undated { return .undated }
      return Self.number(name, digits: 4).map { .year($0) }
    case .year(let year):
      if name.bytes == undated { return .undatedIn(year: year, month: nil) }
      return Self.number(name, digits: 2).flatMap { month in month <= 12 ? .month(year: year, month) : nil }
    case .month(let year, let month):
      if name.bytes == undated { return .undatedIn(year: year, month: month) }
      return Self.number(name, digits: 2).flatMap { day in
        CivilDate(year: Int(year), month: Int(month), day: Int(day)).map { _ in .day(year: year, month: month, day) }
      }
    case .places: return ViewReader.number(ofCountry: String(decoding: name.bytes, as: UTF8.self)).map { .country($0) }
    case .tags: return try term(.tag, named: name).map { .tag($0) }
    case .cameras: return try term(.camera, named: name).map { .camera($0) }
    case .country, .duplicates:
      for isNew in [false, true] {
        if let found = try views.list(of: folder, isNew: isNew).first(where: { $0.name == name }) {
          return found.folder
        }
      }
      return nil
    default: return folder.fixedEntries.first { $0.name.utf8.elementsEqual(name.bytes) }?.folder
    }
  }

  /// A number with exactly this many digits, above 0.
  private static func number(_ name: FileName, digits: Int) -> UInt64? {
    guard name.count == digits, name.bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt64(String(decoding: name.bytes, as: UTF8.self)).flatMap { $0 > 0 ? $0 : nil }
  }

  private func term(_ kind: TermKind, named name: FileName) throws(Errno) -> UInt64? {
    if let text = ViewName.text(of: name), let found = try views.term(kind, text) { return found }
    guard let number = ViewName.number(ofCut: name), name.count > FileName.maximumLength - 4 else { return nil }
    return ViewName.folder(try views.text(ofTerm: number), number: number) == name ? number : nil
  }

  // MARK: Listing

  /// As `list(_:after:_:)`, for a directory of a view.
  func list(_ folder: ViewFolder, after cookie: UInt64, _ body: Visitor) throws(Errno) {
    let directory = UInt8(truncatingIfNeeded: FileKind.directory >> 12)
    let own = VirtualNode.view(folder).number
    for (place, name) in [".", ".."].enumerated() where UInt64(place) >= cookie {
      guard let name = FileName(name), body(name, own, directory, UInt64(place) + 1) else { return }
    }
    // Numbers begin with 0 in directories of directories, and with 1 in directories of links.
    let first: UInt64 = 3
    let isNew = cookie < first
    if folder.hasLinks {
      var last = isNew ? 0 : cookie - first
      let table = try views.table(of: folder, isNew: isNew)
      while true {
        let photos = table.photos(after: last, limit: Self.batch)
        guard let end = photos.last else { return }
        for file in try views.files(photos) {
          let target = Self.target(file.path, folder.depth)
          guard target.count <= Self.longestTarget, let name = name(of: file, in: table) else { continue }
          let number = VirtualNode.link(depth: folder.depth, file.inode).number
          let kind = UInt8(truncatingIfNeeded: FileKind.symbolicLink >> 12)
          guard body(name, number, kind, file.inode.rawValue + first) else { return }
        }
        last = end.rawValue
      }
    }
    for entry in try views.list(of: folder, isNew: isNew) {
      let place = (folder == .views ? entry.folder.code.family : entry.folder.code.number) + first
      guard place > cookie else { continue }
      guard body(entry.name, VirtualNode.view(entry.folder).number, directory, place) else { return }
    }
  }

  private func name(of file: ViewedFile, in table: ViewTable) -> FileName? {
    guard let name = file.name else { return nil }
    let isPlain = ViewName.inode(in: name) == nil && !table.isShared(ViewTable.hash(name.bytes))
    return isPlain ? name : ViewName.marked(name, with: file.inode)
  }
}

extension ViewFolder {
  /// Whether it exists even when empty, or was listed because it is not empty.
  fileprivate var mayBeEmpty: Bool {
    switch self {
    case .views, .dates, .places, .tags, .cameras, .types, .ratings, .favourites, .duplicates, .search, .group: true
    default: false
    }
  }
}
