import FaultyStorage
import TestSupport
import Testing

@testable import Vault

/// The page map against a list of positions, and its copies, which share what is equal.
@Suite struct PageMapTests {
  private func expectSame(_ map: PageMap, _ model: [UInt64], _ comment: Comment) {
    #expect(map.positions == model, comment)
    #expect(map.pageCount == UInt32(model.count), comment)
    var counts: [SegmentNumber: Int] = [:]
    for position in model where position != 0 { counts[LogPosition(rawValue: position).segment, default: 0] += 1 }
    #expect(Set(map.segments) == Set(counts.keys), comment)
    for (segment, count) in counts {
      #expect(map.count(in: segment) == count, comment)
      let pages = model.indices.filter { model[$0] != 0 && LogPosition(rawValue: model[$0]).segment == segment }
      #expect(map.pages(in: segment) == pages.map { PageNumber(rawValue: UInt32($0 + 1)) }, comment)
    }
    for number in [0, 1, model.count / 2, model.count, model.count + 1, Int(UInt32.max)] {
      let known = number > 0 && number <= model.count && model[number - 1] != 0
      let position = map.position(of: PageNumber(rawValue: UInt32(number)))
      #expect(position?.rawValue == (known ? model[number - 1] : nil), comment)
    }
  }

  @Test(arguments: TestLength.seedArguments(16))
  func isAListOfPositions(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var model: [UInt64] = []
    var map = PageMap(positions: model)
    var older: [(PageMap, [UInt64])] = []
    for step in 0..<60 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<2:
        let count = Int.random(in: 0...3 * PageMap.chunkSize, using: &random)
        map.resize(to: UInt32(count))
        model = Array(model.prefix(count)) + [UInt64](repeating: 0, count: max(0, count - model.count))
      case 2: older.append((map, model))
      case 3: map = PageMap(positions: model)
      default:
        for _ in 0..<20 {
          let number = Int.random(in: 1...3 * PageMap.chunkSize, using: &random)
          let segment = SegmentNumber(rawValue: UInt64.random(in: 64..<72, using: &random))
          let position = LogPosition(segment: segment, offset: Int.random(in: 0..<1 << 20, using: &random))
          map.set(PageNumber(rawValue: UInt32(number)), to: position)
          if number <= model.count { model[number - 1] = position.rawValue }
        }
      }
      if step % 6 == 5 { expectSame(map, model, "seed \(seed), step \(step)") }
    }
    for (map, model) in older { expectSame(map, model, "seed \(seed), a copy") }
  }

  /// A state of a large database costs what differs in it.
  @Test func copiesShareWhatIsEqual() {
    let pages = 250_000
    let before = PageMap(positions: (0..<UInt64(pages)).map { 1 << 32 + $0 })
    var after = before
    for page in [UInt32(1), 2, 100_000, 250_000] {
      after.set(PageNumber(rawValue: page), to: LogPosition(rawValue: 1 << 40))
    }
    after.resize(to: UInt32(pages + 10))
    let shared = zip(before.chunks, after.chunks).count { place($0) == place($1) }
    #expect(before.chunks.count == (pages + PageMap.chunkSize - 1) / PageMap.chunkSize)
    #expect(shared >= before.chunks.count - 3)
    #expect(before.position(of: PageNumber(rawValue: 1))?.rawValue == 1 << 32)
    // Pages that nobody has written yet take nothing.
    after.resize(to: 8_000_000)
    let empty = Set(after.chunks.suffix(1000).map(place))
    #expect(empty.count == 1)
  }

  /// Where the elements of a chunk are.
  private func place(_ chunk: [UInt64]) -> UInt {
    unsafe chunk.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
  }
}
