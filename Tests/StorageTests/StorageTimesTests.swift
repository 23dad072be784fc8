import FaultyStorage
import Glibc
import Storage
import SystemPackage
import TestSupport
import Testing

/// Times of files and folders say nothing.
@Suite struct StorageTimesTests {
  private let folder: TemporaryFolder
  private let storage: DirectoryStorage
  private let names = (1...5).map(SegmentIdentifier.numbered)
  private var path: String { folder.path("vault") }

  init() throws {
    folder = try TemporaryFolder()
    storage = try DirectoryStorage.make(at: folder.path("vault"))
    try storage.replaceParameters(with: [1, 2])
  }

  /// The paths of everything in the vault, and of itself.
  private var everything: [String] {
    let folders = HostFile.names(in: path + "/segments").map { path + "/segments/" + $0 }
    return [path, path + "/agonyfs.json", path + "/segments"] + folders + HostFile.segments(of: path)
  }

  /// What has another access or modification time than everything has.
  private var conspicuous: [String] { everything.filter(isConspicuous) }

  @Test func noChangeShowsInATime() throws {
    #expect(conspicuous.isEmpty)
    try storage.put(names[0], randomBytes(5000))
    #expect(conspicuous.isEmpty)
    let writer = try storage.create(names[1])
    try writer.put(randomBytes(100), at: 0)
    #expect(conspicuous == [path + "/segments/" + names[1].path])
    try writer.finish()
    try writer.flush()
    #expect(conspicuous.isEmpty)
    #expect(throws: Errno.fileExists) { try storage.create(names[1]) }
    #expect(throws: Errno.fileExists) { try storage.put(names[1], [1]) }
    try storage.delete(names[0])
    try storage.flushNames(of: names)
    #expect(conspicuous.isEmpty)
    try storage.replaceParameters(with: [3])
    #expect(conspicuous.isEmpty)
    #expect(everything.count == 3 + 256 + 1)
  }

  /// With a constant time as the one of the last change, most hosts would set an access time at the first read.
  @Test func noReadShowsInATime() throws {
    for name in names { try storage.put(name, randomBytes(5000)) }
    let writer = try storage.create(.numbered(9))
    try writer.put(randomBytes(100), at: 0)
    try writer.finish()
    #expect(try writer.bytes(at: 0, count: 100).count == 100)
    let opened = try DirectoryStorage(path: FilePath(path))
    #expect(try opened.readParameters(limit: 10) == [1, 2])
    for name in names { #expect(try opened.content(of: name).count == 5000) }
    #expect(try opened.listed().count == names.count + 1)
    let filling = try opened.openToFill(names[0])
    #expect(try filling.bytes(at: 0, count: 10).count == 10)
    #expect(conspicuous.isEmpty)
  }

  /// A crash may come between a change and its time.
  @Test func whoBeginsToWriteResetsWhatACrashLeft() throws {
    try folder.write("text", to: "vault/segments/07/other")
    try folder.write("text", to: "vault/segments/other")
    try folder.write("text", to: "vault/other")
    let others = [path + "/segments/other", path + "/segments/07/other"]
    #expect(Set(conspicuous) == Set([path, path + "/segments", path + "/segments/07"] + others))
    unsafe unlink(others[0])
    try DirectoryStorage(path: FilePath(path)).prepareForWriting()
    #expect(conspicuous == [others[1]])
  }

  @Test func aCopyWithoutEmptyFoldersIsReadAndWritten() throws {
    for name in names { try storage.put(name, randomBytes(5000)) }
    let kept = Set(names.map { $0.path.prefix(2) })
    for folder in HostFile.names(in: path + "/segments") where !kept.contains(folder[...]) {
      unsafe rmdir(path + "/segments/" + folder)
    }
    let opened = try DirectoryStorage(path: FilePath(path))
    #expect(!opened.isReadOnly)
    #expect(try Set(opened.listed().map(\.identifier)) == Set(names))
    let missing = SegmentIdentifier(bytes: Array(repeating: 0xFE, count: 16))
    #expect(try !opened.exists(missing))
    #expect(throws: Errno.noSuchFileOrDirectory) { try opened.open(missing) }
    try opened.delete(missing)
    try opened.flushNames(of: [missing])
    #expect(HostFile.names(in: path + "/segments").count == kept.count)
    try opened.put(missing, [1, 2])
    #expect(try opened.content(of: missing) == [1, 2])
    let other = SegmentIdentifier(bytes: Array(repeating: 0xFD, count: 16))
    try opened.create(other).put([3], at: 0)
    #expect(try opened.content(of: other) == [3])
    #expect(HostFile.names(in: path + "/segments").count == kept.count + 2)
    opened.prepareForWriting()
    #expect(HostFile.names(in: path + "/segments").count == 256)
    #expect(conspicuous == [path + "/segments/" + other.path])
    #expect(everything.allSatisfy { HostFile.status($0).st_mode & 0o077 == 0 })
  }
}
