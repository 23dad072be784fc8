import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import Mount

@Suite struct MountPointTests {
  private let folder: TemporaryFolder
  /// A machine on which everything is as it should be, for a user other than root.
  private let host: MountHost
  private var point: String { folder.path("point") }

  init() throws {
    folder = try TemporaryFolder()
    host = MountHost(
      user: geteuid() == 0 ? 4711 : geteuid(), devicePath: folder.path("device"),
      helperPaths: [folder.path("fusermount3")], configurationPath: folder.path("fuse.conf"))
    try folder.write("", to: "device")
    try folder.write("#!/bin/sh\n", to: "fusermount3")
    try folder.write("# comment\n#user_allow_other\n", to: "fuse.conf")
    #expect(unsafe chmod(folder.path("fusermount3"), 0o755) == 0)
    try folder.makeDirectory("point")
  }

  @Test func anEmptyDirectoryWillDo() throws {
    #expect(unsafe symlink("point", folder.path("link")) == 0)
    let found = try MountPoint.check(folder.path("link"), options: MountOptions(), host: host)
    #expect(found.path.string == point)
  }

  @Test func whatIsNoEmptyDirectory() throws {
    let options = MountOptions()
    let missing = folder.path("missing")
    #expect(throws: MountError.missing(path: missing)) { try MountPoint.check(missing, options: options, host: host) }
    let inFile = folder.path("device/below")
    #expect(throws: MountError.missing(path: inFile)) { try MountPoint.check(inFile, options: options, host: host) }
    let file = folder.path("device")
    #expect(throws: MountError.notDirectory(path: file)) { try MountPoint.check(file, options: options, host: host) }
    try folder.makeDirectory("full")
    try folder.write("x", to: "full/.hidden")
    let full = folder.path("full")
    #expect(throws: MountError.notEmpty(path: full)) { try MountPoint.check(full, options: options, host: host) }
    #expect(try MountPoint.check(full, options: MountOptions(["nonempty"]), host: host).path.string == full)
  }

  @Test func theDeviceIsNeeded() throws {
    var host = host
    host.devicePath = folder.path("no-device")
    #expect(throws: MountError.deviceMissing) { try MountPoint.check(point, options: MountOptions(), host: host) }
    #expect(MountError.deviceNotAccessible(mode: "0600").description.contains("0600"))
  }

  @Test(.enabled(if: geteuid() != 0, "root may open every device"))
  func theDeviceMustBeAccessible() throws {
    #expect(unsafe chmod(folder.path("device"), 0o400) == 0)
    #expect(throws: MountError.deviceNotAccessible(mode: "0400")) {
      try MountPoint.check(point, options: MountOptions(), host: host)
    }
  }

  @Test func theHelperIsNeededByUsersOnly() throws {
    var host = host
    host.helperPaths = [folder.path("fuse.conf")]
    host.searchPath = folder.path("elsewhere")
    #expect(throws: MountError.helperMissing) { try MountPoint.check(point, options: MountOptions(), host: host) }
    host.searchPath = folder.path("elsewhere") + ":" + folder.path
    #expect(host.helper == folder.path("fusermount3"))
    host.searchPath = ""
    host.user = 0
    #expect(throws: Never.self) { try MountPoint.check(point, options: MountOptions(), host: host) }
    #expect(MountError.helperMissing.description.contains("package fuse3"))
  }

  @Test func othersNeedPermission() throws {
    var host = host
    for option in ["allow_other", "allow_root"] {
      let options = try MountOptions([option])
      #expect(throws: MountError.othersNotAllowed(option: option)) {
        try MountPoint.check(point, options: options, host: host)
      }
      try folder.write("mount_max = 10\n  user_allow_other  \n", to: "fuse.conf")
      #expect(throws: Never.self) { try MountPoint.check(point, options: options, host: host) }
      try folder.write("user_allow_others\n", to: "fuse.conf")
    }
    host.user = 0
    #expect(throws: Never.self) { try MountPoint.check(point, options: MountOptions(["allow_other"]), host: host) }
  }

  @Test func othersDirectoriesAreRefusedToUsers() throws {
    var host = host
    try folder.makeDirectory("sticky")
    #expect(unsafe chmod(folder.path("sticky"), 0o1777) == 0)
    host.user = geteuid() &+ 4711
    #expect(throws: MountError.notPermitted(path: folder.path("sticky"))) {
      try MountPoint.check(folder.path("sticky"), options: MountOptions(), host: host)
    }
  }
}
