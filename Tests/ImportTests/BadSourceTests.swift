import CPlatform
import Glibc
import HostFiles
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing

@testable import Import

/// Sources that change, lie or fail, and spaces that are full or go away: nothing of it is taken for the content, every
/// file is accounted for, and no original is deleted that the space has not.
@Suite struct BadSourceTests {
  private static func bytes(_ count: Int, _ seed: UInt8) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) ^ seed }
  }

  /// Imports, and deletes what may go.
  private static func importAndDelete(
    _ fixture: ImportFixture, identifies: Bool = true
  ) throws -> (summary: ImportSummary, outcomes: [String: ImportOutcome], deletions: [OriginalDeletion.Outcome]) {
    let list = DeletionList(fixture.calls, in: fixture.target.incoming, named: [0x78])
    let (summary, outcomes) = fixture.run(list: list) {
      $0.deletesOriginals = true
      $0.overlaps = false
    }
    var deletions: [OriginalDeletion.Outcome] = []
    let deletion = OriginalDeletion(fixture.calls, identifies: identifies)
    try deletion.deleteAll(of: list, isCancelled: { false }) { deletions.append($1) }
    return (summary, outcomes, deletions)
  }

  /// Calls something before each call of a kind, with the number of the call.
  private static func counting(
    _ counted: FileCall, _ body: @escaping @Sendable (Int) throws(Errno) -> Void
  ) -> FileCalls.Hook {
    let count = Counter()
    return { (kind) throws(Errno) in if kind == counted { try body(count.next() + 1) } }
  }

  /// Where the source is, for hooks, which are made before it.
  private final class Place: Sendable {
    let source = Mutex("")
    func change(_ name: String, _ body: (Descriptor) throws -> Void) {
      try? body(Descriptor.open(source.withLock { $0 } + "/" + name, O_RDWR))
    }
  }

  @Test func whatGrowsForEverEnds() throws {
    let place = Place()
    let fixture = try ImportFixture(
      before: Self.counting(.read) { (_) throws(Errno) in
        place.change("log") { file in
          _ = lseek(file.number, 0, SEEK_END)
          try file.writeAll(Self.bytes(4096, 9))
        }
      }, step: 4096)
    place.source.withLock { $0 = fixture.source }
    try fixture.put("log", Self.bytes(40_000, 1))
    try fixture.put("photo", Self.bytes(100, 2))
    let (summary, outcomes, deletions) = try Self.importAndDelete(fixture)
    #expect(outcomes == ["log": .failed(.changed), "photo": .imported(path: Array("photo".utf8))])
    #expect(summary.failed == 1 && summary.all == 2 && deletions == [.deleted])
    #expect(try ImportFixture.files(in: fixture.space).keys.sorted() == ["photo"])
    #expect(try ImportFixture.files(in: fixture.source).keys.sorted() == ["log"])
    #expect(try Directory.names(in: fixture.incoming).isEmpty)
  }

  /// At each read of the copy and of the verification it loses its end.
  @Test(arguments: 1...24) func whatShrinksFails(_ number: Int) throws {
    let place = Place()
    let fixture = try ImportFixture(
      before: Self.counting(.read) { (count) throws(Errno) in
        if count == number { place.change("a.jpg") { _ = ftruncate($0.number, 500) } }
      }, step: 4096)
    place.source.withLock { $0 = fixture.source }
    try fixture.put("a.jpg", Self.bytes(40_000, 1))
    let (_, outcomes, deletions) = try Self.importAndDelete(fixture)
    let left = try ImportFixture.files(in: fixture.source)
    let now = try ImportFixture.files(in: fixture.space)
    if left["a.jpg"]?.count == 500 {
      // It was cut before it was verified, or right after.
      #expect(outcomes == ["a.jpg": .failed(.changed)] || deletions == [.changed])
    }
    #expect(now.isEmpty || now == ["a.jpg": Self.bytes(40_000, 1)])
    #expect(left["a.jpg"] != nil || now["a.jpg"] != nil)
  }

  @Test func otherBytesOfTheSameLengthFail() throws {
    let place = Place()
    let fixture = try ImportFixture(
      before: Self.counting(.read) { (count) throws(Errno) in
        if count == 5 { place.change("a.jpg") { try $0.writeAll([1, 2, 3]) } }
      }, step: 4096)
    place.source.withLock { $0 = fixture.source }
    try fixture.put("a.jpg", Self.bytes(40_000, 1))
    #expect(try Self.importAndDelete(fixture).outcomes == ["a.jpg": .failed(.changed)])
    #expect(try ImportFixture.files(in: fixture.space).isEmpty)
  }

  /// A medium that gives other bytes the second time, and nothing about the file says so.
  @Test(arguments: 0..<11) func aMediumThatLiesIsFoundOut(_ wrong: Int) throws {
    let count = Counter()
    let fixture = try ImportFixture(
      altering: { bytes in
        // The copy reads ten pieces, and then they are read again.
        if !bytes.isEmpty, count.next() == 10 + wrong { bytes[bytes.count / 2] ^= 0x10 }
      }, step: 4096)
    let content = Self.bytes(40_000, 1)
    try fixture.put("a.jpg", content)
    let (_, outcomes, deletions) = try Self.importAndDelete(fixture)
    if wrong < 10 {
      #expect(outcomes == ["a.jpg": .failed(.readsDiffer)] && deletions == [])
      #expect(try ImportFixture.files(in: fixture.space).isEmpty)
      #expect(try ImportFixture.files(in: fixture.source) == ["a.jpg": content])
    } else {
      #expect(outcomes == ["a.jpg": .imported(path: Array("a.jpg".utf8))])
    }
  }

  /// Where numbers and times say too little, what lies when it is read once more before it is deleted stays.
  @Test func whatLiesBeforeItIsDeletedStays() throws {
    let lies = Mutex(false)
    let fixture = try ImportFixture(
      altering: { bytes in if lies.withLock({ $0 }), !bytes.isEmpty { bytes[0] ^= 1 } })
    try fixture.put("a.jpg", Self.bytes(40_000, 1))
    let list = DeletionList(fixture.calls, in: fixture.target.incoming, named: [0x78])
    #expect(fixture.run(list: list) { $0.deletesOriginals = true }.summary.isWhole)
    var originals: [Original] = []
    try list.forEach {
      originals.append($0)
      return true
    }
    let original = try #require(originals.first)
    lies.withLock { $0 = true }
    #expect(OriginalDeletion(fixture.calls, identifies: false).delete(original) == .changed)
    lies.withLock { $0 = false }
    #expect(OriginalDeletion(fixture.calls, identifies: false).delete(original) == .deleted)
  }

  /// A card that is pulled out: from some call on nothing can be read of it.
  @Test(arguments: [1, 2, 5, 9, 14, 20, 33]) func aCardThatIsPulledOut(_ last: Int) throws {
    let pulled = Mutex(false)
    let reading = Self.counting(.read) { (count) throws(Errno) in
      if count >= last { pulled.withLock { $0 = true } }
    }
    let fixture = try ImportFixture(
      before: { (kind) throws(Errno) in
        try reading(kind)
        if kind == .read || kind == .list, pulled.withLock({ $0 }) { throw .ioError }
      }, step: 4096)
    var contents: [String: [UInt8]] = [:]
    for number in 0..<12 {
      contents["\(number / 3)/\(number).jpg"] = Self.bytes(9000 + number, UInt8(number))
    }
    for (path, bytes) in contents { try fixture.put(path, bytes) }
    let list = DeletionList(fixture.calls, in: fixture.target.incoming, named: [0x78])
    let (summary, outcomes) = fixture.run(list: list) { $0.deletesOriginals = true }
    #expect(!summary.isWhole && summary.failed > 0)
    #expect(outcomes.count == summary.all)
    #expect(try ImportFixture.files(in: fixture.source) == contents)
    for (path, bytes) in try ImportFixture.files(in: fixture.space) { #expect(contents[path] == bytes) }
    // It is put in again.
    let again = try Self.importAndDelete(ImportFixture.with(fixture))
    #expect(again.summary.isWhole && again.summary.all == 12)
    #expect(try ImportFixture.files(in: fixture.source).isEmpty)
    #expect(try ImportFixture.files(in: fixture.space) == contents)
  }

  /// A full space, and a mount that goes away, end the import; what is left is counted, and done by the next run.
  @Test(arguments: [Errno.noSpace, .socketNotConnected, .diskQuotaExceeded])
  func aSpaceThatTakesNothingMore(_ error: Errno) throws {
    let fixture = try ImportFixture(
      before: Self.counting(.write) { (number) throws(Errno) in if number > 4 { throw error } })
    var contents: [String: [UInt8]] = [:]
    for number in 0..<20 { contents["\(number / 7)/\(number).jpg"] = Self.bytes(900 + number, UInt8(number)) }
    for (path, bytes) in contents { try fixture.put(path, bytes) }
    let (summary, outcomes) = fixture.run { $0.overlaps = false }
    #expect(summary.end == error.rawValue && !summary.isWhole)
    #expect(summary.imported == 4 && summary.failed == 1 && summary.unreached == 15 && summary.all == 20)
    #expect(outcomes.count == 20)
    let again = ImportFixture.with(fixture).run().summary
    #expect(again.isWhole && again.known == 4 && again.imported == 16)
    #expect(try ImportFixture.files(in: fixture.space) == contents)
  }

  @Test func fiveGibibytesWithAHole() throws {
    let fixture = try ImportFixture()
    let path = fixture.source + "/video.mov"
    let size: Int64 = 5 << 30
    let part = Self.bytes(5000, 1)
    do {
      let file = try Descriptor.open(path, O_RDWR | O_CREAT)
      try systemCall { ftruncate(file.number, off_t(size)) }
      for offset: Int64 in [0, (4 << 30) - 2500, size - 5000] {
        try systemCall { unsafe pwrite(file.number, part, part.count, off_t(offset)) }
      }
    }
    let observer = Observer()
    let summary = fixture.run(observer: observer) { $0.verifies = false }.summary
    #expect(summary.imported == 1 && summary.bytes == size)
    #expect(observer.bytes == Int(size))
    let copy = try Descriptor.open(fixture.space + "/video.mov", O_RDONLY)
    let status = try fixture.calls.status(of: copy)
    #expect(status.size == size)
    var offset: Int64 = 0
    var found: [Int64] = []
    while let data = try fixture.calls.nextData(of: copy, from: offset) {
      let block = data & ~0xFFFFF
      found.append(block)
      let bytes = try fixture.calls.bytes(of: copy, at: block, count: 1 << 20)
      let original = try Descriptor.open(path, O_RDONLY)
      #expect(try fixture.calls.bytes(of: original, at: block, count: 1 << 20) == bytes)
      offset = block + 1 << 20
    }
    #expect(found == [0, 4095 << 20, 4096 << 20, 5119 << 20])
  }

  /// What the space could not take is told, and the original stays.
  @Test func anOriginalWithMoreThanTheSpaceStays() throws {
    // The names are listed, the value is read, and it is set.
    let fixture = try ImportFixture(
      before: Self.counting(.attributes) { (number) throws(Errno) in if number == 3 { throw .argListTooLong } })
    try fixture.put("a.jpg", Self.bytes(1000, 1))
    guard unsafe setxattr(fixture.source + "/a.jpg", "user.note", [1, 2, 3], 3, 0) == 0 else { return }
    let list = DeletionList(fixture.calls, in: fixture.target.incoming, named: [0x78])
    let observer = Observer()
    let summary = fixture.run(observer: observer, list: list) { $0.deletesOriginals = true }.summary
    #expect(summary.imported == 1 && summary.isWhole)
    #expect(observer.lost == [fixture.source + "/a.jpg": [Array("user.note".utf8)]])
    #expect(observer.verified.isEmpty && list.count == 0)
  }

  /// A list that a run holds is not taken for one that an interrupted run left.
  @Test func aListIsHeldByItsRun() throws {
    let fixture = try ImportFixture()
    try fixture.put("a.jpg", Self.bytes(1000, 1))
    let name = DeletionList.prefix + [0x78]
    do {
      let list = DeletionList(fixture.calls, in: fixture.target.incoming, named: [0x78])
      fixture.run(list: list) { $0.deletesOriginals = true }
      #expect(list.count == 1)
      try list.begin()
      #expect(throws: Errno.resourceBusy) {
        try DeletionList(fixture.calls, in: fixture.target.incoming, existing: name)
      }
      withExtendedLifetime(list) {}
    }
    // The run is gone.
    let left = try DeletionList(fixture.calls, in: fixture.target.incoming, existing: name)
    var paths: [[UInt8]] = []
    try left.forEach {
      paths.append($0.path)
      return true
    }
    #expect(paths == [Array((fixture.source + "/a.jpg").utf8)])
    try left.remove()
    #expect(try Directory.names(in: fixture.incoming).isEmpty)
  }
}

/// Files that are as long as each other, as some cameras write them.
@Suite struct SameLengthTests {
  private static func bytes(_ count: Int, _ number: Int) -> [UInt8] {
    unsafe withUnsafeBytes(of: number) { unsafe Array($0) } + [UInt8](repeating: 7, count: count - 8)
  }

  /// The name, the length and the time are the same, but not the content.
  @Test func theSameNameLengthAndTimeAreNotTheSameContent() throws {
    let fixture = try ImportFixture()
    try fixture.put("one/IMG_1.RAW", Self.bytes(5000, 1))
    try fixture.put("other/IMG_1.RAW", Self.bytes(5000, 2))
    // As FAT has them.
    let times = [timespec](repeating: timespec(tv_sec: 1_500_000_000, tv_nsec: 0), count: 2)
    for name in ["one", "other"] {
      try systemCall { unsafe utimensat(AT_FDCWD, fixture.source + "/" + name + "/IMG_1.RAW", times, 0) }
    }
    for name in ["one", "other"] { fixture.run([fixture.source + "/" + name]) }
    #expect(
      try ImportFixture.files(in: fixture.space)
        == ["IMG_1.RAW": Self.bytes(5000, 1), "IMG_1 (2).RAW": Self.bytes(5000, 2)])
    for name in ["one", "other"] {
      #expect(fixture.run([fixture.source + "/" + name]).summary.known == 1)
    }
  }

  /// They cost a bounded number of calls each, and are verified many at once.
  @Test func manyCostNoMoreEach() throws {
    let counted = FailingCalls()
    let flushes = Mutex((waiting: 0, most: 0))
    let fixture = try ImportFixture(
      before: { (kind) throws(Errno) in
        try counted.hook(kind)
        if kind == .create {
          flushes.withLock {
            $0.waiting += 1
            $0.most = max($0.most, $0.waiting)
          }
        }
        if kind == .digest { flushes.withLock { $0.waiting = 0 } }
      })
    let count = 400
    for number in 0..<count { try fixture.put("\(number).raw", Self.bytes(2000, number)) }
    #expect(fixture.run { $0.overlaps = false }.summary.imported == count)
    #expect(counted.count < 40 * count)
    #expect(flushes.withLock { $0.most } == 64)
  }
}
