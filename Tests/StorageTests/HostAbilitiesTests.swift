import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import Storage

/// What is known of a host, and how it is tried.
@Suite struct HostAbilitiesTests {
  @Test func onlyARefusalOfTheHostIsALack() throws {
    let abilities = HostAbilities()
    #expect(throws: Errno.noSpace) { _ = try abilities.use(.allocation) { () throws(Errno) in throw .noSpace } }
    #expect(throws: Errno.fileExists) { _ = try abilities.use(.hardLinks) { () throws(Errno) in throw .fileExists } }
    #expect(abilities.lacking == [])
    let isHeld = try abilities.use(.allocation) { () throws(Errno) in throw .notSupported }
    #expect(!isHeld && abilities.lacks(.allocation) && abilities.lacking == [.allocation])
    // It is not tried again.
    let isHeldLater = try abilities.use(.allocation) { () throws(Errno) in throw .ioError }
    let isLinked = try abilities.use(.hardLinks) { () throws(Errno) in }
    #expect(!isHeldLater && isLinked && !abilities.lacks(.hardLinks))
  }

  @Test(.enabled(if: geteuid() == 0, "needs root, for a file system of its own"))
  func memoryHasEverything() throws {
    let folder = try TemporaryFolder()
    try systemCall { unsafe mount("tmpfs", folder.path, "tmpfs", 0, nil) }
    defer { unsafe umount2(folder.path, CInt(MNT_DETACH)) }
    let creation = try DirectoryCreation(at: FilePath(folder.path("vault")))
    try creation.storage.replaceParameters(with: [1])
    try creation.complete()
    #expect(creation.storage.isOnLocalHost && DirectoryStorage.isOnLocalHost(FilePath(folder.path)))
    #expect(creation.storage.lackingAbilities() == [])
    #expect(HostFile.names(in: folder.path("vault")).sorted() == ["agonyfs.json", "segments"])
    let status = HostFile.status(folder.path("vault"))
    #expect(Int(status.st_mtim.tv_sec) == DirectoryStorage.completeTime)
  }

  @Test(.enabled(if: LoopImage.canBe("ext4 -I 128"), "needs root, loop devices and ext4"))
  func ext4WithSmallInodesKeepsNoBirths() throws {
    let disk = try LoopImage("ext4 -I 128")
    let creation = try DirectoryCreation(at: FilePath(disk.path + "/vault"))
    try creation.storage.replaceParameters(with: [1])
    try creation.complete()
    #expect(creation.storage.lackingAbilities() == [.births])
  }
}
