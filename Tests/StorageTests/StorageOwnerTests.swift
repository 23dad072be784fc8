import FaultyStorage
import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

/// What root does in the vault of a user. Nobody gets what is root's by putting it there.
@Suite(.enabled(if: geteuid() == 0, "needs root, and another user")) struct StorageOwnerTests {
  private static let user: uid_t = 65534
  private let subject: RefreshSubject
  private var path: String { subject.path }
  /// A folder without files, and a name in it.
  private var place: String { path + "/segments/3b" }
  private let name = SegmentIdentifier(bytes: [0x3B] + [UInt8](repeating: 0, count: 15))

  init() throws {
    subject = try RefreshSubject()
    #expect(HostFile.names(in: place).isEmpty)
    for path in everything { try systemCall { unsafe chown(path, Self.user, Self.user) } }
  }

  private var everything: [String] {
    let folders = HostFile.names(in: path + "/segments").map { path + "/segments/" + $0 }
    return [path, path + "/agonyfs.json", path + "/segments"] + folders + HostFile.segments(of: path)
  }

  /// What is not the user's.
  private var strays: [String] { everything.filter { HostFile.status($0).st_uid != Self.user } }

  private func makeRootsDirectory(at path: String) throws {
    try systemCall { unsafe mkdir(path, 0o755) }
    try HostFile.write([1, 2, 3], to: path + "/secret")
  }

  /// A file with the bytes and the time of one of the vault.
  private func makeRootsFile(at path: String) throws {
    try HostFile.write(randomBytes(RefreshSubject.size), to: path)
    let times = [timespec](repeating: timespec(tv_sec: DirectoryStorage.completeTime, tv_nsec: 0), count: 2)
    try systemCall { unsafe utimensat(AT_FDCWD, path, times, 0) }
  }

  @Test func whatRootMakesIsTheUsers() throws {
    let storage = try DirectoryStorage(path: FilePath(path))
    unsafe rmdir(place)
    storage.prepareForWriting()
    try storage.put(name, randomBytes(RefreshSubject.size))
    try storage.replaceParameters(with: [1, 2])
    try subject.refresh()
    #expect(strays.isEmpty && subject.conspicuous.isEmpty)
    #expect(HostFile.names(in: place).count == 1)
  }

  @Test func aDirectoryOfRootsStaysRoots() throws {
    unsafe rmdir(place)
    try makeRootsDirectory(at: place)
    let time = HostFile.status(place).st_mtim.tv_sec
    let storage = try DirectoryStorage(path: FilePath(path))
    for _ in 0..<2 { storage.prepareForWriting() }
    #expect(strays == [place, place + "/secret"])
    #expect(HostFile.status(place).st_mtim.tv_sec == time)
    try storage.put(name, [1])
    try storage.delete(name)
    storage.prepareForWriting()
    #expect(strays == [place, place + "/secret"])
    #expect(isConspicuous(place))
  }

  @Test func aFileOfRootsStaysRoots() throws {
    let file = path + "/segments/" + name.path
    try makeRootsFile(at: file)
    let storage = try DirectoryStorage(path: FilePath(path))
    for _ in 0..<2 { storage.prepareForWriting() }
    #expect(strays == [file])
    // Nor is it written.
    let content = try HostFile.read(file)
    #expect(throws: Errno.notPermitted) { try storage.openToFill(name) }
    #expect(throws: Errno.notPermitted) { try storage.wipe(name) }
    #expect(try HostFile.read(file) == content)
  }

  @Test func aFileInThePlaceOfAFolderIsNotDated() throws {
    let storage = try DirectoryStorage(path: FilePath(path))
    unsafe rmdir(place)
    try HostFile.write([1, 2, 3], to: place)
    storage.prepareForWriting()
    #expect(throws: Errno.self) { try storage.create(name) }
    #expect(strays == [place])
    #expect(isConspicuous(place))
  }

  /// While it copies a file, its owner could read the copy.
  @Test(arguments: [false, true]) func aRefreshCopiesNothingOfRoots(isParameters: Bool) throws {
    let file = isParameters ? path + "/agonyfs.json" : path + "/segments/" + name.path
    if isParameters { unsafe unlink(file) }
    try makeRootsFile(at: file)
    let before = subject.look()
    #expect(throws: RefreshError.system(.notPermitted, "reading the vault")) { try subject.refresh() }
    #expect(subject.look().inodes == before.inodes)
    #expect(strays == [file])
  }

  @Test func aRefreshCopiesNothingThatComesMeanwhile() throws {
    let file = "\(path)/segments/07/\(subject.name(7))"
    #expect(throws: RefreshError.self) {
      try subject.refresh(mayChange: { step in
        if step == 0 {
          unsafe unlink(file)
          try? makeRootsFile(at: file)
        }
        return true
      })
    }
    #expect(strays == [file])
    #expect(HostFile.names(in: path) == ["agonyfs.json", "segments"])
  }

  @Test func aRefreshGivesNoDirectoryAway() throws {
    let new = path + "/refreshing/3b"
    var isMoved = false
    try subject.refresh(mayChange: { _ in
      if !isMoved, unsafe rmdir(new) == 0 {
        try? makeRootsDirectory(at: new)
        isMoved = true
      }
      return true
    })
    #expect(isMoved)
    #expect(strays.contains(place))
    #expect(HostFile.names(in: place) == ["secret"])
  }
}
