internal import Glibc
internal import SystemPackage

/// Paths that stay valid when the process changes its directory.
enum AbsolutePath {
  /// Makes a path absolute; it need not exist. An empty path stays empty.
  static func of(_ path: FilePath) -> FilePath {
    if path.isEmpty || path.isAbsolute { return path }
    guard let directory = unsafe getcwd(nil, 0) else { return path }
    defer { unsafe free(directory) }
    return unsafe FilePath(platformString: directory).pushing(path)
  }
}
