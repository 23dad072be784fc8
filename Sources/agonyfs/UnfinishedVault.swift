internal import Glibc
internal import System

/// A vault that is being created, and must be removed again if the disk is full.
struct UnfinishedVault {
  private let path: String
  private let hadDirectory: Bool

  /// Call it before anything is created at the path. Nothing or an empty directory is there.
  init(path: String) {
    self.path = path
    hadDirectory = unsafe access(path, F_OK) == 0
  }

  /// Deletes what creating a vault creates, and nothing with another name or depth.
  func remove() {
    for name in names(in: path) where name.hasPrefix("agonyfs.json") || name.hasPrefix(".agonyfs.json") {
      unsafe unlink("\(path)/\(name)")
    }
    let segments = path + "/segments"
    for folder in names(in: segments) {
      for name in names(in: "\(segments)/\(folder)") {
        unsafe unlink("\(segments)/\(folder)/\(name)")
      }
      unsafe rmdir("\(segments)/\(folder)")
    }
    unsafe rmdir(segments)
    if !hadDirectory { unsafe rmdir(path) }
  }

  private func names(in path: String) -> [String] { (try? Directory.names(in: path)) ?? [] }
}
