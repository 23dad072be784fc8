internal import SystemPackage

/// The lists of recently used files that GTK and other programs keep, in XBEL.
struct RecentFiles: TraceSource {
  /// Longest list, in bytes; a list of a few thousand files has a megabyte.
  static let limit = 16 << 20

  var isRemovable: Bool { true }

  private static let lists: [(root: Home.Root, path: String, name: String, program: String)] = [
    (.data, "", "recently-used.xbel", "recent files (GTK, KDE)"),
    (.home, "", ".recently-used.xbel", "recent files (GTK)"),
    (.home, "", ".recently-used", "recent files (GNOME)"),
    (.config, "gthumb", "history.xbel", "gThumb"),
  ]

  func search(_ search: inout TraceSearch) {
    for list in Self.lists {
      let name = Array(list.name.utf8)
      guard let folder = search.folder(list.root, list.path),
        let (bytes, _) = search.content(of: name, in: folder, limit: Self.limit)
      else { continue }
      let isInHistory = list.program == "gThumb"
      let places = search.places
      do throws(BookmarkList.NotUnderstood) {
        let names = try BookmarkList(bytes).entries.map(\.uri).filter { places.contains(uri: $0) }
        guard !names.isEmpty else { continue }
        search.found(
          Finding(
            program: list.program, kind: isInHistory ? .history : .recent, file: folder.path(of: name),
            count: names.count, names: names, reveals: .names, remedy: .remove(.bookmarks(folder, name, places))))
      } catch {
        let hits = search.matcher.hits(in: bytes, isText: true)
        guard let first = hits.first else { continue }
        search.found(
          Finding(
            program: list.program, kind: .recent, file: folder.path(of: name), count: hits.count,
            reveals: hits.contains(where: \.isBelow) || first.isBelow ? .names : .place,
            remedy: .byHand("The list is damaged, so nothing was changed in it; delete the file.")))
      }
    }
  }
}

/// KDE's recent documents, one file for each.
struct RecentDocuments: TraceSource {
  private static let limit = 1 << 20

  var isRemovable: Bool { true }

  func search(_ search: inout TraceSearch) {
    guard let folder = search.folder(.data, "RecentDocuments") else { return }
    for name in search.names(in: folder) where name.suffix(8).elementsEqual(".desktop".utf8) {
      guard let (bytes, file) = search.content(of: name, in: folder, limit: Self.limit) else { continue }
      let uris = Self.uris(in: bytes, home: search.home.path).filter { search.places.contains(uri: $0) }
      guard !uris.isEmpty else { continue }
      search.found(
        Finding(
          program: "recent documents (KDE)", kind: .recent, file: folder.path(of: name), names: uris, reveals: .names,
          remedy: .remove(.file(folder, name, file.identity))))
    }
  }

  /// The values of `URL`. If the key is marked by `[$e]`, KDE writes `$HOME` for the home directory.
  private static func uris(in bytes: [UInt8], home: [UInt8]) -> [[UInt8]] {
    bytes.split(separator: 0x0A).compactMap { line -> [UInt8]? in
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let key = String(decoding: line[..<equals], as: UTF8.self).filter { $0 != " " }
      var value = Array(line[(equals + 1)...].drop { $0 == 0x20 })
      while value.last == 0x20 || value.last == 0x0D { value.removeLast() }
      guard key == "URL" || key == "URL[$e]" else { return nil }
      for scheme in ["", "file:", "file://"] where value.starts(with: Array("\(scheme)$HOME".utf8)) {
        value.replaceSubrange(0..<(scheme.utf8.count + 5), with: Array(scheme.utf8) + home)
      }
      return value
    }
  }
}
