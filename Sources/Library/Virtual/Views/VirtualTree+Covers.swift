// Covers of albums: `.agonyfs/covers/ALBUM.jpg`.
//
// Invariants
// 1. A cover shows a photo that the mount's owner may find and read, and only the owner may enter `covers`.
// 2. The search for a cover is bounded: it visits a limited number of directories.

internal import Albums
internal import Catalog
internal import Index
internal import Media
internal import SystemPackage
internal import Vault

extension VirtualTree {
  private static let ending = Array(".jpg".utf8)
  /// Directories below an album that are searched for its cover, at most.
  private static let mostDirectories = 256
  /// Photos that are looked at while the lock is held once.
  private static let batch = 500

  /// The node of a name in `covers`: an album's cover, or the directory of the covers in it.
  func cover(named name: FileName, in directory: InodeNumber) throws(Errno) -> VirtualNode {
    if name.isHidden { throw .noSuchFileOrDirectory }
    if name.bytes.suffix(Self.ending.count).elementsEqual(Self.ending),
      let stem = FileName([UInt8](name.bytes.dropLast(Self.ending.count))),
      let album = try album(named: stem, in: directory), try coverPhoto(of: album) != nil
    {
      return .cover(album)
    }
    guard let album = try album(named: name, in: directory) else { throw .noSuchFileOrDirectory }
    return .covers(album)
  }

  private func album(named name: FileName, in directory: InodeNumber) throws(Errno) -> InodeNumber? {
    do throws(Errno) {
      let found = try fileSystem.lookup(name, in: directory)
      return found.kind == FileKind.directory >> 12 ? found.inode : nil
    } catch .noSuchFileOrDirectory {
      return nil
    }
  }

  /// As `list(_:after:_:)`: each album with photos, and its cover.
  func listCovers(_ directory: InodeNumber, after cookie: UInt64, _ body: Visitor) throws(Errno) {
    // A stored directory has two entries: cookies are doubled, and odd for the cover. After an even cookie the same
    // directory comes again, for its cover.
    var last = cookie == 0 ? 0 : (cookie - 1) / 2
    while true {
      let start = last
      var entries: [(name: FileName, inode: InodeNumber, kind: UInt8, cookie: UInt64)] = []
      try fileSystem.list(directory, after: start) { name, inode, kind, place in
        if kind == FileKind.directory >> 12 { entries.append((copy name, inode, kind, place)) }
        last = place
        return entries.count < 64
      }
      if last == start { return }
      for entry in entries {
        let isOwn = entry.cookie <= 2
        if !isOwn {
          if entry.name.isNoPhoto { continue }
          if try firstPhoto(below: entry.inode) == nil { continue }
        }
        if entry.cookie * 2 > cookie {
          let number = VirtualNode.covers(isOwn ? directory : entry.inode).number
          guard body(entry.name, number, entry.kind, entry.cookie * 2) else { return }
        }
        if !isOwn, entry.cookie * 2 + 1 > cookie, let name = FileName(entry.name.bytes + Self.ending) {
          let kind = UInt8(truncatingIfNeeded: FileKind.regular >> 12)
          guard body(name, VirtualNode.cover(entry.inode).number, kind, entry.cookie * 2 + 1) else { return }
        }
      }
    }
  }

  // MARK: Which photo

  /// The photo of an album's cover: the one that its owner chose, else the newest in it, else the newest below it.
  func coverPhoto(of directory: InodeNumber) throws(Errno) -> InodeNumber? {
    if let chosen = try chosenPhoto(of: directory) { return chosen }
    var best: ItemRecord?
    _ = try visit(directory) { item in
      if best.map({ Self.isBetter(item, than: $0) }) ?? true { best = item }
      return true
    }
    return best?.inode
  }

  /// Any photo in an album or below it.
  private func firstPhoto(below directory: InodeNumber) throws(Errno) -> InodeNumber? {
    var found: InodeNumber?
    _ = try visit(directory) { item in
      found = item.inode
      return false
    }
    return found
  }

  private func chosenPhoto(of directory: InodeNumber) throws(Errno) -> InodeNumber? {
    let value: [UInt8]
    do throws(Errno) { value = try fileSystem.extendedAttribute(UserWord.cover.name, of: directory) } catch .noData {
      return nil
    }
    let cover = AlbumCover(value)
    let owner = try views.owner()
    return try fileSystem.questions.present { files throws(Errno) -> InodeNumber? in
      guard try files.isSeen(directory, by: owner) else { return nil }
      var candidates: [InodeNumber] = []
      if let name = FileName(cover.name),
        let entry = try files.result(of: files.index.dentry(parent: directory, name: name))
      {
        candidates.append(entry.inode)
      }
      // The chosen photo may have another name now.
      if let inode = cover.inode.map({ InodeNumber(rawValue: $0) }) {
        let names = try files.result(of: files.index.catalog.names(of: inode, limit: Int(FileSystem.maximumLinks)))
        if names.contains(where: { $0.parent == directory && !$0.name.isHidden }) { candidates.append(inode) }
      }
      for inode in candidates {
        guard try files.result(of: files.index.catalog.item(inode)) != nil,
          let record = try files.record(inode), try files.may(owner, .read, record)
        else { continue }
        return inode
      }
      return nil
    }
  }

  /// Photos before videos, newer before older, undated ones last.
  private static func isBetter(_ one: ItemRecord, than other: ItemRecord) -> Bool {
    func isVideo(_ item: ItemRecord) -> Bool { MediaKind(rawValue: UInt8(clamping: item.kind))?.isVideo ?? true }
    if isVideo(one) != isVideo(other) { return isVideo(other) }
    let times = (one.taken ?? .min, other.taken ?? .min)
    if times.0 != times.1 { return times.0 > times.1 }
    return (one.fraction, one.inode.rawValue) > (other.fraction, other.inode.rawValue)
  }

  /// Calls `body` for the photos of an album, or for those below it if it has none, until `body` returns false.
  private func visit(_ directory: InodeNumber, _ body: (ItemRecord) -> Bool) throws(Errno) {
    let owner = try views.owner()
    var waiting = [directory]
    var next = 0
    while next < waiting.count, next < Self.mostDirectories {
      let album = waiting[next]
      next += 1
      guard try fileSystem.questions.present({ files throws(Errno) in try files.isSeen(album, by: owner) }) else {
        continue
      }
      var hasPhotos = false
      var last: [UInt8] = []
      while true {
        let items = try fileSystem.questions.present { files throws(Errno) in
          try files.items(inAlbum: album, after: last, limit: Self.batch, for: owner)
        }
        for item in items.visible {
          hasPhotos = true
          guard body(item) else { return }
        }
        guard let end = items.last else { break }
        last = end
      }
      if hasPhotos, album == directory { return }
      try fileSystem.list(album, after: 2) { name, inode, kind, _ in
        if kind == FileKind.directory >> 12, !name.isHidden { waiting.append(inode) }
        return waiting.count < Self.mostDirectories
      }
    }
  }
}

extension CatalogFiles {
  /// Whether a user sees the names in a directory that is not in the trash.
  fileprivate func isSeen(_ directory: InodeNumber, by opener: Opener) throws(Errno) -> Bool {
    var folders = CatalogFolders(for: opener)
    guard let folder = try folders.folder(directory, self) else { return false }
    return folder.isVisible && !folder.isTrash
  }

  /// The photos that a user may read among the next names of a directory, and the last of these names.
  fileprivate func items(
    inAlbum directory: InodeNumber, after name: [UInt8], limit: Int, for opener: Opener
  ) throws(Errno) -> (visible: [ItemRecord], last: [UInt8]?) {
    let items = try result(of: index.catalog.items(inAlbum: directory, after: name, limit: limit))
    var visible: [ItemRecord] = []
    for item in items where item.name.first != 0x2E {
      guard let record = try record(item.item.inode), try may(opener, .read, record) else { continue }
      visible.append(item.item)
    }
    return (visible, items.last?.name)
  }
}
