internal import Glibc

/// Paths that stay valid when the process changes its directory.
enum AbsolutePath {
  /// The path from the root; it need not exist. Trailing slashes are removed, everything else stays as written. No path
  /// stays none.
  static func of(_ path: String) -> String {
    if path.isEmpty { return "" }
    var whole = path
    if !path.hasPrefix("/"), let directory = unsafe getcwd(nil, 0) {
      whole = unsafe String(cString: directory) + "/" + path
      unsafe free(directory)
    }
    while whole.count > 1, whole.hasSuffix("/") { whole.removeLast() }
    return whole
  }
}
