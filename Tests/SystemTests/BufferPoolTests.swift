import TestSupport
import Testing

@testable import System

@Suite struct BufferPoolTests {
  private static let sizes = [
    BufferPool.Size(bytes: 4096, idleLimit: 2), BufferPool.Size(bytes: 65_536, idleLimit: 1),
    BufferPool.Size(bytes: 1 << 20, idleLimit: 1),
  ]

  private func address(_ block: BufferPool.Block) -> UInt { unsafe UInt(bitPattern: block.bytes.baseAddress) }

  @Test(arguments: [(0, 4096), (1, 4096), (4096, 4096), (4097, 65_536), (65_537, 1 << 20), (1 << 20, 1 << 20)])
  func theSmallestBlockThatHoldsItIsLent(count: Int, expected: Int) {
    let pool = BufferPool(Self.sizes)
    let block = pool.take(count)
    #expect(unsafe block.bytes.count == expected)
    #expect(unsafe block.bytes(count).count == count)
    #expect(address(block).isMultiple(of: expected == 1 << 20 ? 4096 : 16))
    unsafe block.bytes.initializeMemory(as: UInt8.self, repeating: 7)
    pool.give(block)
  }

  @Test func theLastOneGivenBackIsLentFirst() {
    let pool = BufferPool(Self.sizes)
    let blocks = (0..<2).map { _ in pool.take(100) }
    #expect(address(blocks[0]) != address(blocks[1]))
    for block in blocks { pool.give(block) }
    let again = (0..<2).map { _ in address(pool.take(4096)) }
    #expect(again == [address(blocks[1]), address(blocks[0])])
  }

  @Test func noMoreThanTheLimitAreKept() {
    let pool = BufferPool(Self.sizes)
    let blocks = (0..<5).map { _ in pool.take(1 << 20) }
    for block in blocks { unsafe block.bytes.storeBytes(of: 1, as: UInt8.self) }
    for block in blocks { pool.give(block) }
    // The first is kept, with what was in it; the others come fresh from the system.
    let again = (0..<5).map { _ in pool.take(1 << 20) }
    #expect(address(again[0]) == address(blocks[0]))
    let content = again.map { unsafe $0.bytes[0] }
    #expect(content == [1, 0, 0, 0, 0])
    for block in again { pool.give(block) }
    pool.trim()
    #expect(unsafe pool.take(1 << 20).bytes[0] == 0)
  }

  @Test func aBufferGoesBackByItself() {
    let pool = BufferPool(Self.sizes)
    func use() -> UInt {
      let buffer = PooledBuffer(10, from: pool)
      unsafe buffer.bytes.storeBytes(of: 5, as: UInt8.self)
      return unsafe UInt(bitPattern: buffer.bytes.baseAddress)
    }
    #expect(use() == address(pool.take(10)))
  }

  @Test func anErrorGivesTheBlockBack() {
    struct Failure: Error {}
    let pool = BufferPool(Self.sizes)
    #expect(throws: Failure.self) {
      try unsafe pool.with(1 << 20) { bytes in
        unsafe bytes.storeBytes(of: 9, as: UInt8.self)
        throw Failure()
      }
    }
    let count = unsafe pool.with(1) { $0.count }
    #expect(count == 1)
    #expect(unsafe pool.take(1 << 20).bytes[0] == 9)
  }

  @Test func nobodyGetsABlockThatAnotherHas() throws {
    let pool = BufferPool(Self.sizes)
    try inThreads(4) { thread in
      for round in 0..<2000 {
        let value = UInt64(thread) << 32 | UInt64(round)
        try unsafe pool.with([100, 5000].randomElement() ?? 1) { bytes in
          unsafe bytes.storeBytes(of: value, as: UInt64.self)
          for _ in 0..<20 where unsafe bytes.load(as: UInt64.self) != value { throw Taken() }
        }
      }
    }
  }

  private struct Taken: Error {}
}
