import CPlatform
import Glibc
import HostFiles
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing

@testable import Export

/// Exports into a folder.
@Suite struct FolderWriterTests {
  fileprivate let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  fileprivate func writer(_ calls: FileCalls = FileCalls(), verifies: Bool = true) throws -> FolderWriter {
    FolderWriter(calls, root: try Descriptor.open(folder.path, O_RDONLY | O_DIRECTORY), verifies: verifies)
  }

  /// All files of the folder, by their paths.
  fileprivate func found(in path: String = "") throws -> [String: [UInt8]] {
    var found: [String: [UInt8]] = [:]
    for name in try Directory.names(in: folder.path + "/" + path) {
      let inner = (path.isEmpty ? "" : path + "/") + String(decoding: name, as: UTF8.self)
      var status = stat()
      try systemCall { unsafe lstat(folder.path + "/" + inner, &status) }
      if status.st_mode & S_IFMT == S_IFDIR {
        found.merge(try self.found(in: inner)) { one, _ in one }
      } else {
        found[inner] = try WholeFile.read(folder.path + "/" + inner)
      }
    }
    return found
  }

  static func sample() -> MemorySpace {
    let space = MemorySpace()
    for number in 0..<6 {
      let bytes = (0..<(number * 70_001)).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
      space.files["album \(number % 2)/deep/IMG_\(number).jpg"] = bytes
    }
    space.files["root.txt"] = Array("words".utf8)
    space.attributes["root.txt"] = [(Array("user.xdg.tags".utf8), Array("a,b".utf8))]
    return space
  }

  @Test func everythingIsThereAsItWas() throws {
    let space = Self.sample()
    space.files["hole"] = Array("start".utf8)
    space.sizes["hole"] = 5_000_001
    let (summary, outcomes) = export(space, to: try writer())
    #expect(summary.isWhole && summary.exported == 8 && outcomes.count == 8)
    var expected = space.files
    expected["hole"] = Array("start".utf8) + [UInt8](repeating: 0, count: 5_000_001 - 5)
    #expect(try found() == expected)
    var status = stat()
    try systemCall { unsafe stat(folder.path + "/root.txt", &status) }
    #expect(status.st_mtim.tv_sec == 1_500_000_000 && status.st_mtim.tv_nsec == 123_456_789)
    #expect(status.st_mode & 0o777 == 0o640)
    var value = [UInt8](repeating: 0, count: 16)
    let count = unsafe getxattr(folder.path + "/root.txt", "user.xdg.tags", &value, value.count)
    // Some file systems of machines that test have no attributes, and then that is counted.
    #expect(count == 3 && value.prefix(3) == Array("a,b".utf8)[...] || summary.withoutAttributes == 1)
    try systemCall { unsafe stat(folder.path + "/hole", &status) }
    #expect(status.st_blocks * 512 < 4_000_000)
    // Once more everything is known.
    let again = export(space, to: try writer()).summary
    #expect(again.isWhole && again.known == 8 && again.exported == 0 && again.bytes == 0)
  }

  @Test func nothingIsReplaced() throws {
    let space = MemorySpace()
    space.files["a.jpg"] = [1, 2, 3]
    for (name, bytes) in [("a.jpg", [UInt8(9)]), ("a (2).jpg", [3, 2, 1])] {
      try Descriptor.open(folder.path + "/" + name, O_WRONLY | O_CREAT).writeAll(bytes)
    }
    #expect(export(space, to: try writer()).outcomes["a.jpg"] == .exported(path: Array("a (3).jpg".utf8), bytes: 3))
    #expect(try found() == ["a.jpg": [9], "a (2).jpg": [3, 2, 1], "a (3).jpg": [1, 2, 3]])
    #expect(export(space, to: try writer()).outcomes["a.jpg"] == .known(path: Array("a (3).jpg".utf8)))
    // A link there leads nowhere that is written to.
    let outside = try TemporaryFolder()
    try systemCall { unsafe symlink(outside.path, folder.path + "/linked") }
    space.files["linked/b.jpg"] = [5]
    let (summary, _) = export(space, to: try writer())
    #expect(summary.failed == 1 && summary.known == 1)
    #expect(try Directory.names(in: outside.path).isEmpty)
  }

  @Test func sidecarsHaveTheirNameOrNone() throws {
    let space = MemorySpace()
    space.files["a.jpg"] = [1, 2, 3]
    let changes = NoChanges()
    changes.sidecars["a.jpg"] = Array("words".utf8)
    #expect(export(space, to: try writer(), changes).summary.sidecars == 1)
    #expect(export(space, to: try writer(), changes).summary.isWhole)
    changes.sidecars["a.jpg"] = Array("other".utf8)
    #expect(export(space, to: try writer(), changes).outcomes["a.jpg"] == .failed(.nameTaken))
    #expect(try found() == ["a.jpg": [1, 2, 3], "a.jpg.xmp": Array("words".utf8)])
  }

  @Test func whatIsWrongIsNotThere() throws {
    let space = Self.sample()
    let expected: [(String, MemoryFile.Fault, ExportFailure)] = [
      ("x/closed", .closed, .source(EACCES)), ("x/unreadable", .unreadable, .source(EIO)),
      ("x/short", .short, .changed),
      ("x/other", .storedDiffers, .storedDiffers), ("x/changes", .changes, .changed),
    ]
    for (path, fault, _) in expected {
      space.files[path] = [UInt8](repeating: 7, count: 100_000)
      space.faults[path] = fault
    }
    space.others = ["x/link": .symbolicLink, "x/fifo": .fifo]
    let (summary, outcomes) = export(space, to: try writer())
    for (path, _, failure) in expected { #expect(outcomes[path] == .failed(failure), "\(path)") }
    #expect(outcomes["x/link"] == .failed(.kind("a symbolic link")) && outcomes["x/fifo"] == .failed(.kind("a FIFO")))
    #expect(summary.failed == 7 && summary.exported == 7 && !summary.isWhole && summary.end == nil)
    #expect(try found() == Self.sample().files)
  }

  @Test func trashAndOtherAlbumsAreLeftOut() throws {
    let space = Self.sample()
    space.files[".Trash-1000/files/gone.jpg"] = [1]
    space.files["album 1/.Trash-1000"] = [2]
    #expect(export(space, to: try writer(), album: "album 1").summary.exported == 4)
    #expect(try Set(found().keys) == ["deep/IMG_1.jpg", "deep/IMG_3.jpg", "deep/IMG_5.jpg", ".Trash-1000"])
    let all = export(space, to: try writer()).outcomes
    #expect(all.count == 8 && all[".Trash-1000/files/gone.jpg"] == nil)
  }

  @Test func itEndsAfterTheFileAtHand() throws {
    let observer = Observer()
    observer.most = 4
    let (summary, outcomes) = export(Self.sample(), to: try writer(), observer: observer)
    #expect(summary.isInterrupted && !summary.isWhole && outcomes.count == 7)
    #expect(summary.exported + summary.failed == 7 && summary.exported > 0 && summary.failed > 0)
    #expect(try found().count == summary.exported)
  }

  /// Whatever call fails: what has a name is whole, nothing else is left, and it is told.
  @Test func everyFailure() throws {
    let space = Self.sample()
    var number = 0
    while true {
      number += 1
      let counter = Counter()
      let failing = number
      let calls = FileCalls(
        before: { (call) throws(Errno) in
          let count = counter.next() + 1
          // What cannot be removed stays.
          if count == failing, call != .unlink { throw failing % 2 == 0 ? .noSpace : .ioError }
        }, step: 64 << 10)
      let inner = try FolderWriterTests()
      let (summary, outcomes) = export(space, to: try inner.writer(calls))
      #expect(outcomes.count == 7 && summary.exported + summary.failed == 7)
      let found = try inner.found()
      #expect(found.count == summary.exported, "call \(number): \(found.keys)")
      for (path, bytes) in found { #expect(space.files[path] == bytes, "call \(number): \(path)") }
      if counter.value < number { break }
    }
    #expect(number > 100)
  }
}

extension FolderWriterTests {
  /// As FAT answers to a name that it cannot have.
  @Test func namesThatTheDestinationCannotHave() throws {
    let space = MemorySpace()
    space.files = ["what?.jpg": [1], "plain.jpg": [2], "a:b/c.jpg": [3]]
    let renames = Counter()
    let calls = FileCalls(before: { (call) throws(Errno) in
      // The files come in the order of their names, then those of albums.
      if call == .rename, renames.next() == 1 { throw .notPermitted }
      if call == .makeDirectory { throw .noSuchFileOrDirectory }
    })
    let (summary, outcomes) = export(space, to: try writer(calls))
    #expect(summary.exported == 1 && summary.failed == 2 && summary.end == nil)
    #expect(outcomes["what?.jpg"] == .failed(.nameImpossible) && outcomes["a:b/c.jpg"] == .failed(.nameImpossible))
    #expect(try found() == ["plain.jpg": [2]])
  }

  /// Where names cannot be kept from being replaced by the file system, they are not replaced either.
  @Test(arguments: [true, false]) func destinationsWithoutSafeRenaming(hasLinks: Bool) throws {
    let space = MemorySpace()
    space.files["a.jpg"] = [1]
    try Descriptor.open(folder.path + "/a.jpg", O_WRONLY | O_CREAT).writeAll([9])
    let isPlain = Mutex(false)
    let calls = FileCalls(before: { (call) throws(Errno) in
      switch call {
      case .link:
        if !hasLinks { throw .notPermitted }
      // After a look at the name it is the plain one.
      case .status: isPlain.withLock { $0 = true }
      case .flush: isPlain.withLock { $0 = false }
      case .rename:
        let isPlain = isPlain.withLock { isPlain in
          defer { isPlain = false }
          return isPlain
        }
        if !isPlain { throw .invalidArgument }
      default: break
      }
    })
    let (summary, outcomes) = export(space, to: try writer(calls, verifies: false))
    #expect(summary.isWhole && outcomes["a.jpg"] == .exported(path: Array("a (2).jpg".utf8), bytes: 1))
    #expect(try found() == ["a.jpg": [9], "a (2).jpg": [1]])
  }
}
