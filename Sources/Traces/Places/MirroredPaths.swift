internal import SystemPackage

/// Caches that mirror each folder of photos by a folder with its whole path.
struct MirroredPaths: TraceSource {
  private static let caches: [(root: Home.Root, path: String, program: String)] = [
    (.cache, "geeqie/thumbnails", "Geeqie"), (.data, "geeqie/thumbnails", "Geeqie"),
    (.data, "geeqie/metadata", "Geeqie"), (.home, ".geeqie/thumbnails", "Geeqie"),
  ]

  var isRemovable: Bool { false }

  func search(_ search: inout TraceSearch) {
    for cache in Self.caches {
      guard let root = search.folder(cache.root, cache.path) else { continue }
      for place in search.places.paths {
        var folder = root
        var isThere = true
        for part in place.split(separator: PathBytes.slash) where isThere {
          guard let next = search.folder(Array(part), in: folder) else {
            isThere = false
            break
          }
          folder = next
        }
        guard isThere else { continue }
        search.found(
          Finding(
            program: cache.program, kind: .cache, file: folder.path, count: max(1, search.names(in: folder).count),
            names: [place], reveals: .picture,
            remedy: .byHand("End Geeqie and delete the folder; Geeqie can make its contents again.")))
      }
    }
  }
}

/// Positions in videos where mpv stopped: one file for each video, named by the MD5 of its path; some contain the path.
struct WatchLater: TraceSource {
  private static let limit = 1 << 20

  var isRemovable: Bool { false }

  func search(_ search: inout TraceSearch) {
    for (root, path) in [
      (Home.Root.config, "mpv/watch_later"), (.state, "mpv/watch_later"), (.home, ".mpv/watch_later"),
    ] {
      guard let folder = search.folder(root, path) else { continue }
      for name in search.names(in: folder) {
        guard let (bytes, _) = search.content(of: name, in: folder, limit: Self.limit) else { continue }
        let hits = search.matcher.hits(in: bytes, isText: true)
        guard !hits.isEmpty || search.known.hasPathDigest(named: name) else { continue }
        search.found(
          Finding(
            program: "mpv", kind: .history, file: folder.path(of: name), reveals: .names,
            remedy: .byHand("Delete the file; mpv then starts that video from its beginning.")))
      }
    }
  }
}
