import Glibc
import SystemPackage

/// A folder that goes with all that is in it when the test ends.
final class TemporaryFolder {
  let root: String

  init() throws {
    var template = Array("/tmp/agonyfs-mount-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
    root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { Self.remove(root) }

  func path(_ name: String) -> String { root + "/" + name }

  func makeDirectory(_ name: String) throws {
    guard unsafe mkdir(path(name), 0o755) == 0 else { throw Errno(rawValue: errno) }
  }

  func write(_ text: String, to name: String) throws {
    let file = try FileDescriptor.open(
      FilePath(path(name)), .writeOnly, options: [.create, .truncate], permissions: FilePermissions(rawValue: 0o644))
    try file.closeAfter { _ = try file.writeAll(text.utf8) }
  }

  private static func remove(_ path: String) {
    if let names = try? Listing.names(of: path) {
      for name in names where name != "." && name != ".." { remove(path + "/" + name) }
    }
    unsafe Glibc.remove(path)
  }
}

/// What is in directories.
enum Listing {
  /// The names in a directory, "." and ".." too, in the order in which they come.
  static func names(of path: String) throws -> [String] {
    guard let directory = unsafe opendir(path) else { throw Errno(rawValue: errno) }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe String(cString: UnsafeRawPointer(pointer).assumingMemoryBound(to: CChar.self))
      }
      names.append(name)
    }
    return names
  }
}
