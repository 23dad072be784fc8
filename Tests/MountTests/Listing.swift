import Glibc
import System
import SystemPackage

/// What is in directories.
enum Listing {
  /// The names in a directory, "." and ".." too, in the order in which they come. `afterEach` is told how many came.
  static func names(of path: String, afterEach: (Int) throws -> Void = { _ in }) throws -> [String] {
    guard let directory = unsafe opendir(path) else { throw Errno.current }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
      }
      names.append(name)
      try afterEach(names.count)
    }
    return names
  }
}
