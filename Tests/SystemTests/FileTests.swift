import Glibc
import SystemPackage
import Testing

@testable import System

@Suite struct FileTests {
  /// Calls `body` with the path of a directory that is gone afterwards.
  private func withFolder(_ body: (String) throws -> Void) throws {
    var template = Array("/tmp/agonyfs-system-tests.XXXXXX".utf8CString)
    let path = try #require(unsafe mkdtemp(&template).map { unsafe String(cString: $0) })
    defer {
      for name in (try? Directory.names(in: path)) ?? [] { unsafe unlink(path + "/" + name) }
      unsafe rmdir(path)
    }
    try body(path)
  }

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
      return (reading, try Thread { try? writing.writeAll(content) })
    }()
    #expect(try reading.readToEnd(limit: 1000) == Array(content[..<1000]))
    #expect(try reading.readToEnd() == Array(content[1000...]))
    thread.join()
  }

  @Test func aPipeThatDoesNotBlockSaysSo() throws {
    let (reading, writing) = try Descriptor.pipe(blocks: false)
    #expect(throws: Errno.wouldBlock) { try reading.readToEnd() }
    try writing.writeAll([1, 2])
    #expect(try reading.readToEnd(limit: 2) == [1, 2])
  }

  // MARK: Whole files

  @Test func aFileIsReplacedWhole() throws {
    try withFolder { path in
      let folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
      for content in [Array("first".utf8), [], [UInt8](repeating: 7, count: 100_000)] {
        try WholeFile.replace("file", in: folder, with: content)
        #expect(try WholeFile.read(path + "/file") == content)
        #expect(try WholeFile.read(path + "/file", limit: 3) == Array(content.prefix(3)))
        #expect(try Directory.names(in: path) == ["file"])
      }
      var status = stat()
      #expect(unsafe stat(path + "/file", &status) == 0)
      #expect(status.st_mode & 0o7777 == 0o600)
    }
  }

  @Test func aReplacementThatFailsLeavesNothing() throws {
    try withFolder { path in
      let folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
      try systemCall { unsafe mkdir(path + "/taken", 0o700) }
      defer { unsafe rmdir(path + "/taken") }
      #expect(throws: Errno.isDirectory) { try WholeFile.replace("taken", in: folder, with: [1]) }
      #expect(try Directory.names(in: path) == ["taken"])
    }
  }

  @Test func aMissingFileIsAnError() {
    #expect(throws: Errno.noSuchFileOrDirectory) { try WholeFile.read("/nonexistent") }
  }

  // MARK: Directories

  @Test func directoriesListWhatIsInThem() throws {
    try withFolder { path in
      #expect(try Directory.isEmpty(path))
      let names: [[UInt8]] = [Array("..x".utf8), [0xFF, 0x41], Array("a".utf8)]
      let folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
      for name in names {
        _ = Descriptor(
          try systemCall { unsafe openat(folder.number, Self.path(name), O_CREAT | O_WRONLY, 0o600) })
      }
      var found: Set<[UInt8]> = []
      try Directory.list(".", in: folder) { found.insert($0).inserted }
      #expect(found == Set(names))
      var count = 0
      try Directory.list(path) { _ in
        count += 1
        return false
      }
      #expect(count == 1)
      #expect(try !Directory.isEmpty(path))
      unsafe unlinkat(folder.number, Self.path(names[1]), 0)
    }
    #expect(throws: Errno.notDirectory) { try Directory.isEmpty("/dev/null") }
  }
}
