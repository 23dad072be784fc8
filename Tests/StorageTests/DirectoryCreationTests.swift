import FaultyStorage
import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

/// How a storage in a directory is created, undone and opened.
@Suite struct DirectoryCreationTests {
  private let parent: TemporaryFolder
  private var path: String { parent.path("vault") }

  init() throws { parent = try TemporaryFolder() }

  @Test func onlyACompleteStorageIsOpened() throws {
    #expect(throws: DirectoryStorageError.missing) { try DirectoryStorage(path: path) }
    let storage = try DirectoryCreation(at: path).storage
    #expect(HostFile.names(in: path) == ["segments"])
    #expect(HostFile.names(in: path + "/segments").count == 256)
    #expect(HostFile.status(path).st_mode & 0o777 == 0o700)
    let lacksParameters = DirectoryStorageError.incomplete("it has no agonyfs.json")
    #expect(throws: lacksParameters) { try DirectoryStorage(path: path) }
    try storage.replaceParameters(with: [1, 2])
    #expect(try DirectoryStorage(path: path).readParameters(limit: 10) == [1, 2])
    try systemCall { unsafe rename(path + "/segments", path + "/elsewhere") }
    let lacksSegments = DirectoryStorageError.incomplete("it has no directory segments")
    #expect(throws: lacksSegments) { try DirectoryStorage(path: path) }
    let isFile = DirectoryStorageError.incomplete("it is not a directory")
    #expect(throws: isFile) { try DirectoryStorage(path: path + "/agonyfs.json") }
  }

  @Test func onlyAnEmptyDirectoryIsTaken() throws {
    _ = try DirectoryCreation(at: path)
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: path) }
    try parent.write("text", to: "letter")
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: parent.path("letter")) }
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: parent.path) }
    _ = unsafe symlink("nowhere", parent.path("link"))
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: parent.path("link")) }
    #expect(throws: DirectoryStorageError.system(.noSuchFileOrDirectory, "creating the vault")) {
      try DirectoryCreation(at: parent.path("a/b"))
    }
    #expect(HostFile.names(in: parent.path) == ["letter", "link", "vault"])
    #expect(HostFile.names(in: path + "/segments").count == 256)
  }

  @Test(arguments: [false, true])
  func whatWasCreatedIsRemoved(isDirectoryOurs: Bool) throws {
    if !isDirectoryOurs { try parent.makeDirectory("vault") }
    let creation = try DirectoryCreation(at: path)
    try creation.storage.put(.numbered(1), [1, 2, 3])
    try creation.storage.replaceParameters(with: [1])
    creation.remove()
    #expect(HostFile.names(in: parent.path) == (isDirectoryOurs ? [] : ["vault"]))
    #expect(HostFile.names(in: path).isEmpty)
  }

  /// What others put there meanwhile stays.
  @Test func nothingElseIsRemoved() throws {
    let creation = try DirectoryCreation(at: path)
    try parent.write("text", to: "vault/letter")
    creation.remove()
    #expect(HostFile.names(in: path) == ["letter"])
  }

  @Test(.enabled(if: geteuid() == 0, "needs root, for a file system with few inodes"))
  func nothingIsLeftWhenFoldersDoNotFit() throws {
    try systemCall { unsafe mount("tmpfs", parent.path, "tmpfs", 0, "nr_inodes=100") }
    defer { unsafe umount2(parent.path, CInt(MNT_DETACH)) }
    #expect(throws: DirectoryStorageError.system(.noSpace, "creating the vault")) { try DirectoryCreation(at: path) }
    #expect(HostFile.names(in: parent.path).isEmpty)
  }
}
