import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import System

@Suite struct FileTests {
  /// A name of whatever bytes as system calls take it.
  private static func path(_ name: [UInt8]) -> [CChar] { (name + [0]).map(CChar.init(bitPattern:)) }

  // MARK: System calls

  @Test func interruptedCallsAreRepeated() throws {
    var calls = 0
    let result = try systemCall { () -> Int in
      calls += 1
      if calls == 4 { return 7 }
      errno = EINTR
      return -1
    }
    #expect(result == 7)
    #expect(calls == 4)
  }

  @Test func otherErrorsAreThrown() {
    var calls = 0
    #expect(throws: Errno.noSuchFileOrDirectory) {
      try systemCall { () -> CInt in
        calls += 1
        return unsafe access("/nonexistent", F_OK)
      }
    }
    #expect(calls == 1)
  }

  // MARK: Descriptors

  @Test func aDescriptorIsClosedWithItsOwner() throws {
    func reading() throws -> Descriptor {
      let (reading, writing) = try Descriptor.pipe()
      #expect(fcntl(writing.number, F_GETFD) == FD_CLOEXEC)
      return reading
    }
    let reading = try reading()
    // A child of another test may have the other end too, until it runs its program.
    var interest = pollfd(fd: reading.number, events: Int16(POLLIN), revents: 0)
    #expect(try systemCall { unsafe poll(&interest, 1, 10_000) } == 1)
    #expect(interest.revents == Int16(POLLHUP))
  }

  @Test func moreThanAPipeHoldsIsWrittenAndRead() throws {
    let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    let (reading, thread) = try {
      let (reading, writing) = try Descriptor.pipe()
      return (reading, try TestThread { try writing.writeAll(content) })
    }()
    #expect(try reading.readToEnd(limit: 1000) == Array(content[..<1000]))
    #expect(try reading.readToEnd() == Array(content[1000...]))
    try thread.join()
  }

  @Test func aPipeThatDoesNotBlockSaysSo() throws {
    let (reading, writing) = try Descriptor.pipe(blocks: false)
    #expect(throws: Errno.wouldBlock) { try reading.readToEnd() }
    try writing.writeAll([1, 2])
    #expect(try reading.readToEnd(limit: 2) == [1, 2])
  }

  // MARK: Whole files

  @Test func aFileIsReplacedWhole() throws {
    let temporary = try TemporaryFolder()
    let folder = try Descriptor.open(temporary.path, O_RDONLY | O_DIRECTORY)
    #expect(throws: Errno.noSuchFileOrDirectory) { try WholeFile.read(temporary.path("file")) }
    for content in [Array("first".utf8), [], [UInt8](repeating: 7, count: 100_000)] {
      try WholeFile.replace("file", in: folder, with: content)
      #expect(try WholeFile.read(temporary.path("file")) == content)
      #expect(try WholeFile.read(temporary.path("file"), limit: 3) == Array(content.prefix(3)))
      #expect(HostFile.names(in: temporary.path) == ["file"])
    }
    #expect(HostFile.status(temporary.path("file")).st_mode & 0o7777 == 0o600)
  }

  @Test func aReplacementThatFailsLeavesNothing() throws {
    let temporary = try TemporaryFolder()
    try temporary.makeDirectory("taken")
    let folder = try Descriptor.open(temporary.path, O_RDONLY | O_DIRECTORY)
    #expect(throws: Errno.isDirectory) { try WholeFile.replace("taken", in: folder, with: [1]) }
    #expect(HostFile.names(in: temporary.path) == ["taken"])
  }

  @Test func aLinkIsFollowedOnlyIfItMayBe() throws {
    let temporary = try TemporaryFolder()
    try temporary.write("text", to: "file")
    try systemCall { unsafe symlink("file", temporary.path("link")) }
    #expect(try WholeFile.read(temporary.path("link")) == Array("text".utf8))
    #expect(throws: Errno.tooManySymbolicLinkLevels) { try WholeFile.read(temporary.path("link"), followsLink: false) }
  }

  // MARK: Directories

  @Test func directoriesListWhatIsInThem() throws {
    let temporary = try TemporaryFolder()
    #expect(try Directory.names(in: temporary.path) == [])
    let folder = try Descriptor.open(temporary.path, O_RDONLY | O_DIRECTORY)
    let names: [[UInt8]] = [Array("..x".utf8), [0xFF, 0x41], Array("a".utf8)]
    for name in names {
      _ = Descriptor(try systemCall { unsafe openat(folder.number, Self.path(name), O_CREAT | O_WRONLY, 0o600) })
    }
    // What deletes the folder knows names of text only.
    defer { unsafe unlinkat(folder.number, Self.path(names[1]), 0) }
    let found = try Directory.names(in: ".", of: folder)
    #expect(Set(found) == Set(names) && found.count == names.count)
    try systemCall { unsafe symlinkat("a", folder.number, "link") }
    try temporary.makeDirectory("inner")
    let entries = try Directory.entries(of: folder)
    #expect(Set(entries.filter(\.isFile).map(\.name)) == Set(names))
    #expect(entries.filter(\.isDirectory).map(\.name) == [Array("inner".utf8)] && entries.count == names.count + 2)
    var status = stat()
    try systemCall { unsafe stat(temporary.path("a"), &status) }
    #expect(entries.first { $0.name == Array("a".utf8) }?.inode == UInt64(status.st_ino))
    #expect(throws: Errno.notDirectory) { try Directory.names(in: "/dev/null") }
  }
}
