internal import Glibc
internal import System
package import SystemPackage

/// A directory on the tmpfs that every Linux has, which is deleted with the object. tmpfs lists names as they came.
package final class MemoryFolder {
  /// The directory.
  package let path: String

  /// Makes an empty directory.
  package init() throws(Errno) {
    var template = Array("/dev/shm/agonyfs-test-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw .current }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit { HostFile.remove(path) }
}
