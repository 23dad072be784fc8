import Albums
import CMount
import CPlatform
import FaultyStorage
import Glibc
import System
import SystemPackage
import TestSupport
import Testing

@testable import Mount

extension LiveMountTests {
  @Suite struct MountFileTests {
    private let live: LiveMount

    init() throws { live = try LiveMount() }

    @Test func contentSurvivesUnmounting() throws {
      let content = randomBytes(3_333_333)
      try System.write(content, to: live.path("photo"))
      #expect(try System.read(live.path("photo")) == content)
      #expect(try live.end() == nil)
      try live.mount()
      #expect(try System.read(live.path("photo")) == content)
      #expect(try System.status(live.path("photo")).st_size == content.count)
    }

    @Test func openingWithTruncation() throws {
      for content in [randomBytes(5000), randomBytes(10), randomBytes(0)] {
        try System.write(content, to: live.path("file"))
        #expect(try System.read(live.path("file")) == content)
      }
    }

    @Test func appendingGoesToTheEnd() throws {
      try System.write([1], to: live.path("file"))
      for number: UInt8 in 2...20 {
        let file = try FileDescriptor.open(FilePath(live.path("file")), .writeOnly, options: [.append])
        try file.closeAfter { _ = try file.writeAll([number]) }
      }
      #expect(try System.read(live.path("file")) == Array(1...20))
    }

    @Test func holesReadAsZerosAndAreFound() throws {
      let path = live.path("sparse")
      let file = try FileDescriptor.open(
        FilePath(path), .readWrite, options: [.create], permissions: FilePermissions(rawValue: 0o600))
      try file.closeAfter {
        try file.writeAll(toAbsoluteOffset: 10 << 20, randomBytes(8192))
        try file.writeAll(toAbsoluteOffset: 20 << 20, [1])
        #expect(lseek(file.rawValue, 0, agonyfs_seek_data()) == 10 << 20)
        #expect(lseek(file.rawValue, 10 << 20, agonyfs_seek_hole()) == 10 << 20 + 8192)
        #expect(lseek(file.rawValue, 21 << 20, agonyfs_seek_data()) == -1 && errno == ENXIO)
      }
      #expect(try System.read(path)[..<(10 << 20)].allSatisfy { $0 == 0 })
      #expect(try System.status(path).st_blocks < 100)
    }

    /// Two bytes across a border of blocks take both blocks, and the file does not grow when they are written.
    @Test func allocatedRoomIsCounted() throws {
      let path = live.path("allocated")
      let file = try FileDescriptor.open(
        FilePath(path), .readWrite, options: [.create], permissions: FilePermissions(rawValue: 0o600))
      try file.closeAfter {
        #expect(posix_fallocate(file.rawValue, 4095, 2) == 0)
        #expect(try System.status(path).st_blocks == 16)
        #expect(try System.status(path).st_size == 4097)
        try file.writeAll(toAbsoluteOffset: 4095, [1, 2])
        #expect(try System.status(path).st_blocks == 16)
        try System.check(fsync(file.rawValue))
        #expect(try System.status(path).st_blocks == 16)
        #expect(posix_fallocate(file.rawValue, 0, 1 << 20) == 0)
        #expect(try System.status(path).st_blocks == 2048)
        #expect(lseek(file.rawValue, 8192, agonyfs_seek_data()) == -1 && errno == ENXIO)
        try System.check(ftruncate(file.rawValue, 1 << 19))
        #expect(try System.status(path).st_blocks == 1024)
        #expect(posix_fallocate(file.rawValue, 0, 1 << 50) == ENOSPC)
      }
      let content = [UInt8](repeating: 0, count: 4095) + [1, 2] + [UInt8](repeating: 0, count: (1 << 19) - 4097)
      #expect(try System.read(path) == content)
      #expect(try live.end() == nil)
      try live.mount()
      #expect(try System.status(path).st_blocks == 1024)
      #expect(try System.read(path) == content)
    }

    @Test func whatIsWrittenThroughMemoryMapsIsKept() throws {
      let content = randomBytes(100_000)
      let source = live.folder.path("source")
      try System.write(content, to: source)
      let writer = try ChildProcess(
        builtProgram("map-writer"), arguments: ["map-writer", source, live.path("map")], descriptors: [])
      #expect(try writer.ending() == .exited(0))
      #expect(try live.end() == nil)
      try live.mount()
      #expect(try System.read(live.path("map")) == content)
    }

    @Test func directWritingAndReading() throws {
      let count = 3 << 20
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 4096)
      defer { unsafe memory.deallocate() }
      unsafe memory.copyBytes(from: randomBytes(count))
      let direct: CInt = 0o40000
      let file = unsafe open(live.path("direct"), O_RDWR | O_CREAT | direct, 0o600)
      try System.check(file)
      defer { close(file) }
      #expect(unsafe pwrite(file, memory.baseAddress, count, 0) == count)
      unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
      #expect(unsafe pread(file, memory.baseAddress, count, 0) == count)
      #expect(unsafe memory.elementsEqual(randomBytes(count)))
    }

    @Test func unlinkedFilesLiveUntilTheyAreClosed() throws {
      let path = live.path("gone")
      let file = try FileDescriptor.open(
        FilePath(path), .readWrite, options: [.create], permissions: FilePermissions(rawValue: 0o600))
      try file.writeAll(randomBytes(10_000))
      try System.check(unsafe unlink(path))
      #expect(throws: Errno.noSuchFileOrDirectory) { try System.status(path) }
      var back = [UInt8](repeating: 0, count: 10_000)
      let count = try unsafe back.withUnsafeMutableBytes { try unsafe file.read(fromAbsoluteOffset: 0, into: $0) }
      #expect(count == 10_000 && back == randomBytes(10_000))
      try file.close()
      #expect(try live.end() == nil)
      #expect(live.fileSystem.openFileCount == 0)
    }

    @Test func locksAreTheKernels() throws {
      try System.write([1], to: live.path("locked"))
      let first = try FileDescriptor.open(FilePath(live.path("locked")), .readWrite)
      let second = try FileDescriptor.open(FilePath(live.path("locked")), .readWrite)
      #expect(flock(first.rawValue, LOCK_EX | LOCK_NB) == 0)
      #expect(flock(second.rawValue, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK)
      try first.close()
      #expect(flock(second.rawValue, LOCK_EX | LOCK_NB) == 0)
      try second.close()
    }

    @Test func syncingAnswers() throws {
      let file = try FileDescriptor.open(
        FilePath(live.path("file")), .writeOnly, options: [.create], permissions: FilePermissions(rawValue: 0o600))
      try file.closeAfter {
        try file.writeAll([1, 2, 3])
        #expect(fsync(file.rawValue) == 0)
        #expect(fdatasync(file.rawValue) == 0)
      }
      let directory = try FileDescriptor.open(FilePath(live.root), .readOnly)
      try directory.closeAfter { #expect(fsync(directory.rawValue) == 0) }
    }

    @Test func readOnlyMountsRefuseChanges() throws {
      try System.write([1], to: live.path("file"))
      try live.end()
      try live.mount(["ro"])
      #expect(try System.read(live.path("file")) == [1])
      #expect(throws: Errno.readOnlyFileSystem) { try System.write([2], to: live.path("file")) }
      #expect(throws: Errno.readOnlyFileSystem) { try System.check(unsafe mkdir(live.path("new"), 0o755)) }
    }
  }
}
