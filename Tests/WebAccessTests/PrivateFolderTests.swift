import Glibc
import TestSupport
import Testing

@testable import System
@testable import WebAccess

@Suite struct PrivateFolderTests {
  private let base: TemporaryFolder

  init() throws { base = try TemporaryFolder() }

  private func make(_ name: String, mode: mode_t) throws -> String {
    let path = base.path("agonyfs-web." + name)
    try systemCall { unsafe mkdir(path, 0o700) }
    for file in ["lock", "open.html"] { _ = try Descriptor.open(path + "/" + file, O_RDWR | O_CREAT) }
    try systemCall { unsafe mkdir(path + "/mount", 0o700) }
    try systemCall { unsafe chmod(path, mode) }
    return path
  }

  private func exists(_ path: String) -> Bool { unsafe access(path, F_OK) == 0 }

  @Test func whatAKilledProcessLeftIsRemoved() throws {
    let program = try AgonyfsProgram(path: "/bin/false")
    let left = try make("left", mode: 0o700)
    let open = try make("open", mode: 0o755)
    let link = base.path("agonyfs-web.link")
    try systemCall { unsafe symlink(open, link) }
    let live = try PrivateFolder(in: base.path)
    #expect(PrivateFolder.removeLeftOvers(in: base.path, program) == [])
    #expect(!exists(left))
    // Somebody else may have filled it.
    #expect(exists(open + "/open.html") && exists(open + "/mount") && exists(link))
    #expect(exists(live.path))
    #expect(live.remove(program) == [])
    #expect(!exists(live.path))
  }

  @Test func whatCannotBeRemovedIsSaidAndStays() throws {
    let folder = try PrivateFolder(in: base.path)
    let place = try folder.makeDirectory()
    // As good as a mount: it cannot be removed, and no program takes it away.
    _ = try Descriptor.open(place + "/file", O_RDWR | O_CREAT)
    let said = folder.remove(try AgonyfsProgram(path: "/bin/false"))
    #expect(said.count == 1 && said[0].hasPrefix(place + ": "))
    #expect(exists(place + "/file"))
    // The place may have been left by itself, whatever the program says.
    try systemCall { unsafe unlink(place + "/file") }
    #expect(folder.remove(try AgonyfsProgram(path: "/bin/false")) == [])
  }
}
