internal import Glibc
internal import System
internal import SystemPackage

extension Directory {
  /// Whether nothing or an empty directory is at a path, so something can be created there.
  static func isNothing(at path: FilePath) -> Bool {
    do throws(Errno) {
      return try names(in: path).isEmpty
    } catch {
      var information = stat()
      return error == .noSuchFileOrDirectory && (try? unsafe path.call { unsafe lstat($0, &information) }) == nil
    }
  }
}
