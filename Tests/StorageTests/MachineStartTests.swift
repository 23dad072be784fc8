import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

/// Whether it is known that nobody goes on with a file that was written before this machine was started.
@Suite struct MachineStartTests {
  /// Seconds since 1970, from the kernel.
  private func bootTime() throws -> Int64 {
    let lines = String(decoding: try HostFile.read("/proc/stat"), as: UTF8.self).split(separator: "\n")
    return try #require(lines.first { $0.hasPrefix("btime ") }.flatMap { Int64($0.dropFirst(6)) })
  }

  @Test(.enabled(if: geteuid() == 0, "needs root, for file systems of its own"))
  func onlyALocalFileSystemKnowsIt() throws {
    let folder = try TemporaryFolder()
    try systemCall { unsafe mount("tmpfs", folder.path, "tmpfs", 0, nil) }
    defer { unsafe umount2(folder.path, CInt(MNT_DETACH)) }
    let local = try DirectoryCreation(at: FilePath(folder.path("vault"))).storage
    let started = try #require(local.machineStarted)
    #expect(try abs(started - bootTime()) <= 2 && started <= timeOfDay().seconds)
    for name in ["lower", "upper", "work", "over"] { try folder.makeDirectory(name) }
    let options = "lowerdir=\(folder.path("lower")),upperdir=\(folder.path("upper")),workdir=\(folder.path("work"))"
    var bytes = Array(options.utf8CString)
    try systemCall { unsafe mount("overlay", folder.path("over"), "overlay", 0, &bytes) }
    defer { unsafe umount2(folder.path("over"), CInt(MNT_DETACH)) }
    #expect(try DirectoryCreation(at: FilePath(folder.path("over/vault"))).storage.machineStarted == nil)
  }
}
