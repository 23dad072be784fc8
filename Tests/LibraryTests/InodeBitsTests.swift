import FaultyStorage
import Testing
import Vault

@testable import Library

@Suite struct InodeBitsTests {
  @Test(arguments: 1...8) func isASet(seed: UInt64) {
    var numbers = SeededGenerator(seed: seed)
    func made() -> (bits: InodeBits, set: Set<UInt64>) {
      var bits = InodeBits()
      var set: Set<UInt64> = []
      for _ in 0..<Int.random(in: 0...3000, using: &numbers) {
        // Some pages are shared, and some pages only one of two sets has.
        let number = UInt64.random(in: 0...63, using: &numbers) << 10 | .random(in: 0...200, using: &numbers)
        bits.insert(InodeNumber(rawValue: number))
        set.insert(number)
      }
      return (bits, set)
    }
    var (one, other) = (made(), made())
    #expect(one.bits.count == one.set.count)
    #expect(one.bits.numbers.map(\.rawValue) == one.set.sorted())
    for number in 0...UInt64(1 << 16) {
      #expect(one.bits.contains(InodeNumber(rawValue: number)) == one.set.contains(number))
    }
    one.bits.formIntersection(other.bits)
    #expect(one.bits.numbers.map(\.rawValue) == one.set.intersection(other.set).sorted())
    #expect(one.bits.count == one.set.intersection(other.set).count)
    other.bits.formIntersection(InodeBits())
    #expect(other.bits.numbers.isEmpty && other.bits.count == 0)
  }
}
