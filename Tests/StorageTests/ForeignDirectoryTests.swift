import FaultyStorage
import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

/// A user puts root's directories in the place of those of a vault that root refreshes, or of what an interrupted refresh
/// left there. Nothing is moved into them, or out of them, and nothing in them is deleted.
@Suite(.enabled(if: geteuid() == 0, "needs root, and another user")) struct ForeignDirectoryTests {
  private static let user: uid_t = 65534
  private let subject: RefreshSubject
  private var refreshing: String { subject.path + "/refreshing" }
  /// A folder without files.
  private var place: String { subject.path + "/segments/3b" }

  init() throws {
    subject = try RefreshSubject()
    #expect(HostFile.names(in: place).isEmpty)
    for name in subject.look().inodes.keys {
      try systemCall { unsafe chown(subject.path + "/" + name, Self.user, Self.user) }
    }
  }

  private func makeDirectory(_ path: String, of user: uid_t, names: [String] = []) throws {
    try systemCall { unsafe mkdir(path, 0o700) }
    for name in names {
      try HostFile.write(Array(name.utf8), to: path + "/" + name)
      try systemCall { unsafe chown(path + "/" + name, user, user) }
    }
    try systemCall { unsafe chown(path, user, user) }
  }

  private func giveSegmentsToRoot() throws {
    for name in subject.look().inodes.keys where name.hasPrefix("segments") {
      try systemCall { unsafe chown(subject.path + "/" + name, 0, 0) }
    }
  }

  /// A refresh cannot begin while something is left.
  private func removeInterrupted(byRefresh: Bool) throws {
    if byRefresh {
      #expect(throws: RefreshError.self) { try subject.refresh() }
    } else {
      try DirectoryStorage(path: FilePath(subject.path)).removeInterruptedRefresh()
    }
  }

  @Test(arguments: [false, true]) func aFolderOfRootsIsNotEmptied(byRefresh: Bool) throws {
    try makeDirectory(refreshing, of: Self.user)
    try makeDirectory(refreshing + "/3b", of: 0, names: ["photo"])
    try makeDirectory(refreshing + "/3c", of: Self.user, names: ["notes"])
    try removeInterrupted(byRefresh: byRefresh)
    #expect(HostFile.names(in: refreshing) == ["3b"])
    #expect(HostFile.names(in: refreshing + "/3b") == ["photo"])
    #expect(HostFile.names(in: place).isEmpty)
    #expect(HostFile.names(in: subject.path + "/segments/3c").contains("notes"))
    let stray = try #require(DirectoryStorage.stray(at: FilePath(subject.path)))
    #expect(stray.path == FilePath(refreshing + "/3b") && stray.user == 0)
  }

  /// A kill came before it was given to the vault's owner.
  @Test(arguments: ["", "/3b"], [false, true])
  func anEmptyDirectoryOfRootsIsNoObstacle(name: String, byRefresh: Bool) throws {
    let before = subject.look()
    try makeDirectory(refreshing, of: name.isEmpty ? 0 : Self.user)
    if !name.isEmpty { try makeDirectory(refreshing + name, of: 0) }
    if byRefresh { try subject.refresh() } else { try removeInterrupted(byRefresh: false) }
    #expect(HostFile.names(in: subject.path) == ["agonyfs.json", "segments"])
    try subject.expectWhole(before, "refreshing\(name)")
    #expect(!isConspicuous(subject.path))
  }

  @Test(arguments: [false, true]) func aDirectoryOfRootsIsNotEmptied(byRefresh: Bool) throws {
    try makeDirectory(refreshing, of: 0, names: ["agonyfs.json", "photo"])
    try makeDirectory(refreshing + "/3b", of: Self.user, names: ["notes"])
    try removeInterrupted(byRefresh: byRefresh)
    #expect(HostFile.names(in: refreshing) == ["3b", "agonyfs.json", "photo"])
    #expect(HostFile.names(in: refreshing + "/3b") == ["notes"])
    #expect(!HostFile.names(in: subject.path + "/segments").contains("photo"))
    let stray = try #require(DirectoryStorage.stray(at: FilePath(subject.path)))
    #expect(stray.path == FilePath(refreshing) && stray.user == 0)
  }

  @Test(arguments: [false, true]) func nothingIsMovedToWhatComesInThePlaceOfAFolder(isLink: Bool) throws {
    let other = subject.folder.path("other")
    try makeDirectory(other, of: 0, names: ["photo"])
    try makeDirectory(refreshing, of: Self.user)
    try makeDirectory(refreshing + "/3b", of: Self.user, names: ["script"])
    var isReplaced = false
    #expect(throws: RefreshError.self) {
      try subject.refresh(mayChange: { step in
        if step == 0, unsafe rmdir(place) == 0 {
          isReplaced = unsafe (isLink ? symlink(other, place) : rename(other, place)) == 0
        }
        return true
      })
    }
    #expect(isReplaced)
    #expect(HostFile.names(in: place) == ["photo"])
    #expect(HostFile.names(in: refreshing + "/3b") == ["script"])
  }

  @Test func whatComesInThePlaceOfRefreshingIsNotEmptied() throws {
    let (other, away) = (subject.folder.path("other"), subject.folder.path("away"))
    try makeDirectory(other, of: 0, names: ["agonyfs.json", "photo"])
    try makeDirectory(other + "/3b", of: 0)
    try makeDirectory(refreshing, of: Self.user)
    try makeDirectory(refreshing + "/3b", of: Self.user, names: ["notes"])
    var isReplaced = false
    #expect(throws: RefreshError.self) {
      try subject.refresh(mayChange: { _ in
        if !isReplaced, HostFile.names(in: refreshing + "/3b").isEmpty, unsafe rename(refreshing, away) == 0 {
          isReplaced = unsafe symlink(other, refreshing) == 0
        }
        return true
      })
    }
    #expect(isReplaced)
    #expect(HostFile.names(in: other) == ["3b", "agonyfs.json", "photo"])
    #expect(HostFile.names(in: place) == ["notes"])
    #expect(HostFile.names(in: away).isEmpty)
  }

  /// A copy of the vault that somebody else has: what is deleted, overwritten or filled up in the vault stays there.
  @Test func nothingIsWipedThroughALink() throws {
    let name = try #require(SegmentIdentifier(name: subject.name(7).utf8))
    let other = subject.folder.path("other")
    try makeDirectory(other, of: 0)
    try makeDirectory(other + "/07", of: 0, names: [name.description])
    _ = unsafe symlink(other, refreshing)
    let storage = try DirectoryStorage(path: FilePath(subject.path))
    try storage.wipe(name)
    try storage.delete(name)
    #expect(try HostFile.read(other + "/" + name.path) == Array(name.description.utf8))
    #expect(try !storage.exists(name))
    let folder = subject.path + "/segments/07"
    try systemCall { unsafe rename(folder, subject.folder.path("away")) }
    try systemCall { unsafe symlink(other + "/07", folder) }
    try storage.wipe(name)
    #expect(throws: Errno.notDirectory) { try storage.openToFill(name) }
    #expect(throws: Errno.notDirectory) { try storage.delete(name) }
    #expect(try HostFile.read(other + "/" + name.path) == Array(name.description.utf8))
  }

  /// The vault of root's lies in a user's directory, or `refreshing` in a user's vault is root's. What stayed there would
  /// come back when the owner opens the vault.
  @Test(arguments: [false, true]) func whatARefreshLeftIsWipedAndDeleted(inVaultOfRoots: Bool) throws {
    let name = try #require(SegmentIdentifier(name: subject.name(7).utf8))
    if inVaultOfRoots { try giveSegmentsToRoot() }
    try makeDirectory(refreshing, of: 0)
    try makeDirectory(refreshing + "/07", of: inVaultOfRoots ? 0 : Self.user, names: [name.description])
    let storage = try DirectoryStorage(path: FilePath(subject.path))
    try storage.wipe(name)
    let wiped = try HostFile.read(refreshing + "/" + name.path)
    #expect(wiped.count == name.description.utf8.count && wiped != Array(name.description.utf8))
    try storage.delete(name)
    #expect(HostFile.names(in: refreshing + "/07").isEmpty)
    #expect(try !storage.exists(name))
  }

  /// Root does nothing there, and says so.
  @Test(arguments: [false, true]) func whatIsLeftInAFolderOfAnotherIsNotPassedOver(inVaultOfRoots: Bool) throws {
    let name = try #require(SegmentIdentifier(name: subject.name(7).utf8))
    if inVaultOfRoots { try giveSegmentsToRoot() }
    try makeDirectory(refreshing, of: Self.user)
    try makeDirectory(refreshing + "/07", of: inVaultOfRoots ? Self.user : 0, names: [name.description])
    let storage = try DirectoryStorage(path: FilePath(subject.path))
    #expect(throws: Errno.notPermitted) { try storage.wipe(name) }
    #expect(throws: Errno.notPermitted) { try storage.delete(name) }
    #expect(try HostFile.read(refreshing + "/" + name.path) == Array(name.description.utf8))
    #expect(try storage.exists(name))
  }

  /// The directory around a vault of root's is a user's, who moves a file of root's to the parameters.
  @Test func aVaultOfRootsInAUsersDirectoryIsNotRefreshed() throws {
    try giveSegmentsToRoot()
    let parameters = subject.path + "/agonyfs.json"
    unsafe chmod(parameters, 0o666)
    let secret = subject.folder.path("secret")
    try HostFile.write([7], to: secret)
    unsafe chmod(secret, 0o600)
    let before = subject.look()
    #expect(throws: RefreshError.system(.notPermitted, "reading the vault")) {
      try subject.refresh(progress: { _ in
        _ = unsafe rename(secret, parameters)
        return true
      })
    }
    #expect(subject.look().inodes == before.inodes)
    #expect(HostFile.status(secret).st_mode & 0o777 == 0o600)
    let stray = try #require(DirectoryStorage.stray(at: FilePath(subject.path)))
    #expect(stray.path == FilePath(subject.path) && stray.user == Self.user && stray.vaultUser == 0)
    // What is in a directory of such a vault stays there as well.
    try makeDirectory(refreshing, of: Self.user)
    try makeDirectory(refreshing + "/3b", of: 0, names: ["photo"])
    try removeInterrupted(byRefresh: false)
    #expect(HostFile.names(in: refreshing + "/3b") == ["photo"])
    HostFile.remove(refreshing)
    try systemCall { unsafe chown(subject.path, 0, 0) }
    try subject.refresh()
    try subject.expectWhole(before, "in root's directory")
  }
}
