import FaultyStorage
import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

/// Something else where a file or a folder of the vault should be.
@Suite struct SpecialFileTests {
  enum Kind: CaseIterable {
    case fifo, socket, device, directory, link, danglingLink

    func make(at path: String) throws {
      switch self {
      case .fifo: try systemCall { unsafe mkfifo(path, 0o600) }
      case .socket: try systemCall { unsafe mknod(path, S_IFSOCK | 0o600, 0) }
      // /dev/null: major number 1, minor number 3.
      case .device: try systemCall { unsafe mknod(path, S_IFCHR | 0o600, 1 << 8 | 3) }
      case .directory: try systemCall { unsafe mkdir(path, 0o700) }
      case .link: try systemCall { unsafe symlink("/etc/passwd", path) }
      case .danglingLink: try systemCall { unsafe symlink("nowhere", path) }
      }
    }

    /// Only root may make a device.
    static var makeable: [Kind] { allCases.filter { $0 != .device || geteuid() == 0 } }
  }

  private let folder: TemporaryFolder
  private let storage: DirectoryStorage
  private let name = SegmentIdentifier.numbered(1)
  private var path: String { folder.path("vault") }
  private var file: String { path + "/segments/" + name.path }

  init() throws {
    folder = try TemporaryFolder()
    storage = try DirectoryStorage.make(at: folder.path("vault"))
    try storage.replaceParameters(with: [1, 2])
  }

  @Test(arguments: Kind.makeable)
  func inPlaceOfASegment(_ kind: Kind) throws {
    try kind.make(at: file)
    #expect(throws: Errno.notRegularFile) { try storage.open(name) }
    #expect(throws: Errno.notRegularFile) { try storage.openToFill(name) }
    #expect(throws: Errno.fileExists) { try storage.create(name) }
    #expect(throws: Errno.fileExists) { try storage.put(name, [1]) }
    // So no head is taken for one that was never written.
    #expect(try storage.exists(name))
    #expect(try storage.listed().isEmpty)
    storage.prepareForWriting()
  }

  @Test(arguments: Kind.makeable)
  func inPlaceOfTheParameters(_ kind: Kind) throws {
    unsafe unlink(path + "/agonyfs.json")
    try kind.make(at: path + "/agonyfs.json")
    if kind == .danglingLink {
      #expect(throws: DirectoryStorageError.incomplete("it has no agonyfs.json")) {
        try DirectoryStorage(path: FilePath(path))
      }
    } else {
      let opened = try DirectoryStorage(path: FilePath(path))
      #expect(throws: Errno.notRegularFile) { try opened.readParameters(limit: 10) }
    }
  }

  @Test(arguments: Kind.makeable.filter { $0 != .directory })
  func inPlaceOfAFolder(_ kind: Kind) throws {
    unsafe rmdir(path + "/segments/c4")
    try kind.make(at: path + "/segments/c4")
    #expect(throws: DirectoryStorageError.blocked("segments/c4")) { try DirectoryStorage(path: FilePath(path)) }
    try systemCall { unsafe rename(path + "/segments/c4", path + "/segments/other") }
    #expect(try DirectoryStorage(path: FilePath(path)).readParameters(limit: 10) == [1, 2])
  }

  @Test(arguments: Kind.makeable.filter { $0 != .directory })
  func inPlaceOfTheSegments(_ kind: Kind) throws {
    try systemCall { unsafe rename(path + "/segments", folder.path("elsewhere")) }
    if kind == .link {
      try systemCall { unsafe symlink(folder.path("elsewhere"), path + "/segments") }
    } else {
      try kind.make(at: path + "/segments")
    }
    let error = DirectoryStorageError.incomplete("it has no directory segments")
    #expect(throws: error) { try DirectoryStorage(path: FilePath(path)) }
  }

  /// People may keep the vault elsewhere and reach it by a link.
  @Test func theVaultItselfMayBeALink() throws {
    _ = unsafe symlink("vault", folder.path("link"))
    try storage.put(name, [7])
    #expect(try DirectoryStorage(path: FilePath(folder.path("link"))).content(of: name) == [7])
  }

  /// What a crash left where the parameters are written, or what somebody put there, is no obstacle.
  @Test(arguments: Kind.makeable.filter { $0 != .directory })
  func whereTheParametersAreWritten(_ kind: Kind) throws {
    try kind.make(at: path + "/.agonyfs.json.new")
    try storage.replaceParameters(with: [3])
    #expect(try storage.readParameters(limit: 10) == [3])
    #expect(HostFile.names(in: path) == ["agonyfs.json", "segments"])
  }
}
