import CMount
import Glibc
import SystemPackage
import Testing

@testable import Mount

extension LiveMountTests {
  @Suite struct AttributeTests {
    @Test func valuesAndTheirSizes() throws {
      let live = try LiveMount()
      let path = live.path("file")
      try System.write([], to: path)
      #expect(throws: Errno.noData) { try System.attribute("user.a", of: path) }
      try System.setAttribute("user.a", of: path, to: [1, 0, 2])
      try System.setAttribute("user.empty", of: path, to: [])
      #expect(try System.attribute("user.a", of: path) == [1, 0, 2])
      #expect(try System.attribute("user.empty", of: path) == [])
      // Without room the size is told; with too little it is an error.
      #expect(try System.attribute("user.a", of: path, room: 0).count == 3)
      #expect(throws: Errno.outOfRange) { try System.attribute("user.a", of: path, room: 2) }
      #expect(try System.attributeNames(of: path).sorted() == ["user.a", "user.empty"])
      try System.check(unsafe removexattr(path, "user.a"))
      #expect(throws: Errno.noData) { try System.attribute("user.a", of: path) }
    }

    @Test func theMountTellsItsProcessToWhoAsks() throws {
      let live = try LiveMount()
      let identity = DaemonIdentity(text: try System.attribute("system.agonyfs.daemon", of: live.root))
      #expect(identity == DaemonIdentity.current())
      #expect(try System.attributeNames(of: live.root) == [])
      #expect(throws: Errno.notPermitted) { try System.setAttribute("system.agonyfs.daemon", of: live.root, to: [1]) }
      try System.write([], to: live.path("file"))
      #expect(throws: Errno.notSupported) { try System.attribute("system.agonyfs.daemon", of: live.path("file")) }
    }

    @Test func accessListsAreKeptByTheKernelsRules() throws {
      let live = try LiveMount()
      let path = live.path("file")
      try System.write([], to: path)
      try System.check(unsafe chmod(path, 0o640))
      // Version 2; owner rw-, user 1234 r--, group r--, mask r--, others ---.
      let nobody: [UInt8] = [255, 255, 255, 255]
      let list: [UInt8] =
        [2, 0, 0, 0, 1, 0, 6, 0] + nobody + [2, 0, 4, 0, 0xD2, 4, 0, 0, 4, 0, 4, 0] + nobody + [16, 0, 4, 0] + nobody
        + [32, 0, 0, 0] + nobody
      try System.setAttribute("system.posix_acl_access", of: path, to: list)
      #expect(try System.attribute("system.posix_acl_access", of: path) == list)
      // The group bits of the mode are the list's mask from now on.
      try System.check(unsafe chmod(path, 0o660))
      let changed = try System.attribute("system.posix_acl_access", of: path)
      #expect(changed[30] == 6)
      #expect(try System.status(path).st_mode & 0o777 == 0o660)
    }

    @Test(.enabled(if: geteuid() != 0, "root keeps them"))
    func writingTakesSetUserBitsAway() throws {
      let live = try LiveMount()
      try System.write([1], to: live.path("program"))
      try System.check(unsafe chmod(live.path("program"), 0o4755))
      let file = try FileDescriptor.open(FilePath(live.path("program")), .writeOnly)
      try file.closeAfter { _ = try file.writeAll([2]) }
      #expect(try System.status(live.path("program")).st_mode & 0o7777 == 0o755)
    }
  }
}
