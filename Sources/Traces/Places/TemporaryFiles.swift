internal import Glibc
internal import SystemPackage

/// Small files of this user in the folders for temporary files that name a path of the places. A photo that a program
/// copied there names no path, so it is not found.
struct TemporaryFiles: TraceSource {
  /// Largest file that is read, in bytes.
  private static let limit = 1 << 20
  private static let depth = 2
  /// Most files that are read in one folder and below it, because temporary folders may hold any number.
  static let most = 5000

  var isRemovable: Bool { false }

  func search(_ search: inout TraceSearch) {
    var searched: [[UInt8]] = []
    for path in search.home.temporary where !searched.contains(where: { PathBytes.isBelow(path, orAt: $0) }) {
      guard !search.places.contains(path), let folder = try? Folder.begin(at: path) else { continue }
      var left = Self.most
      look(in: folder, Self.depth, &left, &search)
      if left == 0 {
        search.couldNotSearch(
          path, "only \(Self.most) of its files were read; delete some, and run agonyfs doctor again", isPartial: true)
      }
      searched.append(path)
    }
  }

  private func look(in folder: Folder, _ depth: Int, _ left: inout Int, _ search: inout TraceSearch) {
    for name in (try? folder.names()) ?? [] where left > 0 {
      // Other users' files are not traces of this user, and cannot be read anyway.
      guard let status = try? folder.status(of: name), status.st_uid == geteuid() else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        let path = folder.path(of: name)
        // A home directory there is searched by its own rules.
        let isSearched = search.places.contains(path) || path == search.home.path
        if depth > 0, !isSearched, let inner = try? folder.folder(name) { look(in: inner, depth - 1, &left, &search) }
        continue
      }
      left -= 1
      guard let file = try? folder.file(name), file.size <= Self.limit,
        let scan = try? FileScan(file, search.matcher, isText: true), scan.count > 0
      else { continue }
      search.found(
        Finding(
          program: "temporary files", kind: .temporary, file: folder.path(of: name), count: scan.count,
          lines: scan.lines, reveals: scan.isBelow ? .names : .place,
          remedy: .byHand(
            "Delete the file once no program uses it; restarting the machine empties /tmp on most systems.")))
    }
  }
}
