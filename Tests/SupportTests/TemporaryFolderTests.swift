import Glibc
import System
import Testing

@testable import TestSupport

/// What is left by a test's folder: nothing.
@Suite struct TemporaryFolderTests {
  @Test func namesMayBeAnyBytes() throws {
    var path = ""
    do {
      let folder = try TemporaryFolder()
      path = folder.path
      let name = Array("\(path)/a".utf8CString.dropLast()) + [-1, 0]
      try #require(unsafe mkdir(name, 0o755) == 0)
      let inside = name.dropLast() + Array("/x".utf8CString.dropLast()) + [-2, 0]
      let file = unsafe open(Array(inside), O_CREAT | O_WRONLY, 0o644)
      try #require(file >= 0)
      close(file)
      try #require(unsafe symlink("nowhere", folder.path("link")) == 0)
    }
    #expect(HostFile.status(path).st_mode == 0)
  }
}
