import CPlatform
import Glibc
import HostFiles
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing

@testable import Import

/// Every call of an import fails once, or is the last one before the program and the machine end. No original is deleted
/// whose bytes are not durable in the space, and no name in the space has wrong bytes.
@Suite struct EveryImportFaultTests {
  private static func bytes(_ count: Int, _ seed: UInt8) -> [UInt8] { ArchiveFixture.data(seed, count) }

  /// What a source has: a live photo with a sidecar, twins, an empty file, folders, and something that is in the space.
  private static let source: [String: [UInt8]] = [
    "IMG_1.HEIC": bytes(9000, 1), "IMG_1.MOV": bytes(20_000, 2), "IMG_1.HEIC.xmp": bytes(300, 3),
    "twin.jpg": bytes(5000, 4), "sub/other.jpg": bytes(5000, 4), "empty": [], "sub/known.jpg": bytes(700, 5),
    "sub/deep/taken.jpg": bytes(1200, 6), "there.jpg": bytes(800, 7), "new/album/photo.jpg": bytes(2000, 10),
    "hole": hole.start + [UInt8](repeating: 0, count: hole.size - hole.start.count),
  ]
  /// A file that ends with a hole, longer than what is read at once.
  private static let hole = (start: bytes(1000, 11), size: 25_000)
  private static let space: [String: [UInt8]] = [
    "sub/deep/taken.jpg": bytes(1200, 8), "elsewhere/there.jpg": bytes(800, 7), "mine.jpg": bytes(10, 9),
  ]

  /// What the space has for certain after a power cut: what it had when the last flush began.
  private final class Durable: Sendable {
    let files = Mutex<[String: [UInt8]]>([:])
  }

  private static func make(_ calls: FailingCalls, _ durable: Durable) throws -> ImportFixture {
    let folder = Mutex<String?>(nil)
    let hook: FileCalls.Hook = { (kind) throws(Errno) in
      try calls.hook(kind)
      if kind == .flush, let space = folder.withLock({ $0 }) {
        let now = (try? ImportFixture.files(in: space)) ?? [:]
        durable.files.withLock { $0 = now }
      }
    }
    // Small steps, so that most files take several.
    let fixture = try ImportFixture(before: hook, step: 8192)
    folder.withLock { $0 = fixture.space }
    for (path, bytes) in source where path != "hole" { try fixture.put(path, bytes) }
    try fixture.put("hole", hole.start)
    try systemCall { unsafe Glibc.truncate(fixture.source + "/hole", hole.size) }
    for (path, bytes) in space { try ImportFixture.write(bytes, to: fixture.space + "/" + path) }
    // The same name, length and time.
    try ImportFixture.write(source["sub/known.jpg"] ?? [], to: fixture.space + "/sub/known.jpg")
    let times = [timespec](repeating: timespec(tv_sec: 1_500_000_000, tv_nsec: 123_456_789), count: 2)
    try systemCall { unsafe utimensat(AT_FDCWD, fixture.space + "/sub/known.jpg", times, 0) }
    durable.files.withLock { $0 = (try? ImportFixture.files(in: fixture.space)) ?? [:] }
    return fixture
  }

  /// Imports and deletes, as the command does.
  private static func importAndDelete(_ fixture: ImportFixture) -> (summary: ImportSummary, outcomes: Int) {
    var options = ImportOptions()
    options.deletesOriginals = true
    // The calls come in the same order each time.
    options.overlaps = false
    let observer = Observer()
    let list = DeletionList(fixture.calls, in: fixture.target.incoming, named: options.name)
    let importer = Importer(fixture.calls, into: fixture.target, options: options)
    let run = ImportRun(importer, observer: observer, list: list, base: [])
    let summary = run.run([ImportSource(path: Array(fixture.source.utf8))], keepsName: false)
    if summary.end == nil, !summary.isInterrupted {
      try? OriginalDeletion(fixture.calls).deleteAll(of: list, isCancelled: { false }) { _, _ in }
    }
    return (summary, observer.outcomes.count)
  }

  private static func check(_ fixture: ImportFixture, _ durable: [String: [UInt8]], _ place: String) throws {
    let left = try ImportFixture.files(in: fixture.source)
    let now = try ImportFixture.files(in: fixture.space)
    for (path, bytes) in source {
      if let here = left[path] {
        #expect(here == bytes, "\(place): \(path) was changed")
      } else {
        #expect(durable.values.contains(bytes), "\(place): \(path) is deleted and not durable")
        #expect(now.values.contains(bytes), "\(place): \(path) is deleted and not in the space")
      }
    }
    let group = ["IMG_1.HEIC", "IMG_1.MOV", "IMG_1.HEIC.xmp"]
    if group.contains(where: { left[$0] == nil }) {
      for path in group { #expect(durable.values.contains(source[path] ?? []), "\(place): \(path) is left behind") }
    }
    for (path, bytes) in space { #expect(now[path] == bytes, "\(place): \(path) in the space was changed") }
    let whole = Array(source.values) + space.values
    for (path, bytes) in now { #expect(whole.contains(bytes), "\(place): \(path) has wrong bytes") }
  }

  @Test(arguments: FailingCalls.Way.allCases) func everyCallMayFail(_ way: FailingCalls.Way) throws {
    let counted = FailingCalls()
    let durable = Durable()
    let fixture = try Self.make(counted, durable)
    let all = Self.importAndDelete(fixture)
    #expect(all.summary.isWhole && all.outcomes == Self.source.count)
    #expect(try ImportFixture.files(in: fixture.source).isEmpty)
    try Self.check(fixture, durable.files.withLock { $0 }, "without a fault")
    #expect(counted.count > 200)
    #expect(Set(FileCall.allCases).subtracting(counted.kinds) == [])
    let kinds = counted.kinds
    for number in TestLength.sample(1...counted.count, 26, kind: { kinds[$0 - 1] }, name: "\(way)") {
      let calls = FailingCalls(failing: number, way == .noRoom ? .noSpace : .ioError, isEnd: way == .end)
      let durable = Durable()
      let fixture = try Self.make(calls, durable)
      let (_, outcomes) = Self.importAndDelete(fixture)
      let place = "\(way) at call \(number), \(counted.kinds[number - 1])"
      try Self.check(fixture, durable.files.withLock { $0 }, place)
      #expect(outcomes > 0 || way == .end, "\(place): nothing was told")
      // The next run does what was not done.
      let next = ImportFixture.with(fixture)
      let second = Self.importAndDelete(next)
      #expect(second.summary.isWhole, "\(place): \(second.summary)")
      #expect(try ImportFixture.files(in: fixture.source).isEmpty, "\(place): originals are left")
      let now = try ImportFixture.files(in: fixture.space)
      for bytes in Self.source.values { #expect(now.values.contains(bytes), "\(place)") }
      try Self.check(next, now, place)
    }
  }
}
