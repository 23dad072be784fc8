internal import SystemPackage

/// The places that a private session treats specially. All paths are absolute and without symbolic links. Directories
/// exist unless noted.
struct SessionPlaces: Equatable {
  /// The home directory. Nil if no home directory can be covered by an overlay; it is then read-only like the rest.
  var home: FilePath?
  /// Directories that are empty in the session; files written to them stay in memory.
  var vanishing: [FilePath]
  /// Directories with the sockets of services that would record what programs tell them; empty in the session.
  var hidden: [FilePath] = []
  /// Sockets, directories of sockets and their keys that programs need for display and sound; they may not exist.
  var sockets: [FilePath] = []
  /// Directories that stay the real ones and can be written; they may not exist.
  var kept: [FilePath] = []
  /// Mount points of other file systems below the home directory.
  var mounts: [FilePath] = []
  /// Where the serving process mounts the space. No other process sees this mount.
  var source: FilePath
  /// Where the session shows the space; it need not exist.
  var album: FilePath

  /// Chooses a directory that the serving process can cover with memory, because it needs no file in it.
  ///
  /// - Parameter needed: paths without symbolic links.
  static func stage(among candidates: [FilePath], needed: [FilePath]) -> FilePath? {
    candidates.first { candidate in !needed.contains { $0.starts(with: candidate) } }
  }

  /// The first needed path that the space would hide; nil if there is none.
  func hidden(of needed: [FilePath]) -> FilePath? { needed.first { $0.starts(with: album) } }

  /// A sentence that refuses the album's place if it lies in, or above, a directory that stays real; nil if it fits.
  var conflict: String? {
    guard let kept = kept.first(where: { $0.starts(with: album) || album.starts(with: $0) }) else { return nil }
    return "The space cannot be shown at \(album), because the session keeps \(kept) unchanged; choose another place "
      + "with --at."
  }
}
