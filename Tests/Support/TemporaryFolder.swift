internal import Glibc
internal import System
package import SystemPackage

/// A directory of the host, which is deleted with the object.
package final class TemporaryFolder {
  /// The directory.
  package let path: String

  /// Makes an empty directory in `TMPDIR`, or in /tmp.
  package init() throws(Errno) {
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/agonyfs-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw .current }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { HostFile.remove(path) }

  /// The path of something in the directory.
  package func path(_ name: String) -> String { path + "/" + name }

  /// Makes a directory in it.
  package func makeDirectory(_ name: String) throws(Errno) {
    try systemCall { unsafe mkdir(path(name), 0o755) }
  }

  /// Writes a file in it.
  package func write(_ text: String, to name: String) throws(Errno) {
    try HostFile.write(Array(text.utf8), to: path(name))
  }
}
