import Albums
import CMount
import FaultyStorage
import Glibc
import SystemPackage
import Testing

@testable import Mount

extension LiveMountTests {
  @Suite struct MountDirectoryTests {
    private let live: LiveMount

    init() throws { live = try LiveMount() }

    @Test func longListingsAreComplete() throws {
      try System.check(unsafe mkdir(live.path("many"), 0o755))
      let names = (0..<3000).map { "a name that is long enough for several requests \($0)" }
      for name in names { try System.write([], to: live.path("many/" + name)) }
      for _ in 0..<2 {
        let listed = try Listing.names(of: live.path("many"))
        #expect(listed.count == names.count + 2)
        #expect(Set(listed) == Set(names + [".", ".."]))
      }
    }

    @Test func cachedListingsFollowChanges() throws {
      #expect(try Listing.names(of: live.root).sorted() == [".", ".."])
      try System.write([], to: live.path("a"))
      #expect(try Listing.names(of: live.root).sorted() == [".", "..", "a"])
      try System.check(unsafe rename(live.path("a"), live.path("b")))
      #expect(try Listing.names(of: live.root).sorted() == [".", "..", "b"])
      try System.check(unsafe unlink(live.path("b")))
      #expect(try Listing.names(of: live.root).sorted() == [".", ".."])
    }

    @Test func namesThatAreAbsentAndThenThere() throws {
      for _ in 0..<2 { #expect(throws: Errno.noSuchFileOrDirectory) { try System.status(live.path("later")) } }
      try System.write([1], to: live.path("later"))
      #expect(try System.status(live.path("later")).st_size == 1)
    }

    @Test func namesAreBytes() throws {
      let names: [[UInt8]] = [
        [0x66, 0xFF, 0x6F], [0xC3, 0xA9], [0x65, 0xCC, 0x81], [0x0A], [0x5C], Array(repeating: 0x61, count: 255),
      ]
      for (index, name) in names.enumerated() {
        let path = Array((live.root + "/").utf8) + name + [0]
        let file = unsafe path.withUnsafeBytes { bytes in
          guard let base = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress else { return CInt(-1) }
          return unsafe open(base, O_CREAT | O_EXCL | O_WRONLY, 0o600)
        }
        try System.check(file)
        close(file)
        #expect(try Listing.names(of: live.root).count == index + 3)
      }
      #expect(throws: Errno.fileNameTooLong) { try System.status(live.path(String(repeating: "a", count: 256))) }
    }

    @Test func linksAndMoves() throws {
      try System.write([1, 2], to: live.path("a"))
      try System.check(unsafe link(live.path("a"), live.path("b")))
      #expect(try System.status(live.path("a")).st_nlink == 2)
      #expect(try System.status(live.path("a")).st_ino == System.status(live.path("b")).st_ino)
      let target = String(repeating: "long/", count: 800)
      try System.check(unsafe symlink(target, live.path("s")))
      var text = [UInt8](repeating: 0, count: 5000)
      let count = try unsafe text.withUnsafeMutableBytes { bytes in
        let room = try unsafe #require(bytes.assumingMemoryBound(to: CChar.self).baseAddress)
        return unsafe readlink(live.path("s"), room, bytes.count)
      }
      #expect(count == target.utf8.count && text[..<max(0, count)].elementsEqual(target.utf8))
      try System.check(unsafe mkdir(live.path("d"), 0o755))
      try System.check(unsafe rename(live.path("a"), live.path("d/a")))
      #expect(throws: Errno.noSuchFileOrDirectory) { try System.status(live.path("a")) }
      #expect(try System.read(live.path("d/a")) == [1, 2])
      #expect(throws: Errno.directoryNotEmpty) { try System.check(unsafe rmdir(live.path("d"))) }
      try System.check(unsafe unlink(live.path("d/a")))
      #expect(try System.status(live.path("b")).st_nlink == 1)
      try System.check(unsafe rmdir(live.path("d")))
    }

    @Test func nodesOfAllKinds() throws {
      try System.check(unsafe mkfifo(live.path("fifo"), 0o644))
      #expect(try System.status(live.path("fifo")).st_mode & S_IFMT == S_IFIFO)
      try System.check(unsafe mknod(live.path("socket"), S_IFSOCK | 0o600, 0))
      #expect(try System.status(live.path("socket")).st_mode & S_IFMT == S_IFSOCK)
      if geteuid() == 0 {
        try System.check(unsafe mknod(live.path("null"), S_IFCHR | 0o666, 0x103))
        #expect(try System.status(live.path("null")).st_rdev == 0x103)
        // Mounted with nodev.
        #expect(throws: Errno.permissionDenied) { try System.read(live.path("null")) }
      }
    }

    @Test func theUmaskCounts() throws {
      let before = umask(0o027)
      defer { umask(before) }
      try System.write([], to: live.path("file"))
      try System.check(unsafe mkdir(live.path("directory"), 0o777))
      #expect(try System.status(live.path("file")).st_mode & 0o7777 == 0o640)
      #expect(try System.status(live.path("directory")).st_mode & 0o7777 == 0o750)
    }

    @Test func timesAreKeptToTheNanosecond() throws {
      try System.write([], to: live.path("file"))
      let times = [timespec(tv_sec: -5, tv_nsec: 1), timespec(tv_sec: 5_000_000_000, tv_nsec: 999_999_999)]
      try System.check(unsafe utimensat(AT_FDCWD, live.path("file"), times, 0))
      try live.end()
      try live.mount()
      let status = try System.status(live.path("file"))
      #expect(status.st_atim.tv_sec == -5 && status.st_atim.tv_nsec == 1)
      #expect(status.st_mtim.tv_sec == 5_000_000_000 && status.st_mtim.tv_nsec == 999_999_999)
    }

    @Test func readingChangesNoTimes() throws {
      let old = [timespec(tv_sec: 1000, tv_nsec: 7), timespec(tv_sec: 2000, tv_nsec: 9)]
      try System.check(unsafe mkdir(live.path("album"), 0o755))
      try System.write(randomBytes(5000), to: live.path("album/photo"))
      for name in ["album/photo", "album"] { try System.check(unsafe utimensat(AT_FDCWD, live.path(name), old, 0)) }
      let changed = try ["album/photo", "album"].map { try System.status(live.path($0)).st_ctim.tv_nsec }
      #expect(try System.read(live.path("album/photo")) == randomBytes(5000))
      #expect(try Listing.names(of: live.path("album")).count == 3)
      // What the kernel kept is gone, so the answers come from the file system.
      try live.end()
      try live.mount()
      #expect(try System.read(live.path("album/photo")) == randomBytes(5000))
      for (index, name) in ["album/photo", "album"].enumerated() {
        let status = try System.status(live.path(name))
        #expect(status.st_atim.tv_sec == 1000 && status.st_atim.tv_nsec == 7)
        #expect(status.st_mtim.tv_sec == 2000 && status.st_mtim.tv_nsec == 9)
        #expect(status.st_ctim.tv_nsec == changed[index])
      }
    }

    @Test func roomIsTold() throws {
      var told = statvfs()
      try System.check(unsafe statvfs(live.root, &told))
      let statistics = try live.fileSystem.statistics()
      #expect(told.f_frsize == statistics.blockSize && told.f_blocks == statistics.blocks)
      #expect(told.f_bavail <= told.f_bfree && told.f_bavail > 0)
      #expect(told.f_namemax == 255)
    }
  }
}
