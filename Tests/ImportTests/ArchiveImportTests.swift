import Glibc
import HostFiles
import Media
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing

@testable import Import

@Suite struct ArchiveImportTests {
  private let archives: ArchiveFixture

  init() throws { archives = try ArchiveFixture() }

  private static func data(_ seed: UInt8, _ count: Int) -> [UInt8] { ArchiveFixture.data(seed, count) }

  @Test func everythingOfArchivesArrives() throws {
    try archives.make(
      #"""
      entries = [("a.jpg", data(1, 3000000)), ("Italy/Rome/b.jpg", data(2, 10)), ("Italy/empty", b""), ("./c", data(3, 70000))]
      zipped("one.zip", entries, zipfile.ZIP_DEFLATED)
      tarred("two.tgz", [("Spain/" + name, content[::-1]) for name, content in entries])
      tarred("three.tar", [("Peru/d.jpg", data(4, 999))], "w")
      """#)
    let names = ["one.zip", "two.tgz", "three.tar"]
    #expect(try archives.run(names, isTrial: true).summary.imported == 9)
    #expect(try archives.space.isEmpty)
    let first = try archives.run(names)
    #expect(first.summary.imported == 9 && first.summary.isWhole)
    let space = try archives.space
    #expect(space.count == 9)
    for (path, bytes) in [
      ("a.jpg", Self.data(1, 3_000_000)), ("Italy/Rome/b.jpg", Self.data(2, 10)), ("Italy/empty", []),
      ("c", Self.data(3, 70_000)), ("Spain/a.jpg", Self.data(1, 3_000_000).reversed()),
      ("Peru/d.jpg", Self.data(4, 999)),
    ] {
      #expect(space[path] == bytes, "\(path)")
    }
    #expect(first.outcomes["one.zip/Italy/Rome/b.jpg"] == .imported(path: Array("Italy/Rome/b.jpg".utf8)))
    var information = stat()
    try systemCall { unsafe stat(archives.fixture.space + "/Peru/d.jpg", &information) }
    #expect(information.st_mtim.tv_sec == 1_700_000_000)
    let again = try archives.run(names).summary
    #expect(again.known == 9 && again.imported == 0 && again.isWhole)
    #expect(try archives.space == space)
    #expect(try archives.incoming.isEmpty)
  }

  @Test func contentThatTheSpaceHasGetsAName() throws {
    try ImportFixture.write(Self.data(1, 5000), to: archives.fixture.space + "/there.jpg")
    try archives.make(
      #"zipped("x.zip", [("new/a.jpg", data(1, 5000)), ("new/b.jpg", data(2, 5000)), ("new/c.jpg", data(2, 5000))])"#)
    let result = try archives.run(["x.zip"])
    #expect(
      result.outcomes["x.zip/new/a.jpg"] == .duplicate(path: Array("new/a.jpg".utf8), existing: Array("there.jpg".utf8))
    )
    #expect(result.summary.duplicates == 2 && result.summary.imported == 1)
    #expect(try archives.space["new/c.jpg"] == Self.data(2, 5000))
    #expect(try archives.incoming.isEmpty)
  }

  /// What cannot be imported is said, the rest is, and the archive stays.
  @Test func badEntriesFailAlone() throws {
    try archives.make(
      #"""
      tarred("t.tar", [
          ("good", data(1, 100)), ("../up", data(2, 100)), ("/absolute", data(3, 100)), ("x/../../y", data(4, 100)),
          ("link", (tarfile.SYMTYPE, "/etc/passwd")), ("hard", (tarfile.LNKTYPE, "good")), ("fifo", (tarfile.FIFOTYPE, "")),
          ("n" * 256, data(5, 100)), ("last", data(6, 100))], "w")
      zipped("crc.zip", [("broken.jpg", data(7, 5000)), ("whole.jpg", data(8, 5000))])
      content = bytearray(open("crc.zip", "rb").read())
      content[content.index(data(7, 5000)[:64]) + 100] ^= 1
      open("crc.zip", "wb").write(content)
      zipped("locked.zip", [("locked.jpg", data(9, 50)), ("free.jpg", data(10, 50))])
      content = bytearray(open("locked.zip", "rb").read())
      content[6] |= 1
      content[content.index(b"PK\1\2") + 8] |= 1
      open("locked.zip", "wb").write(content)
      """#)
    let names = ["t.tar", "crc.zip", "locked.zip"]
    let result = try archives.run(names, deletes: true)
    #expect(try Set(archives.space.keys) == ["good", "last", "whole.jpg", "free.jpg"])
    for name in ["t.tar/../up", "t.tar//absolute", "t.tar/x/../../y"] {
      #expect(result.outcomes[name] == .failed(.badName), "\(name)")
    }
    #expect(result.outcomes["t.tar/link"] == .skipped(.symbolicLink))
    #expect(result.outcomes["t.tar/hard"] == .skipped(.hardLink))
    #expect(result.outcomes["t.tar/fifo"] == .skipped(.special))
    #expect(result.outcomes["t.tar/" + String(repeating: "n", count: 256)] == .failed(.badName))
    guard case .failed(.archive(.damaged)) = result.outcomes["crc.zip/broken.jpg"] else {
      Issue.record("\(String(describing: result.outcomes["crc.zip/broken.jpg"]))")
      return
    }
    #expect(result.outcomes["locked.zip/locked.jpg"] == .failed(.archive(.encrypted)))
    #expect(try archives.source == names.sorted())
    #expect(result.summary.keptArchives.count == 3 && result.deleted.isEmpty)
    #expect(try archives.incoming.isEmpty)
  }

  @Test func whatIsNoArchiveOrIsDamagedIsRefused() throws {
    try archives.make(
      #"""
      open("text.zip", "w").write("no archive at all")
      tarred("cut.tgz", [("a.jpg", os.urandom(100000)), ("b.jpg", os.urandom(100000))])
      os.truncate("cut.tgz", 150000)
      tarred("sum.tgz", [("a.jpg", os.urandom(1000))])
      content = bytearray(open("sum.tgz", "rb").read()); content[-8] ^= 1; open("sum.tgz", "wb").write(content)
      """#)
    let names = ["text.zip", "cut.tgz", "sum.tgz"]
    let result = try archives.run(names, deletes: true)
    #expect(result.summary.failed == 3 && result.summary.imported == 0)
    #expect(result.outcomes["text.zip"] == .failed(.notAnArchive))
    for name in ["cut.tgz", "sum.tgz"] {
      guard case .failed(.archive(.damaged)) = result.outcomes[name] else {
        Issue.record("\(name): \(String(describing: result.outcomes[name]))")
        continue
      }
    }
    #expect(try archives.source == names.sorted() && archives.space.isEmpty && archives.incoming.isEmpty)
  }

  @Test func anArchiveGoesWhenAllOfItIsVerified() throws {
    try archives.make(
      #"""
      zipped("a.zip", [("x/1.jpg", data(1, 5000)), ("x/2.jpg", data(2, 200000))], zipfile.ZIP_DEFLATED)
      tarred("b.tgz", [("y/1.jpg", data(3, 5000)), ("y/", (tarfile.DIRTYPE, ""))])
      """#)
    let result = try archives.run(["a.zip", "b.tgz"], deletes: true)
    #expect(result.summary.isWhole && result.deleted == [.deleted, .deleted])
    #expect(try archives.source.isEmpty)
    #expect(try archives.space.count == 3)
  }

  /// An archive on a medium that gives other bytes the second time.
  @Test(arguments: [1, 3, 5]) func anArchiveThatLiesStays(_ place: Int) throws {
    let reads = Mutex((count: 0, path: ""))
    let hook: FileCalls.Hook = { (kind) throws(Errno) in
      guard kind == .read else { return }
      let path = reads.withLock { state in
        state.count += 1
        return state.count == place ? state.path : ""
      }
      if path.isEmpty { return }
      // The times are put back, as if nothing had been written.
      var information = stat()
      try systemCall { unsafe stat(path, &information) }
      var bytes = (try? ImportFixture.read(path)) ?? []
      bytes[200] ^= 1
      try? Descriptor.open(path, O_WRONLY).writeAll(bytes)
      let times = [information.st_atim, information.st_mtim]
      try systemCall { unsafe utimensat(AT_FDCWD, path, times, 0) }
    }
    let archives = try ArchiveFixture(before: hook)
    try archives.make(#"zipped("a.zip", [("1.jpg", data(1, 5000)), ("2.jpg", data(2, 5000))])"#)
    // Listing reads once without comparing.
    let path = archives.fixture.source + "/a.zip"
    reads.withLock { $0 = (-1, path) }
    let result = try archives.run(["a.zip"], deletes: true)
    #expect(!result.summary.isWhole && result.deleted.isEmpty)
    #expect(try archives.source == ["a.zip"])
    for (name, bytes) in try archives.space {
      #expect(bytes == Self.data(name == "1.jpg" ? 1 : 2, 5000), "\(name) has wrong bytes")
    }
    #expect(try archives.incoming.isEmpty)
  }

  /// What belongs together goes into one album, wherever in the archive it is.
  @Test func albumsByDay() throws {
    struct ByName: AlbumSorter {
      func albums(of group: [SortedFile]) -> [SortedAlbum] {
        let photo = group.first { $0.name.suffix(4).elementsEqual(".jpg".utf8) }
        let day = photo.map { Int($0.name[0] - 0x60) } ?? 0
        // All of a group can be read when it is sorted.
        return group.map { file in
          let size = file.open().flatMap { try? FileCalls().status(of: $0).size }
          return SortedAlbum([Array((size == file.status.size ? "\(day)" : "unread").utf8)])
        }
      }
    }
    try archives.make(
      #"""
      tarred("x.tar", [("s/a.mov", data(1, 50)), ("s/b.jpg", data(2, 60)), ("s/a.jpg", data(3, 70)), ("t/a.xmp", data(4, 80)),
                       ("s/b.jpg.xmp", data(5, 90))], "w")
      """#)
    let result = try archives.run(["x.tar"], sorter: ByName())
    #expect(result.summary.imported == 5)
    #expect(try Set(archives.space.keys) == ["1/a.mov", "1/a.jpg", "2/b.jpg", "2/b.jpg.xmp", "0/a.xmp"])
    let again = try archives.run(["x.tar"], sorter: ByName())
    #expect(again.summary.known + again.summary.duplicates == 5 && again.summary.isWhole)
    #expect(try archives.space.count == 5 && archives.incoming.isEmpty)
  }

  /// What describes a photo of a Takeout comes to the sorter with it, from an archive and from a folder, and what has only
  /// the time of its file is counted when it comes.
  @Test(arguments: [
    ("x.zip", #"zipped("x.zip", entries)"#),
    ("x", #"os.makedirs("x/" + top); [open("x/" + name, "wb").write(content) for name, content in entries]"#),
  ])
  func whatDescribesAPhotoIsSorted(source: String, script: String) throws {
    struct ByDescription: AlbumSorter {
      func albums(of group: [SortedFile]) -> [SortedAlbum] {
        group.map { SortedAlbum([$0.described ?? Array("none".utf8)], isDatedByFile: $0.described == nil) }
      }
    }
    try archives.make(
      #"""
      top = "Takeout/Google Photos/Photos from 2019/"
      entries = [(top + "a.jpg", data(1, 50)), (top + "a.jpg.json", b"title=a.jpg"), (top + "b.jpg", data(2, 60))]

      """# + script)
    let summary = try archives.run([source], sorter: ByDescription()).summary
    #expect(try Set(archives.space.keys) == ["says a.jpg/a.jpg", "says a.jpg/a.jpg.json", "none/b.jpg"])
    #expect(summary.datedByFile == 1 && summary.datedByFilePaths.count == 1)
    #expect(summary.datedByFilePaths.first?.suffix(6).elementsEqual("/b.jpg".utf8) ?? false)
    #expect(try archives.run([source], sorter: ByDescription()).summary.datedByFile == 0)
  }

  /// Nothing is put where the mount keeps what is not whole yet, which goes after a week.
  @Test func nothingGoesWhereItWouldVanish() throws {
    try archives.make(#"zipped("x.zip", [(".agonyfs/incoming/deletions-x", b"1"), ("good", b"2")])"#)
    let result = try archives.run(["x.zip"], deletes: true)
    #expect(result.outcomes["x.zip/.agonyfs/incoming/deletions-x"] == .failed(.badName))
    #expect(try archives.space == ["good": [0x32]] && archives.source == ["x.zip"])
    try archives.fixture.put("folder/.agonyfs/a", [1])
    #expect(try archives.run(["folder"]).outcomes["folder/.agonyfs/a"] == .failed(.badName))
  }

  @Test func directoriesThatHoldSomethingAreNoDirectories() throws {
    try archives.make(
      #"""
      with zipfile.ZipFile("x.zip", "w") as archive:
          info = zipfile.ZipInfo("photo.jpg"); info.create_system = 0; info.external_attr = 0x10
          archive.writestr(info, data(1, 5000))
          archive.mkdir("empty") if hasattr(archive, "mkdir") else archive.writestr("empty/", b"")
      """#)
    let result = try archives.run(["x.zip"], deletes: true)
    #expect(result.outcomes == ["x.zip/photo.jpg": .skipped(.special)])
    #expect(try archives.source == ["x.zip"])
  }

  /// Two entries that claim 2^63 − 1 bytes each.
  @Test func sizesThatAreClaimedAreNotTrusted() throws {
    try archives.make(
      #"""
      zipped("x.zip", [("a", b"1"), ("b", b"2")])
      content = bytearray(open("x.zip", "rb").read())
      start = content.index(b"PK\1\2"); end = content.index(b"PK\5\6")
      directory = b""
      for name in b"a", b"b":
          at = content.index(b"PK\1\2", start); start = at + 4
          entry = bytearray(content[at:at + 46]); entry[24:28] = b"\xff" * 4; entry[30:32] = (12).to_bytes(2, "little")
          directory += entry + name + struct.pack("<HHQ", 1, 8, 2 ** 63 - 1)
      tail = bytearray(content[end:]); at = content.index(b"PK\1\2")
      tail[12:16] = len(directory).to_bytes(4, "little")
      open("x.zip", "wb").write(content[:at] + directory + tail)
      """#)
    let result = try archives.run(["x.zip"], deletes: true)
    #expect(result.summary.failed == 2 && result.summary.imported == 0)
    #expect(try archives.source == ["x.zip"] && archives.space.isEmpty)
  }

  /// Cameras that write one length: each is compared by its beginning, and read back once.
  @Test func filesOfOneLengthAreReadBackOnce() throws {
    let digests = Counter()
    let archives = try ArchiveFixture(before: { (kind) throws(Errno) in
      if kind == .digest { _ = digests.next() }
    })
    try archives.make(#"tarred("x.tar", [(f"{n}.raw", bytes([n]) + data(1, 2000)) for n in range(100)], "w")"#)
    #expect(try archives.run(["x.tar"]).summary.imported == 100)
    #expect(digests.value == 100)
  }

  /// A link beside a photo belongs to its group and does not keep it waiting.
  @Test func linksHoldUpNoAlbum() throws {
    struct OneDay: AlbumSorter {
      func albums(of group: [SortedFile]) -> [SortedAlbum] { group.map { _ in SortedAlbum([Array("day".utf8)]) } }
    }
    try archives.make(
      #"tarred("x.tar", [("a.jpg", data(1, 50)), ("a.png", (tarfile.SYMTYPE, "a.jpg")), ("b.jpg", data(2, 50))], "w")"#)
    let result = try archives.run(["x.tar"], sorter: OneDay())
    #expect(result.summary.imported == 2 && result.summary.skipped == 1 && result.summary.unreached == 0)
    #expect(try Set(archives.space.keys) == ["day/a.jpg", "day/b.jpg"])
  }

  @Test func whatAnArchiveDoesNotComeToIsCounted() throws {
    try archives.make(#"tarred("x.tar", [(f"{n}", data(n, 50)) for n in range(20)], "w")"#)
    let observer = Observer()
    observer.most = 5
    let result = try archives.run(["x.tar"], observer: observer)
    #expect(result.summary.imported == 5 && result.summary.unreached == 15 && result.summary.all == 20)
  }

  @Test func interruptedAndGoneOn() throws {
    try archives.make(#"zipped("x.zip", [(f"{n}.jpg", data(n, 100 + n)) for n in range(100)])"#)
    let observer = Observer()
    observer.most = 50
    let first = try archives.run(["x.zip"], deletes: true, observer: observer)
    #expect(first.summary.isInterrupted && first.summary.imported == 50)
    #expect(try archives.space.count == 50 && archives.source == ["x.zip"] && archives.incoming.isEmpty)
    let second = try archives.run(["x.zip"], deletes: true)
    #expect(second.summary.known == 50 && second.summary.imported == 50 && second.deleted == [.deleted])
  }
}
