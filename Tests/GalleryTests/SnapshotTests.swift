import Client
import System
import TestSupport
import Testing

@testable import Gallery

/// What is kept of an answer.
@Suite struct SnapshotTests {
  private func tile(day: UInt16, kind: UInt8 = 0) -> ArraySlice<UInt8> {
    [0, 0, 0, 0, 0, kind, UInt8(truncatingIfNeeded: day), UInt8(day >> 8)][...]
  }

  private func built(_ request: SectionsRequest, _ photos: [(path: String, day: UInt16)]) -> Snapshot {
    var builder = SnapshotBuilder(request)
    for (path, day) in photos { _ = builder.add(tile(day: day), inode: 1, Array(path.utf8)[...]) }
    return builder.snapshot()
  }

  @Test func pathsComeOutAsTheyWere() {
    var packed = PackedPaths()
    let names = (0..<50_000).map { number in
      number % 7 == 0 ? "top\(number).jpg" : "20\(number % 30)/album \(number % 301)/ü\(number).jpg"
    }
    for name in names {
      let isAdded = packed.append(Array(name.utf8)[...], inode: UInt64(name.utf8.count))
      #expect(isAdded)
    }
    packed.finish()
    #expect(packed.count == names.count)
    for (index, name) in names.enumerated() where index % 37 == 0 || index % (1 << 14) < 2 {
      #expect(packed[index] == Array(name.utf8) && packed.inode(index) == name.utf8.count, "\(index)")
    }
  }

  /// With the eight bytes of each photo that is far below what a server may take.
  @Test func aMillionPathsTakeLittleMemory() {
    var packed = PackedPaths()
    let count = TestLength.isWhole ? 1_000_000 : 200_000
    for number in 0..<count {
      let path = "Photos of the family/\(2000 + number / 50_000)/Album \(number / 500)/IMG_20190714_\(number).jpg"
      guard packed.append(Array(path.utf8)[...], inode: .max) else { break }
    }
    packed.finish()
    #expect(packed.count == count)
    #expect(packed.memory < 48 * count, "\(packed.memory)")
    let (year, album) = (2000 + (count - 1) / 50_000, (count - 1) / 500)
    #expect(
      packed[count - 1] == Array("Photos of the family/\(year)/Album \(album)/IMG_20190714_\(count - 1).jpg".utf8))
  }

  @Test func whatMayNotBeChosenIsMarked() {
    var builder = SnapshotBuilder(SectionsRequest())
    builder.allowed = [2, 4]
    for inode in UInt64(1)...4 {
      _ = builder.add(tile(day: 43_658, kind: 16 | 5), inode: inode, Array("\(inode).jpg".utf8)[...])
    }
    let snapshot = builder.snapshot()
    #expect((0..<4).map { snapshot.isRefused($0) } == [true, false, true, false])
    #expect((0..<4).map { snapshot.kind($0) & ~8 } == [21, 21, 21, 21])
    // Other files have no kinds.
    var paths = PackedPaths()
    _ = paths.append(Array("notes.txt".utf8)[...], inode: 5)
    #expect(Snapshot(paths, [], [], [], pending: 0, in: .root, hasOtherFiles: true).isRefused(0))
  }

  @Test func daysAreSectionsOfAtMost500() {
    // 2019-07-14 and -15, and one without a day.
    let photos = (0..<1201).map { ("a/\($0).jpg", UInt16(43_658)) } + [("b.jpg", 43_657), ("c.jpg", 0)]
    let snapshot = built(SectionsRequest(), photos)
    #expect(snapshot.sections.map(\.count) == [500, 500, 201, 1, 1])
    #expect(snapshot.sections.map(\.first) == [0, 500, 1000, 1201, 1202])
    #expect(snapshot.sections.map(\.title) == ["2019-07-14", "2019-07-14", "2019-07-14", "2019-07-13", ""])
    #expect(snapshot.months == [.init(month: "2019-07", first: 0), .init(month: "", first: 1202)])
    #expect(snapshot.geometry.count == 8 * snapshot.count)
  }

  /// 1953-07-01 and 1953-01-01 as days, and as what is known in part.
  @Test func whatIsKnownInPartHasSectionsOfItsOwn() {
    for (grouping, titles) in [
      (.day, ["1953-07-01", "1953-07", "1953-01-01", "1953"]), (.month, ["1953-07", "1953-01", "1953"]),
    ] as [(SectionsRequest.Grouping, [String])] {
      var request = SectionsRequest()
      request.grouping = grouping
      var builder = SnapshotBuilder(request)
      for (day, kind) in [(19_539, 0), (19_539, 64), (19_358, 32), (19_358, 128)] as [(UInt16, UInt8)] {
        _ = builder.add(tile(day: day, kind: kind), inode: 1, [0x61])
      }
      let snapshot = builder.snapshot()
      #expect(snapshot.sections.map(\.title) == titles)
      #expect(snapshot.months.map(\.month) == ["1953-07", "1953-01", "1953"])
      #expect((0..<4).map(snapshot.kind) == [0, 64, 32, 128])
    }
  }

  /// The door sorts photos of one second by inode. There are more than one block of `PackedPaths`.
  @Test(arguments: [false, true]) func whatIsKnownInPartDoesNotMixWithDays(isReversed: Bool) throws {
    let kinds: [UInt8] = [128, 0, 64]
    let count = 20_000
    // 1953-01-02, 1953-01-01 and 1952-12-31.
    let days: [UInt16] = isReversed ? [19_357, 19_358, 19_359] : [19_359, 19_358, 19_357]
    let parts: [UInt8] = isReversed ? [128, 64, 0] : [0, 64, 128]
    var inodes: [Int] = [0]
    for part in parts { inodes += (0..<count).filter { kinds[$0 % 3] == part } }
    inodes.append(0)
    let months = ["1953-01", "1953", "1952-12"]
    for (grouping, newestFirst) in [
      (.day, ["1953-01-02", "1953-01-01", "1953-01", "1953", "1952-12-31"]), (.month, months), (.none, [""]),
    ] as [(SectionsRequest.Grouping, [String])] {
      var request = SectionsRequest()
      request.grouping = grouping
      request.isReversed = isReversed
      var builder = SnapshotBuilder(request)
      for day in days {
        for number in 0..<(day == 19_358 ? count : 1) {
          let kind = day == 19_358 ? kinds[number % 3] : 0
          _ = builder.add(tile(day: day, kind: kind), inode: UInt64(number), Array("\(kind)/\(number)".utf8)[...])
        }
      }
      let snapshot = builder.snapshot()
      var titles: [String] = []
      for section in snapshot.sections where titles.last != section.title { titles.append(section.title) }
      #expect((isReversed ? Array(titles.reversed()) : titles) == newestFirst)
      let shown = snapshot.months.map(\.month)
      #expect((isReversed ? Array(shown.reversed()) : shown) == months)
      // What is known of a photo goes with it, and those of which as much is known stay in order.
      let items = try (0..<snapshot.count).map { try snapshot.item($0) }
      let isInOrder = items.map { Int($0.inode) } == inodes
      let isWhole = items.indices.allSatisfy { place in
        items[place].path.bytes == Array("\(snapshot.kind(place))/\(items[place].inode)".utf8)
      }
      #expect(isInOrder && isWhole)
    }
  }

  @Test func otherOrdersHaveNoDays() {
    var request = SectionsRequest()
    request.order = .name
    let snapshot = built(request, (0..<501).map { ("\($0)", UInt16($0 + 1)) })
    #expect(snapshot.sections.map(\.title) == ["", ""] && snapshot.months.isEmpty)
  }

  @Test func anAlbumHasItsOwnPhotosOnly() throws {
    var request = SectionsRequest()
    request.album = try SpacePath(Array("A".utf8))
    let photos = ["A/1.jpg", "a/2.jpg", "A/B/3.jpg", "AB/4.jpg", "5.jpg"].map { ($0, UInt16(1)) }
    #expect(built(request, photos).count == 1)
    request.query = "x"
    #expect(built(request, photos).count == 2)
  }

  @Test func theShelfKeepsTheLastOnes() throws {
    let shelf = SnapshotShelf(most: 2)
    let space = try PlainSpace()
    let snapshots = (0..<3).map { _ in space.snapshot(["a"]) }
    shelf.put(snapshots[0])
    shelf.put(snapshots[1])
    _ = try shelf.get(snapshots[0].name)
    shelf.put(snapshots[2])
    #expect(try shelf.get(snapshots[0].name) === snapshots[0])
    #expect(kind { _ = try shelf.get(snapshots[1].name) } == .gone)
    #expect(kind { _ = try snapshots[0].path(1) } == .notFound)
  }
}
