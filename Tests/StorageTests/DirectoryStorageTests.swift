import FaultyStorage
import Glibc
import Storage
import SystemPackage
import TestSupport
import Testing

/// What a directory of the host does beyond what every storage promises.
@Suite struct DirectoryStorageTests {
  let folder: TemporaryFolder
  let storage: DirectoryStorage
  let name = SegmentIdentifier(bytes: (0..<16).map { 0xA0 + $0 })

  init() throws {
    folder = try TemporaryFolder()
    storage = try DirectoryStorage.make(at: folder.path)
  }

  var segments: String { folder.path + "/segments" }
  var path: String { segments + "/" + name.path }

  @Test func namesAreHexadecimal() {
    #expect(name.description == "a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
    #expect(name.path == "a0/a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
    #expect(name.folder == 0xA0)
    #expect(SegmentIdentifier(name: name.description.utf8) == name)
    #expect(name.bytes == (0..<16).map { 0xA0 + $0 })
    for wrong in ["", "a0", name.description + "a", name.description + "aa", name.description.uppercased()] {
      #expect(SegmentIdentifier(name: wrong.utf8) == nil)
    }
  }

  @Test func aFinishedFileIsLikeAllOthers() throws {
    let writer = try storage.create(name)
    try writer.put([1, 2, 3], at: 0)
    try writer.hold(upTo: 1 << 20)
    #expect(HostFile.status(path).st_blocks * 512 >= 1 << 20)
    try writer.flush()
    #expect(Int(HostFile.status(path).st_mtim.tv_sec) != DirectoryStorage.completeTime)
    try writer.finish()
    try writer.flush()
    let status = HostFile.status(path)
    #expect(Int(status.st_mtim.tv_sec) == DirectoryStorage.completeTime && status.st_mtim.tv_nsec == 0)
    #expect(status.st_blocks * 512 < 1 << 20, "room is still held")
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func theListShowsSegmentFilesOnly() throws {
    let names = (1...20).map(SegmentIdentifier.numbered)
    for name in names { try storage.put(name, [1, 2]) }
    try HostFile.write([1], to: segments + "/a0/notes.txt")
    try HostFile.write([1], to: segments + "/a0/00" + String(repeating: "a", count: 30))
    _ = unsafe symlink("/etc/passwd", path)
    let found = try storage.listed().map(\.identifier)
    #expect(Set(found) == Set(names) && found.count == names.count)
    #expect(throws: Errno.self) { try storage.open(name) }
  }

  @Test func aFileThatIsMovedAwayIsNotGoneOnWith() throws {
    let writer = try storage.create(name)
    try writer.put([1, 2, 3], at: 0)
    unsafe rename(path, path + ".other")
    #expect(throws: Errno.changedByOthers) { try writer.flush() }
  }

  @Test func anotherNameAndOtherPermissionsAreNoChange() throws {
    let writer = try storage.create(name)
    try writer.put([1, 2, 3], at: 0)
    unsafe link(path, path + ".other")
    unsafe chmod(path, 0o640)
    try writer.put([4], at: 3)
    try writer.flush()
    #expect(try HostFile.read(path) == [1, 2, 3, 4])
  }
}
