internal import SystemPackage

/// The places of the file system that a private session treats in its own way. All paths are absolute and without
/// symbolic links; those of directories that may not exist say so.
struct SessionPlaces: Equatable {
  /// The home directory. Nil if there is none that can lie under an overlay; then it is read-only like the rest.
  var home: FilePath?
  /// Directories that are empty in the session, and in memory.
  var vanishing: [FilePath]
  /// Directories with the sockets of services that would keep what they are told; empty in the session.
  var hidden: [FilePath] = []
  /// Sockets, directories of sockets, and their keys, that programs need to show and to sound; they may not exist.
  var sockets: [FilePath] = []
  /// Directories that stay the real ones and can be written; they may not exist.
  var kept: [FilePath] = []
  /// Where other file systems are mounted below the home directory.
  var mounts: [FilePath] = []
  /// Where the space is mounted for the process that serves it. Nobody else sees that.
  var source: FilePath
  /// Where the session shows the space; it need not exist.
  var album: FilePath

  /// A directory of memory for the process that serves the mount, in a place whose files that process does not need.
  ///
  /// - Parameter needed: paths without symbolic links.
  static func stage(among candidates: [FilePath], needed: [FilePath]) -> FilePath? {
    candidates.first { candidate in !needed.contains { $0.starts(with: candidate) } }
  }

  /// What the space would hide of the paths that something needs; nil for nothing.
  func hidden(of needed: [FilePath]) -> FilePath? { needed.first { $0.starts(with: album) } }

  /// A sentence about an album's place that cannot be: one in what stays, or above it.
  var conflict: String? {
    guard let kept = kept.first(where: { $0.starts(with: album) || album.starts(with: $0) }) else { return nil }
    return "The space cannot be shown at \(album), because \(kept) stays the real one; choose another place with --at."
  }
}
