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
    #expect(throws: DirectoryStorageError.missing) { try DirectoryStorage(path: FilePath(path)) }
    let creation = try DirectoryCreation(at: FilePath(path))
    let storage = creation.storage
    #expect(HostFile.names(in: path) == ["creating", "segments"])
    #expect(HostFile.names(in: path + "/segments").count == 256)
    #expect(HostFile.status(path).st_mode & 0o777 == 0o700)
    let lacksParameters = DirectoryStorageError.incomplete("it has no agonyfs.json")
    #expect(throws: lacksParameters) { try DirectoryStorage(path: FilePath(path)) }
    try storage.replaceParameters(with: [1, 2])
    try creation.complete()
    #expect(HostFile.names(in: path) == ["agonyfs.json", "segments"])
    #expect(try DirectoryStorage(path: FilePath(path)).readParameters(limit: 10) == [1, 2])
    try systemCall { unsafe rename(path + "/segments", path + "/elsewhere") }
    let lacksSegments = DirectoryStorageError.incomplete("it has no directory segments")
    #expect(throws: lacksSegments) { try DirectoryStorage(path: FilePath(path)) }
    let isFile = DirectoryStorageError.incomplete("it is not a directory")
    #expect(throws: isFile) { try DirectoryStorage(path: FilePath(path + "/agonyfs.json")) }
  }

  @Test func onlyAnEmptyDirectoryIsTaken() throws {
    _ = try DirectoryStorage.make(at: path)
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: FilePath(path)) }
    try parent.write("text", to: "letter")
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: FilePath(parent.path("letter"))) }
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: FilePath(parent.path)) }
    _ = unsafe symlink("nowhere", parent.path("link"))
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: FilePath(parent.path("link"))) }
    for below in ["a", "a/c", "letter"] {
      #expect(throws: DirectoryStorageError.parentMissing(FilePath(parent.path(below)))) {
        try DirectoryCreation(at: FilePath(parent.path(below + "/b")))
      }
    }
    #expect(HostFile.names(in: parent.path) == ["letter", "link", "vault"])
    #expect(HostFile.names(in: path + "/segments").count == 256)
  }

  @Test(arguments: [false, true])
  func whatWasCreatedIsRemoved(isDirectoryOurs: Bool) throws {
    if !isDirectoryOurs { try parent.makeDirectory("vault") }
    let creation = try DirectoryCreation(at: FilePath(path))
    try creation.storage.put(.numbered(1), [1, 2, 3])
    try creation.storage.replaceParameters(with: [1])
    creation.remove()
    #expect(HostFile.names(in: parent.path) == (isDirectoryOurs ? [] : ["vault"]))
    #expect(HostFile.names(in: path).isEmpty)
  }

  /// What others put there meanwhile stays.
  @Test func nothingElseIsRemoved() throws {
    let creation = try DirectoryCreation(at: FilePath(path))
    try parent.write("text", to: "vault/letter")
    creation.remove()
    #expect(HostFile.names(in: path) == ["letter"])
  }

  @Test(.enabled(if: geteuid() == 0, "needs root, for a file system with few inodes"))
  func nothingIsLeftWhenFoldersDoNotFit() throws {
    try systemCall { unsafe mount("tmpfs", parent.path, "tmpfs", 0, "nr_inodes=100") }
    defer { unsafe umount2(parent.path, CInt(MNT_DETACH)) }
    #expect(throws: DirectoryStorageError.system(.noSpace, "creating the vault")) {
      try DirectoryCreation(at: FilePath(path))
    }
    #expect(HostFile.names(in: parent.path).isEmpty)
  }
}

/// What a process that ended in the middle leaves, and what the next one does with it.
@Suite struct AbandonedCreationTests {
  private let parent: TemporaryFolder
  private var path: String { parent.path("vault") }

  init() throws { parent = try TemporaryFolder() }

  /// As a process that is killed leaves it.
  private func abandon(withParameters: Bool = false) throws {
    let creation = try DirectoryCreation(at: FilePath(path))
    try creation.storage.put(.numbered(1), [1, 2, 3])
    try HostFile.write([1], to: path + "/.agonyfs.json.new")
    if withParameters { try creation.storage.replaceParameters(with: [1]) }
  }

  @Test func whatWasAbandonedIsReplaced() throws {
    try abandon()
    #expect(try DirectoryCreation.isPossible(at: FilePath(path)))
    let creation = try DirectoryCreation(at: FilePath(path))
    #expect(HostFile.names(in: path) == ["creating", "segments"])
    #expect(HostFile.segments(of: path).isEmpty)
    try creation.storage.replaceParameters(with: [1])
    try creation.complete()
    #expect(HostFile.names(in: path) == ["agonyfs.json", "segments"])
  }

  @Test func anEmptyOneIsTaken() throws {
    try parent.makeDirectory("vault")
    try parent.write("", to: "vault/creating")
    #expect(try DirectoryCreation.isPossible(at: FilePath(path)))
    try DirectoryCreation(at: FilePath(path)).remove()
    #expect(HostFile.names(in: path).isEmpty)
  }

  @Test func onlyOneOfTwoCreates() throws {
    let first = try DirectoryCreation(at: FilePath(path))
    #expect(throws: DirectoryStorageError.beingCreated) { try DirectoryCreation.isPossible(at: FilePath(path)) }
    #expect(throws: DirectoryStorageError.beingCreated) { try DirectoryCreation(at: FilePath(path)) }
    #expect(HostFile.names(in: path) == ["creating", "segments"])
    #expect(HostFile.names(in: path + "/segments").count == 256)
    try first.storage.replaceParameters(with: [1])
    try first.complete()
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: FilePath(path)) }
  }

  /// A crash between the last two steps.
  @Test func aMarkerBesideParametersMeansNothing() throws {
    try abandon(withParameters: true)
    let content = HostFile.segments(of: path)
    #expect(content.count == 1)
    #expect(try !DirectoryCreation.isPossible(at: FilePath(path)))
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: FilePath(path)) }
    #expect(!HostFile.names(in: path).contains("creating"))
    #expect(HostFile.segments(of: path) == content)
    try parent.write("", to: "vault/creating")
    try DirectoryStorage(path: FilePath(path)).prepareForWriting()
    #expect(!HostFile.names(in: path).contains("creating"))
    #expect(Int(HostFile.status(path).st_mtim.tv_sec) == DirectoryStorage.completeTime)
  }

  /// A vault that lost its parameters is no creation.
  @Test func withoutAMarkerNothingIsDeleted() throws {
    try DirectoryStorage.make(at: path).put(.numbered(1), [1])
    #expect(try !DirectoryCreation.isPossible(at: FilePath(path)))
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: FilePath(path)) }
    #expect(HostFile.segments(of: path).count == 1)
  }

  @Test(arguments: ["letter", "segments/letter", "segments/0f/letter"])
  func withAnythingElseNothingIsDeleted(_ name: String) throws {
    try abandon()
    try parent.write("text", to: "vault/" + name)
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: FilePath(path)) }
    #expect(HostFile.segments(of: path).count >= 1)
    #expect(HostFile.names(in: path).contains("creating"))
  }

  @Test(arguments: ["creating", "segments", "segments/00"])
  func linksAreNotFollowed(_ name: String) throws {
    try abandon()
    let elsewhere = parent.path("elsewhere")
    try systemCall { unsafe rename(path + "/" + name, elsewhere) }
    try systemCall { unsafe symlink(elsewhere, path + "/" + name) }
    #expect(throws: DirectoryStorageError.exists) { try DirectoryCreation(at: FilePath(path)) }
    #expect(unsafe access(elsewhere, F_OK) == 0)
  }
}
