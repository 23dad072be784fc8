internal import Glibc
internal import SystemPackage

/// Paths that stay valid when the process changes its directory.
enum AbsolutePath {
  /// The path from the root; it need not exist. No path stays none.
  static func of(_ path: FilePath) -> FilePath {
    if path.isEmpty || path.isAbsolute { return path }
    guard let directory = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(directory) }
    return unsafe FilePath(platformString: directory).pushing(path)
  }
}
