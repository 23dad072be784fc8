// Invariants
// 1. A thumbnail belongs to the places if one of its texts says so, or if it is named after a file that is in a place
//    now. All others are only read.

internal import SystemPackage

/// The thumbnails of freedesktop's standard, `~/.cache/thumbnails` and `~/.thumbnails`: all sizes, and the records of
/// failures.
struct ThumbnailCache: TraceSource {
  var isRemovable: Bool { true }

  func search(_ search: inout TraceSearch) {
    let trashed = HomeTrash.trashedNames(&search)
    for (root, path) in [(Home.Root.cache, "thumbnails"), (.home, ".thumbnails")] {
      guard let cache = search.folder(root, path) else { continue }
      for size in search.names(in: cache) {
        guard let folder = search.folder(size, in: cache) else { continue }
        self.search(folder, isFailure: size.elementsEqual("fail".utf8), trashed, &search)
      }
    }
  }

  private func search(_ folder: Folder, isFailure: Bool, _ trashed: Set<[UInt8]>, _ search: inout TraceSearch) {
    for name in search.names(in: folder) {
      // Below `fail` each program has a folder.
      if isFailure, let inner = try? folder.folder(name) {
        self.search(inner, isFailure: true, trashed, &search)
        continue
      }
      guard let file = search.file(name, in: folder) else { continue }
      let uris: [[UInt8]]
      do throws(Errno) {
        uris = try PNGText.values(of: "Thumb::URI", in: file) ?? []
      } catch {
        search.couldNotSearch(folder.path(of: name), error)
        continue
      }
      let own = uris.filter { isOurs($0, trashed, search) }
      guard !own.isEmpty || search.known.hasThumbnail(named: name) else { continue }
      search.found(
        Finding(
          program: isFailure ? "thumbnails that failed" : "thumbnails", kind: .thumbnail, file: folder.path(of: name),
          names: own, reveals: isFailure ? .names : .picture,
          remedy: .remove(.file(folder, name, file.identity))))
    }
  }

  private func isOurs(_ uri: [UInt8], _ trashed: Set<[UInt8]>, _ search: TraceSearch) -> Bool {
    if search.places.contains(uri: uri) { return true }
    if let name = TraceURI.nameInHomeTrash(of: uri) { return trashed.contains(name) }
    // For a file in its trash, KDE uses the path there.
    let files = search.home.path(of: .data) + Array("/Trash/files".utf8)
    guard let path = TraceURI.path(of: uri).flatMap(PathBytes.normalized),
      let rest = PathBytes.rest(of: path, below: files)
    else { return false }
    return trashed.contains(Array(rest.prefix { $0 != PathBytes.slash }))
  }
}
