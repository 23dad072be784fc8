import FaultyStorage
import TestSupport
import Testing

@testable import Albums

@Suite struct RangeListTests {
  @Test(arguments: TestLength.seedArguments(20)) func agreesWithASet(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var list = RangeList()
    var model = Set<Int>()
    for _ in 0..<400 {
      let start = Int.random(in: 0..<200, using: &generator)
      let range = start..<start + Int.random(in: 0...30, using: &generator)
      if Int.random(in: 0..<5, using: &generator) < 3 {
        list.insert(range)
        model.formUnion(range)
      } else {
        list.remove(range)
        model.subtract(range)
      }
      #expect(list.count == model.count)
      #expect(list.isEmpty == model.isEmpty)
      #expect(Set(list.ranges.joined()) == model)
      for (one, next) in zip(list.ranges, list.ranges.dropFirst()) { #expect(one.upperBound < next.lowerBound) }
      let window = Int.random(in: 0..<100, using: &generator)..<Int.random(in: 100...240, using: &generator)
      #expect(Set(list.parts(in: window).joined()) == model.intersection(window))
      #expect(Set(list.gaps(in: window).joined()) == Set(window).subtracting(model))
      #expect(list.parts(in: window).allSatisfy { !$0.isEmpty })
      #expect(list.gaps(in: window).allSatisfy { !$0.isEmpty })
    }
  }
}
