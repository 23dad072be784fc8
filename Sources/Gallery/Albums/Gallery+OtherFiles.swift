// Invariants
// 1. Every regular file of an album is shown: as a photo or video, or here. The only exceptions are files that wait to
//    be examined.
// 2. The directories of the mount itself, and files that are still being received, are in no listing.
// 3. No file is replaced, and only the listed file is moved.

internal import Client
internal import HostFiles
internal import System
internal import SystemPackage

/// A regular file that may be neither a photo nor a video.
private struct FoundFile {
  let path: SpacePath
  let inode: UInt64
  /// Whether its name begins with a point. The page shows no photo with such a name.
  var isHidden: Bool { path.name.first == UInt8(ascii: ".") }
}

extension Gallery {
  /// The most files in one listing.
  private static let mostListed = 5000

  /// The other files of an album, without those of the albums in it.
  public func otherFiles(in album: SpacePath) throws(GalleryError) -> OtherFiles {
    try GalleryError.of("The album") {
      let directory = try root.directory(try album.notInTrash().bytes)
      let found = try Directory.entries(of: directory).filter(\.isFile).compactMap { entry in
        (try? album.appending(entry.name)).map { FoundFile(path: $0, inode: entry.inode) }
      }
      var photos = CatalogRequest(format: .tiles, query: album.bytes.isEmpty ? "album:=/" : "")
      photos.within = album.bytes
      return try listed(found, without: photos, in: album)
    }
  }

  /// The other files in the trash of the server's user, including those in albums there.
  public func otherFilesInTrash() throws(GalleryError) -> OtherFiles {
    try GalleryError.of("The trash") {
      let top = SpacePath(trusted: TrashFolder(of: root).files)
      var found: [FoundFile] = []
      var waiting = [top]
      while let folder = waiting.popLast() {
        let entries = try folder == top ? entriesIfThere(folder) : entriesIfOpen(folder)
        for entry in entries {
          guard let path = try? folder.appending(entry.name) else { continue }
          if entry.isDirectory { waiting.append(path) }
          if entry.isFile { found.append(FoundFile(path: path, inode: entry.inode)) }
        }
      }
      var photos = CatalogRequest(format: .tiles)
      photos.trash = true
      photos.within = top.bytes
      return try listed(found, without: photos, in: top)
    }
  }

  /// The entries of the trash folder; none if nothing was ever deleted.
  private func entriesIfThere(_ path: SpacePath) throws(Errno) -> [Directory.Entry] {
    do throws(Errno) { return try Directory.entries(of: root.directory(path.bytes)) } catch {
      if error == .noSuchFileOrDirectory { return [] }
      throw error
    }
  }

  /// The entries of a directory; none if it was removed, or if the server's user may not read it.
  private func entriesIfOpen(_ path: SpacePath) -> [Directory.Entry] {
    guard let directory = try? root.directory(path.bytes) else { return [] }
    return (try? Directory.entries(of: directory)) ?? []
  }

  /// The files that are not among the photos which the request finds.
  private func listed(
    _ found: [FoundFile], without photos: CatalogRequest, in folder: SpacePath
  ) throws -> OtherFiles {
    var others = found
    var isExamining = false
    // Compared by inode, because a photo with two names in an album is shown under one of them.
    var inodes = Set(found.filter { !$0.isHidden }.map(\.inode))
    if !inodes.isEmpty {
      var reader = try ask(photos)
      let trailer = try reader.tiles { _, inode, _ in _ = inodes.remove(inode) }
      others = found.filter { $0.isHidden || inodes.contains($0.inode) }
      isExamining = trailer.isExamining && trailer.pending > 0
    }
    others.sort { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
    // Each file is queried separately, so only files that are listed are queried.
    let first = others.prefix(Self.mostListed)
    let asked = isExamining ? first.filter { !$0.isHidden }.map(\.path) : []
    let waiting = Set(try areWaiting(asked))
    let start = folder.bytes.isEmpty ? 0 : folder.bytes.count + 1
    var paths = PackedPaths()
    var files: [OtherFiles.File] = []
    var gone = 0
    for other in first where !waiting.contains(other.path) {
      let bytes = other.path.bytes
      guard let (directory, name) = try? root.place(of: bytes), let status = try? calls.status(of: name, in: directory),
        status.kind == .file, status.inode == other.inode, paths.append(bytes[...], inode: status.inode)
      else {
        gone += 1
        continue
      }
      files.append(OtherFiles.File(index: files.count, name: Array(bytes[start...]), size: status.size))
    }
    paths.finish()
    let snapshot = Snapshot(paths, [], [], [], pending: 0, in: folder, hasOtherFiles: true)
    return OtherFiles(
      snapshot: snapshot, files: files, count: others.count - waiting.count - gone, pending: waiting.count)
  }

  /// The number of other files in each album of an album, without those that have none. Empty while the catalog
  /// examines files, since they may turn out to be photos.
  public func otherFileCounts(in path: SpacePath) throws(GalleryError) -> [(album: SpacePath, count: Int)] {
    try GalleryError.of("The album") {
      var found: [(album: SpacePath, count: Int)] = []
      let (photos, isExamining) = try photoCounts()
      if isExamining { return found }
      try eachAlbum(in: path) { album, _ in
        var inodes = Set<UInt64>()
        var count = 0
        for entry in entriesIfOpen(album) where entry.isFile {
          if entry.name.first == UInt8(ascii: ".") { count += 1 } else { inodes.insert(entry.inode) }
        }
        count += max(0, inodes.count - (photos[album.bytes]?.own ?? 0))
        if count > 0 { found.append((album, count)) }
      }
      return found
    }
  }

  /// Moves files to an album, each under a free name there.
  public func move(_ items: [Int], of snapshot: Snapshot, to album: SpacePath) throws(GalleryError) -> [ItemFailure] {
    let target = try openAlbum(album.notInTrash(), makes: false)
    return try each(items, of: snapshot, snapshot.thing) { item in
      if item.path.isInTrash { throw GalleryError(.conflict, "This file is in the trash; restore it first.") }
      if item.path.parent == album { throw GalleryError(.conflict, "This file is already in that album.") }
      let (directory, name) = try root.place(of: item.path.bytes)
      try Self.check(try calls.status(of: name, in: directory), is: item)
      let given = try placing(name) { free throws(Errno) in
        try calls.rename(name, in: directory, to: free, in: target)
      }
      // Another file may have got the name right before it was moved.
      guard try calls.status(of: given, in: target).inode != item.inode else { return }
      do throws(Errno) {
        try calls.rename(given, in: target, to: name, in: directory)
      } catch {
        throw GalleryError(.conflict, "Another file took this name, and was moved to that album instead.")
      }
      throw Self.replaced
    }
  }
}
