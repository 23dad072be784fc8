import Glibc
import HostFiles
import Synchronization
import System
import SystemPackage
import TestSupport
import Testing

@testable import Import

/// Every call of an import of a Google Takeout fails once, or is the last one before the program and the machine end. No
/// original is deleted unless everything is durable in the space, no name has wrong bytes, and no description lies beside
/// another photo.
@Suite struct EveryArchiveFaultTests {
  private static let script = #"""
    year = "Takeout/Google Photos/Photos from 2019/"; album = "Takeout/Google Photos/Rome/"
    entries = [(album + "a.jpg", data(1, 9000)), (year + "b.jpg.supplemental-metadata.json", b"title=b.jpg"),
               (year + "a.jpg", data(1, 9000)), (year + "a.jpg.json", b"title=a.jpg"), (year + "b.jpg", data(2, 700))]
    later = [(year + "c.jpg", data(3, 500)), (year + "b(1).jpg", data(4, 600)), (year + "b.jpg(1).json", b"title=b.jpg ")]

    """#

  private static let contents: [String: [UInt8]] = [
    "Rome/a.jpg": ArchiveFixture.data(1, 9000), "Rome/a.jpg.json": Array("title=a.jpg".utf8),
    "Photos from 2019/a.jpg": ArchiveFixture.data(1, 9000),
    "Photos from 2019/a.jpg.json": Array("title=a.jpg".utf8), "Photos from 2019/b.jpg": ArchiveFixture.data(2, 700),
    "Photos from 2019/b.jpg.json": Array("title=b.jpg".utf8), "Photos from 2019/c.jpg": ArchiveFixture.data(3, 500),
    "Photos from 2019/b(1).jpg": ArchiveFixture.data(4, 600),
    "Photos from 2019/b(1).jpg.json": Array("title=b.jpg ".utf8),
  ]

  enum Form: String, CaseIterable {
    case archives = #"zipped("one.zip", entries, zipfile.ZIP_DEFLATED); tarred("two.tar", later, "w")"#
    case directories = #"""
      for part, files in ("one", entries), ("two", later):
          for name, content in files:
              os.makedirs(os.path.dirname(f"{part}/{name}"), exist_ok=True); open(f"{part}/{name}", "wb").write(content)
      """#

    var names: [String] { self == .archives ? ["one.zip", "two.tar"] : ["one", "two"] }
    /// What is deleted in the end.
    var originals: Int { self == .archives ? 2 : 8 }
  }

  /// What is the same for all runs: the space as it is after a power cut now.
  private final class World {
    let archives: ArchiveFixture
    private let durable: Durable

    private final class Durable: Sendable { let files = Mutex<[String: [UInt8]]>([:]) }

    init(_ form: Form, _ calls: FailingCalls) throws {
      let folder = Mutex<String?>(nil)
      let durable = Durable()
      let hook: FileCalls.Hook = { (kind) throws(Errno) in
        try calls.hook(kind)
        if kind == .flush, let space = folder.withLock({ $0 }) {
          durable.files.withLock { $0 = (try? ImportFixture.files(in: space)) ?? [:] }
        }
      }
      self.durable = durable
      let archives = try ArchiveFixture(before: hook)
      self.archives = archives
      folder.withLock { $0 = archives.fixture.space }
    }

    /// What the space has after a power cut.
    var durableFiles: [String: [UInt8]] { durable.files.withLock { $0 } }
  }

  private static func check(_ world: World, _ form: Form, _ place: String) throws {
    let now = try world.archives.space
    // Without all of its parts it is no Takeout, or has descriptions of nothing, which keep their names.
    let wrong = now.filter { path, bytes in
      guard contents[path] != bytes else { return false }
      return !(path.hasPrefix("Takeout/") || path.hasSuffix(".json") && contents[path] == nil)
        || !contents.values.contains(bytes)
    }
    #expect(wrong.isEmpty, "\(place): wrong bytes")
    for path in contents.keys where path.hasSuffix(".jpg.json") {
      let photo = String(path.dropLast(".json".count))
      if let bytes = now[path], now[photo] != nil { #expect(bytes == contents[path], "\(place): beside another photo") }
    }
    guard try world.archives.source.count < form.originals else { return }
    let durable = world.durableFiles
    #expect(contents.values.allSatisfy { durable.values.contains($0) }, "\(place): not all is durable")
  }

  @Test(arguments: Form.allCases, FailingCalls.Way.allCases)
  func everyCallMayFail(_ form: Form, _ way: FailingCalls.Way) throws {
    let counted = FailingCalls()
    let world = try World(form, counted)
    try world.archives.make(Self.script + form.rawValue)
    let sources = try ImportFixture.files(in: world.archives.fixture.source)
    let all = try world.archives.run(form.names, deletes: true)
    #expect(all.summary.isWhole && all.deleted.count == form.originals)
    let isWhole = try world.archives.source.isEmpty && world.archives.space == Self.contents
    #expect(isWhole)
    try Self.check(world, form, "without a fault")
    #expect(counted.count > 100)
    // Each run of archives starts several processes.
    let step = form == .archives ? (way == .error ? 5 : 13) : way == .noRoom ? 3 : 1
    let numbers = Array(stride(from: 1, through: counted.count, by: step))
    for number in TestLength.sample(numbers, 3, name: "\(form) \(way)") {
      let calls = FailingCalls(failing: number, way == .noRoom ? .noSpace : .ioError, isEnd: way == .end)
      let world = try World(form, calls)
      for (path, bytes) in sources { try world.archives.fixture.put(path, bytes) }
      _ = try world.archives.run(form.names, deletes: true)
      let place = "\(form) \(way) at call \(number), \(counted.kinds[number - 1])"
      try Self.check(world, form, place)
      calls.stop()
      try world.archives.finishInterrupted()
      let left = try form.names.filter { name in try world.archives.source.contains { $0.hasPrefix(name) } }
      let next = try world.archives.run(left, deletes: true)
      #expect(next.summary.isWhole, "\(place): \(next.summary)")
      #expect(try world.archives.source.isEmpty, "\(place): originals are left")
      // The name of a description that two occurrences share is made if nothing hinders it.
      #expect(try world.archives.space.count >= Self.contents.count - 1, "\(place)")
      try Self.check(world, form, place + ", then again")
    }
  }
}
