internal import Glibc

/// A vault that is being made, and may have to be taken away again because the disk is full.
struct UnfinishedVault {
  private let path: String
  private let hadDirectory: Bool

  /// To be called before anything is made at the path, where nothing is yet or an empty directory.
  init(path: String) {
    self.path = path
    hadDirectory = unsafe access(path, F_OK) == 0
  }

  /// Deletes what making a vault makes, and nothing that has another name or depth.
  func remove() {
    for name in Directory.names(in: path) ?? [] where name.hasPrefix("agonyfs.json") || name.hasPrefix(".agonyfs.json")
    {
      unsafe unlink("\(path)/\(name)")
    }
    let segments = path + "/segments"
    for folder in Directory.names(in: segments) ?? [] {
      for name in Directory.names(in: "\(segments)/\(folder)") ?? [] {
        unsafe unlink("\(segments)/\(folder)/\(name)")
      }
      unsafe rmdir("\(segments)/\(folder)")
    }
    unsafe rmdir(segments)
    if !hadDirectory { unsafe rmdir(path) }
  }
}
