internal import SystemPackage

/// GVfs' metadata: settings that Nautilus, Nemo and Caja keep for folders, by name. Each store has a tree, and journals
/// of later changes.
struct MetadataStore: TraceSource {
  private static let limit = 64 << 20
  private static let most = 1000

  var isRemovable: Bool { false }

  func search(_ search: inout TraceSearch) {
    guard let folder = search.folder(.data, "gvfs-metadata") else { return }
    for name in search.names(in: folder) {
      guard let (bytes, _) = search.content(of: name, in: folder, limit: Self.limit) else { continue }
      let names = Self.names(in: bytes, of: name, search)
      guard !names.isEmpty else { continue }
      search.found(
        Finding(
          program: "GVfs metadata (Nautilus, Nemo)", kind: .metadata, file: folder.path(of: name), count: names.count,
          names: names, reveals: names.allSatisfy { search.places.paths.contains($0) } ? .place : .names,
          remedy: .byHand(
            "End gvfsd-metadata and delete these files before it starts again. File "
              + "managers then forget positions and orders of all folders in that file.")))
    }
  }

  /// The absolute paths in a tree or journal that lie in the places.
  private static func names(in bytes: [UInt8], of file: [UInt8], _ search: TraceSearch) -> [[UInt8]] {
    let isOfHome = file.starts(with: "home".utf8)
    return search.places.paths.flatMap { place -> [[UInt8]] in
      let root = isOfHome ? search.home.path : [PathBytes.slash]
      guard let inner = PathBytes.rest(of: place, below: root) else { return [] }
      let paths: [[UInt8]]
      if let tree = MetadataTree(bytes) {
        paths = tree.paths(below: inner, most: most)
      } else {
        paths = journal(bytes, below: inner)
      }
      return paths.map { root + (root == [PathBytes.slash] ? [] : [PathBytes.slash]) + $0 }
    }
  }

  /// A journal holds whole paths from the tree's root, each with a slash before it and a zero byte after it.
  private static func journal(_ bytes: [UInt8], below inner: [UInt8]) -> [[UInt8]] {
    let wanted = [PathBytes.slash] + inner
    var seen: Set<[UInt8]> = []
    for text in bytes.split(separator: 0) {
      // Bytes of a time may precede it, and a byte from 0 to 4 that names the operation.
      for start in text.indices.prefix(10) where text[start] == PathBytes.slash {
        guard start == text.startIndex || text[start - 1] <= 4 else { continue }
        let path = Array(text[start...].prefix(4096))
        if PathBytes.isBelow(path, orAt: wanted), seen.count < most { seen.insert(Array(path.dropFirst())) }
      }
    }
    return seen.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
