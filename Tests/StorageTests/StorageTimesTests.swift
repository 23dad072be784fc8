import FaultyStorage
import Glibc
import Storage
import System
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

  /// Hosts count the changes of each directory. Whoever knows how often one space was written knows then of others.
  @Test func whoBeginsToWriteChangesNothingThatIsRight() throws {
    for name in names { try storage.put(name, randomBytes(5000)) }
    // As a listing by somebody else leaves it.
    try setAccessTime(of: path)
    let directories = everything.filter { HostFile.status($0).st_mode & S_IFMT == S_IFDIR }
    #expect(directories.count == 258)
    let changed = { (path: String) in
      let time = HostFile.status(path).st_ctim
      return [time.tv_sec, time.tv_nsec]
    }
    let before = directories.map(changed)
    // A change in the same moment of the kernel's clock would not show.
    usleep(20_000)
    let opened = try DirectoryStorage(path: FilePath(path))
    opened.prepareForWriting()
    #expect(directories.map(changed) == before)
    try setAccessTime(of: path + "/segments/07")
    opened.prepareForWriting()
    #expect(conspicuous == [path])
    #expect(zip(directories, before).filter { changed($0) != $1 }.map(\.0) == [path + "/segments/07"])
  }

  private func setAccessTime(of path: String) throws {
    let times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), HostFile.status(path).st_mtim]
    try systemCall { unsafe utimensat(AT_FDCWD, path, times, 0) }
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
