// Invariants
// 1. No album and no photo is ever replaced: a name that is taken keeps leading to the same file.
// 2. A deleted album is in the trash, with everything that was in it.

internal import Catalog
internal import Client
internal import Glibc
internal import HostFiles
internal import System
internal import SystemPackage

/// An album, with the numbers that its tile shows.
public struct AlbumSummary: Equatable, Sendable {
  /// Its path.
  public var path: SpacePath
  /// The number of photos in it, without those in the albums below it.
  public var count: Int
  /// The number of photos in it and below it.
  public var allCount: Int
  /// The number of albums directly in it.
  public var albums: Int
  /// Whether it has a cover, made from a photo in it or below it.
  public var hasCover: Bool
}

extension Gallery {
  /// The most albums that are shown in one.
  private static let mostAlbums = 10_000

  /// The albums directly in an album, by name.
  public func albums(in path: SpacePath) throws(GalleryError) -> [AlbumSummary] {
    try GalleryError.of("The album") {
      let (counts, _) = try photoCounts()
      var albums: [AlbumSummary] = []
      try eachAlbum(in: path) { album, status in
        guard albums.count < Self.mostAlbums else {
          throw GalleryError(.tooLarge, "This album contains too many albums.")
        }
        let count = counts[album.bytes] ?? (own: 0, all: 0)
        // Each subdirectory adds a link to its parent, so two links mean that there is none.
        let inside = status.st_nlink > 2 ? try subAlbums(of: album) : 0
        let hasCover = count.all > 0 && album.name.count + Self.coverEnding.count <= SpacePath.mostNameBytes
        albums.append(
          AlbumSummary(path: album, count: count.own, allCount: count.all, albums: inside, hasCover: hasCover))
      }
      return albums.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
    }
  }

  /// Calls `body` for each album that a listing of this one shows.
  func eachAlbum(in path: SpacePath, _ body: (SpacePath, stat) throws -> Void) throws {
    let directory = try root.directory(try path.notInTrash().bytes)
    for name in try Directory.names(in: ".", of: directory) {
      // File managers hide names that begin with a point. The trash has such a name.
      guard name.first != UInt8(ascii: "."), let album = try? path.appending(name) else { continue }
      var status = stat()
      let text = name.map { CChar(bitPattern: $0) } + [0]
      guard unsafe fstatat(directory.number, text, &status, AT_SYMLINK_NOFOLLOW) == 0,
        status.st_mode & S_IFMT == S_IFDIR
      else { continue }
      try body(album, status)
    }
  }

  /// The number of albums that a listing of this one would show.
  private func subAlbums(of path: SpacePath) throws(Errno) -> Int {
    let directory = try root.directory(path.bytes)
    let all = try Directory.names(in: ".", of: directory)
    let others = Set(try Directory.namesOfOthers(in: ".", of: directory))
    return all.count { $0.first != UInt8(ascii: ".") && !others.contains($0) }
  }

  /// The number of photos in each directory, without and with those below it. `isExamining` is true while the catalog
  /// still examines files that may be photos.
  func photoCounts() throws -> (counts: [[UInt8]: (own: Int, all: Int)], isExamining: Bool) {
    var request = CatalogRequest(format: .groups)
    request.group = "album"
    // Compared by bytes, because two albums may have names that differ only in Unicode normalization.
    var counts: [[UInt8]: (own: Int, all: Int)] = [:]
    let trailer = try lines(request) { group in
      guard let count = group["count"]?.whole, let title = group["title"]?.text else { return }
      let bytes = group["titleBytes"]?.text.flatMap { Hexadecimal.bytes(of: $0.utf8) } ?? Array(title.utf8)
      let slash = UInt8(ascii: "/")
      var path: [UInt8] = []
      for part in bytes.split(separator: slash) {
        path += (path.isEmpty ? [] : [slash]) + part
        counts[path, default: (0, 0)].all += count
      }
      if !path.isEmpty { counts[path, default: (0, 0)].own += count }
    }
    return (counts, trailer.isExamining && trailer.pending > 0)
  }

  /// Creates an album.
  ///
  /// - Throws: `.exists` if the name is taken.
  public func makeAlbum(_ name: [UInt8], in parent: SpacePath) throws(GalleryError) -> SpacePath {
    let path = try albumPath(name, in: parent)
    let text = name.map { CChar(bitPattern: $0) } + [0]
    let directory = try openAlbum(parent, makes: false)
    try named(path) { () throws(Errno) in try systemCall { unsafe mkdirat(directory.number, text, 0o777) } }
    return path
  }

  /// Renames an album within its parent.
  ///
  /// - Throws: `.exists` if the name is taken.
  public func renameAlbum(_ path: SpacePath, to name: [UInt8]) throws(GalleryError) -> SpacePath {
    try checkAlbum(path)
    let new = try albumPath(name, in: path.parent)
    if new == path { return path }
    let directory = try openAlbum(path.parent, makes: false)
    try named(new) { () throws(Errno) in try calls.rename(path.name, in: directory, to: name, in: directory) }
    return new
  }

  /// Moves an album with everything in it to the trash.
  public func deleteAlbum(_ path: SpacePath) throws(GalleryError) {
    try checkAlbum(path)
    let trash = try preparedTrash()
    try GalleryError.of("The album") { try trash.take(path.bytes) }
  }

  /// Gives photos an additional name in an album: each remains one file, and keeps its other names. A photo that
  /// already has its name there gets no second one.
  public func add(_ items: [Int], of snapshot: Snapshot, to album: SpacePath) throws(GalleryError) -> [ItemFailure] {
    let target = try openAlbum(album.notInTrash(), makes: false)
    return try each(items, of: snapshot, "The photo") { item in
      if item.path.isInTrash { throw GalleryError(.conflict, "This photo is in the trash; restore it first.") }
      let (directory, name) = try root.place(of: item.path.bytes)
      try Self.check(try calls.status(of: name, in: directory), is: item)
      var isNew = true
      let given = try placing(item.path.name) { free throws(Errno) in
        do throws(Errno) {
          try calls.link(name, in: directory, to: free, in: target)
        } catch .fileExists {
          guard try calls.status(of: free, in: target).inode == item.inode else { throw .fileExists }
          isNew = false
        }
      }
      // Another file may have got the name right before it was linked.
      guard isNew, try calls.status(of: given, in: target).inode != item.inode else { return }
      try? calls.unlink(given, in: target)
      throw Self.replaced
    }
  }

  /// Makes a photo the cover of the album that contains its path, as `agonyfs tag --cover` does.
  ///
  /// - Returns: The album.
  /// - Throws: `.badRequest` if the photo is not in an album.
  public func makeCover(_ index: Int, of snapshot: Snapshot) throws(GalleryError) -> SpacePath {
    let item = try snapshot.item(index)
    let album = try item.path.parent.notInTrash()
    if album.bytes.isEmpty { throw GalleryError(.badRequest, "This photo is not in an album.") }
    try GalleryError.of(snapshot.thing) {
      let (directory, name) = try root.place(of: item.path.bytes)
      try Self.check(try calls.status(of: name, in: directory), is: item)
      try AttributeFile(directory).apply([.cover: AlbumCover(name: name, inode: item.inode).value])
    }
    return album
  }

  private func albumPath(_ name: [UInt8], in parent: SpacePath) throws(GalleryError) -> SpacePath {
    let path = try parent.notInTrash().appending(name)
    guard name.first != UInt8(ascii: ".") else {
      throw GalleryError(.badName, "The name of an album must not begin with a dot.")
    }
    guard String(validating: name, as: UTF8.self) != nil else {
      throw GalleryError(.badName, "The name of an album must be UTF-8 text.")
    }
    return path
  }

  private func checkAlbum(_ path: SpacePath) throws(GalleryError) {
    if try path.notInTrash().bytes.isEmpty { throw GalleryError(.badRequest, "The space itself is not an album.") }
    _ = try openAlbum(path, makes: false)
  }

  private func named(_ path: SpacePath, _ body: () throws(Errno) -> Void) throws(GalleryError) {
    do throws(Errno) {
      try body()
    } catch .fileExists {
      throw GalleryError(
        .exists, "The name \"\(String(decoding: path.name, as: UTF8.self))\" is already taken.")
    } catch {
      throw GalleryError(error, "The album")
    }
  }
}
