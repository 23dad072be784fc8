import FaultyStorage
import Glibc
import Storage
import System
import SystemPackage
import TestSupport
import Testing

/// Files whose status cannot be read: none counts as gone.
@Suite(.enabled(if: geteuid() == 0, "needs root, to mount")) struct UnreadableStatusTests {
  private let folder: TemporaryFolder
  private let storage: DirectoryStorage
  private let name = SegmentIdentifier.numbered(1)
  private let other = SegmentIdentifier.numbered(2)
  private var path: String { folder.path("vault") }
  private var file: String { path + "/segments/" + name.path }

  init() throws {
    folder = try TemporaryFolder()
    storage = try DirectoryStorage.make(at: folder.path("vault"))
    try storage.replaceParameters(with: [1, 2])
    try storage.put(name, [7])
    try storage.put(other, [8])
  }

  /// A copy by such a list would lack a file without notice.
  @Test func noListLeavesOneOut() throws {
    do {
      let dead = try DeadMount(over: file)
      #expect(throws: Errno.socketNotConnected) { try storage.listed() }
      withExtendedLifetime(dead) {}
    }
    #expect(Set(try storage.listed().map(\.identifier)) == [name, other])
  }

  /// A name in what a killed refresh left leads to a file that has another name by now, or to the one of that name.
  @Test func noNameThatARefreshLeftGoes() throws {
    let left = path + "/refreshing/" + String(name.path.prefix(2))
    for directory in [path + "/refreshing", left] { try systemCall { unsafe mkdir(directory, 0o700) } }
    try systemCall { unsafe link(path + "/segments/" + other.path, left + "/" + name.description) }
    let dead = try DeadMount(over: file)
    #expect(throws: Errno.socketNotConnected) { try storage.wipe(name) }
    withExtendedLifetime(dead) {}
    #expect(HostFile.names(in: left) == [name.description])
    #expect(try storage.content(of: other) == [8])
  }
}
