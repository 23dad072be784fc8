internal import SystemPackage

/// Small system files, read whole.
enum FileContent {
  /// The bytes of a file; nil when it cannot be read.
  static func bytes(of path: String) -> [UInt8]? {
    guard let file = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.closeOnExec]) else { return nil }
    defer { try? file.close() }
    var content: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16_384)
    while true {
      guard let count = try? unsafe block.withUnsafeMutableBytes({ try unsafe file.read(into: $0) }) else {
        return nil
      }
      if count == 0 { return content }
      content += block[..<count]
    }
  }

  /// Writes a short text into an existing file, such as a setting under /sys. Whether it was taken.
  static func overwrite(_ path: String, with text: String) -> Bool {
    guard let file = try? FileDescriptor.open(FilePath(path), .writeOnly, options: [.closeOnExec]) else {
      return false
    }
    defer { try? file.close() }
    return (try? file.writeAll(text.utf8)) != nil
  }
}
