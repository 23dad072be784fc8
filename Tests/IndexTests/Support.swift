import FaultyStorage
import Index
import Testing
import Vault

/// What a test throws to have a savepoint rolled back.
enum Cancelled: SavepointFailure, Equatable {
  case onPurpose
  case index(IndexError)

  init(_ error: IndexError) { self = .index(error) }
}

/// A new index and its store.
func makeIndex() throws -> (index: Index, store: MemoryPageStore) {
  let store = MemoryPageStore()
  let index = try Index(space: store, creating: RootOwner(owner: 1000, group: 100))
  store.take(index)
  return (index, store)
}

/// A file name that the test knows to be one.
func name(_ text: String) throws -> FileName { try #require(FileName(text)) }

/// What must hold after any test.
func expectClean(_ index: Index, sourceLocation: SourceLocation = #_sourceLocation) throws {
  #expect(index.fileCounters == PageFileCounters(), sourceLocation: sourceLocation)
  #expect(try index.integrityCheck() == [], sourceLocation: sourceLocation)
  #expect(try recountedLiveBytes(index) == storedLiveBytes(index), sourceLocation: sourceLocation)
}

/// Live bytes per segment, counted from the extents.
func recountedLiveBytes(_ index: Index) throws -> [SegmentNumber: Int64] {
  var sums: [SegmentNumber: Int64] = [:]
  for located in try index.extents.rows(after: nil, limit: .max) {
    sums[located.extent.position.segment, default: 0] += Int64(located.extent.length)
  }
  return sums
}

/// Live bytes per segment as the index states them, without the dead.
func storedLiveBytes(_ index: Index) throws -> [SegmentNumber: Int64] {
  var sums: [SegmentNumber: Int64] = [:]
  var segments = Set(try index.segmentLives(after: nil, limit: .max).map(\.segment))
  segments.formUnion(try recountedLiveBytes(index).keys)
  for segment in segments {
    let bytes = try index.liveBytes(in: segment)
    if bytes != 0 { sums[segment] = bytes }
  }
  let unwritten = sums[.unwritten, default: 0]
  #expect(index.extents.unwrittenBytes == unwritten)
  #expect(index.totalLiveBytes == sums.values.reduce(0, +) - unwritten)
  return sums
}

extension InodeRecord {
  /// A regular file.
  static func file(_ number: InodeNumber, size: Int64 = 0) -> InodeRecord {
    InodeRecord(
      number: number, mode: 0o100644, links: 1, owner: 1, group: 2, size: size,
      time: Timestamp(seconds: 1_700_000_000, nanoseconds: 5))
  }
}

extension SeededGenerator {
  /// True with a probability of one in `count`.
  mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &self) == 0 }
}

extension ItemRecord {
  /// A row with every field set.
  static func full(_ number: UInt64) -> ItemRecord {
    var item = ItemRecord(inode: InodeNumber(rawValue: number))
    item.version = 1
    item.album = .root
    item.name = Array("a.jpg".utf8)
    item.names = 2
    item.taken = -5
    item.fraction = 7
    item.kind = 3
    item.flags = 4
    item.rating = -1
    item.size = 6
    item.rights = 8
    item.place = 9
    item.camera = 10
    item.lens = 11
    item.duration = 12
    item.latitude = -13
    item.longitude = 14
    item.look = .min
    item.pixels = [15]
    item.stack = InodeNumber(rawValue: 16)
    item.found = [17]
    item.record = [18, 0]
    return item
  }
}
