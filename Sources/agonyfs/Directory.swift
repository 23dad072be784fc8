internal import Glibc
internal import System
internal import SystemPackage

extension Directory {
  /// Whether a path leads to a directory; symbolic links are followed.
  static func exists(at path: FilePath) -> Bool {
    var status = stat()
    return (try? unsafe path.call { unsafe stat($0, &status) }) != nil && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Whether the path is unused or an empty directory, so that something can be created there.
  static func isNothing(at path: FilePath) -> Bool {
    do throws(Errno) {
      return try names(in: path).isEmpty
    } catch {
      var information = stat()
      return error == .noSuchFileOrDirectory && (try? unsafe path.call { unsafe lstat($0, &information) }) == nil
    }
  }
}
