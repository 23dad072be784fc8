import CPlatform
import Glibc
import HostFiles
import System
import SystemPackage
import TestSupport
import Testing

@testable import Import

@Suite struct ImporterTests {
  private static func bytes(_ count: Int, _ seed: UInt64) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
  }

  private static func path(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func everythingOfAFolderArrives() throws {
    let fixture = try ImportFixture()
    let contents: [String: [UInt8]] = [
      "a.jpg": Self.bytes(100_000, 1), "empty": [], "DCIM/100/b.jpg": Self.bytes(3_000_000, 2),
      "DCIM/100/.hidden": Self.bytes(1, 3), "é.jpg": Self.bytes(11, 5), "A.JPG": Self.bytes(12, 6),
    ]
    for (path, bytes) in contents { try fixture.put(path, bytes) }
    let (summary, outcomes) = fixture.run()
    #expect(try ImportFixture.files(in: fixture.space) == contents)
    #expect(summary.imported == contents.count && summary.isWhole)
    #expect(summary.bytes == contents.values.reduce(0) { $0 + Int64($1.count) })
    for path in contents.keys { #expect(outcomes[path] == .imported(path: Self.path(path))) }
    #expect(try Directory.names(in: fixture.incoming).isEmpty)
    var information = stat()
    try systemCall { unsafe stat(fixture.space + "/a.jpg", &information) }
    #expect(information.st_mtim.tv_sec == 1_500_000_000 && information.st_mtim.tv_nsec == 123_456_789)
    // Once more: all is there already.
    let again = fixture.run().summary
    #expect(again.known == contents.count && again.isWhole && again.imported == 0)
    #expect(try ImportFixture.files(in: fixture.space) == contents)
  }

  @Test func aFolderKeepsItsNameIfAsked() throws {
    let fixture = try ImportFixture()
    try fixture.put("Italy/a.jpg", Self.bytes(10, 1))
    _ = fixture.run([fixture.source + "/Italy/"], keepsName: true) { $0.album = [Self.path("Trips")] }
    #expect(try ImportFixture.files(in: fixture.space).keys.sorted() == ["Trips/Italy/a.jpg"])
    try fixture.put("b.jpg", Self.bytes(20, 2))
    _ = fixture.run([fixture.source + "/b.jpg"])
    #expect(try ImportFixture.files(in: fixture.space).keys.sorted() == ["Trips/Italy/a.jpg", "b.jpg"])
  }

  @Test func namesThatExistAreNotReplaced() throws {
    let fixture = try ImportFixture()
    try fixture.put("a.jpg", Self.bytes(10, 1))
    try ImportFixture.write(Self.bytes(10, 2), to: fixture.space + "/a.jpg")
    try ImportFixture.write(Self.bytes(11, 3), to: fixture.space + "/a (2).jpg")
    let (_, outcomes) = fixture.run()
    #expect(outcomes == ["a.jpg": .imported(path: Self.path("a (3).jpg"))])
    #expect(try ImportFixture.read(fixture.space + "/a.jpg") == Self.bytes(10, 2))
    #expect(try ImportFixture.read(fixture.space + "/a (3).jpg") == Self.bytes(10, 1))
    #expect(fixture.run().outcomes == ["a.jpg": .known(path: Self.path("a (3).jpg"))])
  }

  @Test func contentThatIsThereIsLinked() throws {
    let fixture = try ImportFixture()
    let content = Self.bytes(200_000, 1)
    try ImportFixture.write(content, to: fixture.space + "/old/x.jpg")
    // As long, but another one.
    try ImportFixture.write(Self.bytes(200_000, 2), to: fixture.space + "/old/y.jpg")
    try fixture.put("a.jpg", content)
    try fixture.put("again/b.jpg", content)
    let (summary, outcomes) = fixture.run { $0.album = [Self.path("new")] }
    #expect(summary.duplicates == 2 && summary.isWhole)
    #expect(
      outcomes == [
        "a.jpg": .duplicate(path: Self.path("new/a.jpg"), existing: Self.path("old/x.jpg")),
        "again/b.jpg": .duplicate(path: Self.path("new/again/b.jpg"), existing: Self.path("new/a.jpg")),
      ] || outcomes["again/b.jpg"] == .duplicate(path: Self.path("new/again/b.jpg"), existing: Self.path("old/x.jpg")))
    var one = stat()
    var two = stat()
    try systemCall { unsafe stat(fixture.space + "/old/x.jpg", &one) }
    try systemCall { unsafe stat(fixture.space + "/new/a.jpg", &two) }
    #expect(one.st_ino == two.st_ino && one.st_nlink == 3)
    // The album has it: nothing more is linked.
    let third = fixture.run { $0.album = [Self.path("new")] }
    #expect(third.outcomes["a.jpg"] == .duplicate(path: Self.path("new/a.jpg"), existing: Self.path("new/a.jpg")))
    #expect(try ImportFixture.files(in: fixture.space).count == 4)
    let stored = fixture.run {
      $0.album = [Self.path("all")]
      $0.skipsDuplicates = false
    }
    #expect(stored.summary.imported == 2)
  }

  @Test func twoOfOneContentInOneRun() throws {
    let fixture = try ImportFixture()
    let content = Self.bytes(50_000, 1)
    for name in ["a.jpg", "b.jpg", "c/d.jpg"] { try fixture.put(name, content) }
    let summary = fixture.run().summary
    #expect(summary.imported == 1 && summary.duplicates == 2)
    #expect(try ImportFixture.files(in: fixture.space).values.allSatisfy { $0 == content })
  }

  @Test func whatIsNoFileIsSkipped() throws {
    let fixture = try ImportFixture()
    try fixture.put("a.jpg", Self.bytes(10, 1))
    try systemCall { unsafe symlink("a.jpg", fixture.source + "/link") }
    try systemCall { unsafe symlink("..", fixture.source + "/circle") }
    try systemCall { unsafe symlink("/etc", fixture.source + "/out") }
    try systemCall { unsafe mkfifo(fixture.source + "/fifo", 0o644) }
    try systemCall { unsafe mknod(fixture.source + "/socket", S_IFSOCK | 0o644, 0) }
    try ImportFixture.write([1], to: fixture.source + "/vault/agonyfs.json")
    try ImportFixture.write([1], to: fixture.source + "/vault/segments/aa/x")
    let (summary, outcomes) = fixture.run()
    #expect(summary.imported == 1 && summary.skipped == 6 && !summary.isWhole)
    #expect(outcomes["link"] == .skipped(.symbolicLink) && outcomes["fifo"] == .skipped(.fifo))
    #expect(outcomes["socket"] == .skipped(.socket) && outcomes["circle"] == .skipped(.symbolicLink))
    #expect(outcomes["vault"] == .skipped(.insideVault))
    #expect(try ImportFixture.files(in: fixture.space).keys.sorted() == ["a.jpg"])
  }

  @Test func holesAndAttributesAreKept() throws {
    let fixture = try ImportFixture()
    let path = fixture.source + "/sparse"
    let file = try Descriptor.open(path, O_RDWR | O_CREAT)
    try systemCall { ftruncate(file.number, 300 << 20) }
    let part = Self.bytes(5000, 1)
    try systemCall { unsafe pwrite(file.number, part, part.count, 200 << 20) }
    var value = Self.bytes(20, 2)
    let keepsAttributes = unsafe setxattr(path, "user.note", &value, value.count, 0) == 0
    #expect(fixture.run().summary.imported == 1)
    var information = stat()
    try systemCall { unsafe stat(fixture.space + "/sparse", &information) }
    #expect(information.st_size == 300 << 20)
    #expect(information.st_blocks * 512 < 10 << 20)
    let copy = try Descriptor.open(fixture.space + "/sparse", O_RDONLY)
    var found = [UInt8](repeating: 0, count: part.count)
    try systemCall { unsafe pread(copy.number, &found, found.count, 200 << 20) }
    #expect(found == part)
    if keepsAttributes {
      var room = [UInt8](repeating: 0, count: 64)
      let count = unsafe getxattr(fixture.space + "/sparse", "user.note", &room, room.count)
      #expect(count == 20 && Array(room.prefix(20)) == value)
    }
  }

  /// What the storage gives back is not what was written.
  @Test func wrongBytesInTheStorageFail() throws {
    let fixture = try ImportFixture(digester: { (file) throws(Errno) in
      var digest = try ImportFixture.digest(file)
      digest.hash[7] ^= 1
      return digest
    })
    try fixture.put("a.jpg", Self.bytes(10_000, 1))
    #expect(fixture.run().outcomes == ["a.jpg": .failed(.storedDiffers)])
    #expect(try ImportFixture.files(in: fixture.space).isEmpty)
    #expect(try Directory.names(in: fixture.incoming).isEmpty)
    #expect(fixture.run { $0.verifies = false }.outcomes == ["a.jpg": .imported(path: Self.path("a.jpg"))])
  }

  /// A source that gives other bytes when it is read again, of the same length.
  @Test func aSourceThatLiesFails() throws {
    nonisolated(unsafe) var source: String?
    let fixture = try ImportFixture(before: { (kind) throws(Errno) in
      // A copy gets its times between the two readings of its source.
      guard kind == .times, let path = unsafe source else { return }
      unsafe source = nil
      try Descriptor.open(path, O_WRONLY).writeAll([9, 9, 9])
    })
    try fixture.put("a.jpg", Self.bytes(10_000, 1))
    unsafe source = fixture.source + "/a.jpg"
    let outcome = fixture.run().outcomes["a.jpg"]
    #expect(unsafe source == nil)
    #expect(outcome == .failed(.changed) || outcome == .failed(.readsDiffer))
    #expect(try ImportFixture.files(in: fixture.space).isEmpty)
  }

  @Test func anInterruptionEndsAfterTheFileAtHand() throws {
    let fixture = try ImportFixture()
    // In folders that it does not come to, as well.
    for number in 0..<20 { try fixture.put("\(number / 6)/\(number).jpg", Self.bytes(1000 + number, UInt64(number))) }
    let observer = Observer()
    observer.most = 7
    let first = fixture.run(observer: observer).summary
    #expect(first.isInterrupted && first.imported == 7 && first.unreached == 13 && first.all == 20)
    let second = fixture.run().summary
    #expect(second.imported == 13 && second.known == 7 && second.isWhole)
  }

  /// What a program still writes stays, whatever its times say, and goes once it is closed.
  @Test func whatIsBeingWrittenStays() throws {
    let fixture = try ImportFixture()
    try fixture.put("a.jpg", Self.bytes(1000, 1))
    try fixture.put("b.jpg", Self.bytes(2000, 2))
    let writer = try Descriptor.open(fixture.source + "/a.jpg", O_WRONLY)
    func deleted() throws -> [OriginalDeletion.Outcome] {
      let list = DeletionList(fixture.calls, in: fixture.target.incoming, named: [0x78])
      fixture.run(list: list) { $0.deletesOriginals = true }
      var outcomes: [OriginalDeletion.Outcome] = []
      try OriginalDeletion(fixture.calls).deleteAll(of: list, isCancelled: { false }) { outcomes.append($1) }
      return outcomes
    }
    #expect(try deleted() == [.inUse, .deleted])
    let left = try ImportFixture.files(in: fixture.source)
    withExtendedLifetime(writer) { #expect(left.keys.sorted() == ["a.jpg"]) }
  }

  @Test func aTrialDoesNothing() throws {
    let fixture = try ImportFixture()
    try fixture.put("x/a.jpg", Self.bytes(1000, 1))
    #expect(fixture.run { $0.isTrial = true }.outcomes == ["x/a.jpg": .imported(path: Self.path("x/a.jpg"))])
    #expect(try ImportFixture.files(in: fixture.space).isEmpty)
    #expect(try Directory.names(in: fixture.space).isEmpty)
    // It says the name that it would get.
    try ImportFixture.write(Self.bytes(10, 2), to: fixture.space + "/x/a.jpg")
    #expect(fixture.run { $0.isTrial = true }.outcomes == ["x/a.jpg": .imported(path: Self.path("x/a (2).jpg"))])
  }
}
