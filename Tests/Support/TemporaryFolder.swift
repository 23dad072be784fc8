internal import Glibc
internal import Synchronization
internal import System
package import SystemPackage

/// A directory of the host, which is deleted with the object, or when the process ends before that.
package final class TemporaryFolder {
  /// The directory.
  package let path: String
  private let owner: String
  /// What the process has made and not deleted.
  private static let folders = Mutex<Set<String>>([])
  private static let isDeletingAtExit: Bool = {
    // Another thread may hold the last reference to one when the last test ends.
    atexit { TemporaryFolder.folders.withLock { $0 }.forEach(HostFile.remove) }
    return true
  }()

  /// Makes an empty directory in `place`, else in `TMPDIR`, or in /tmp. `owner` is named when it cannot be deleted.
  package init(in place: String? = nil, owner: String = #fileID) throws(Errno) {
    precondition(Self.isDeletingAtExit)
    self.owner = owner
    let parent = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(place ?? parent)/agonyfs-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw .current }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    Self.folders.withLock { _ = $0.insert(path) }
  }

  deinit {
    // A process that a test has started may write for another moment.
    for _ in 0..<100 {
      HostFile.remove(path)
      guard HostFile.status(path).st_mode != 0 else { break }
      usleep(100_000)
    }
    if HostFile.status(path).st_mode != 0 {
      _ = try? FileDescriptor.standardError.writeAll(
        Array("\(owner) leaves \(path) behind, with \(HostFile.names(in: path))\n".utf8))
    }
    Self.folders.withLock { _ = $0.remove(path) }
  }

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
