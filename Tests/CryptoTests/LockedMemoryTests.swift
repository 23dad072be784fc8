import Testing

@testable import Crypto

@Suite(.serialized) struct LockedMemoryTests {
  @Test func blocksAreAlignedZeroedAndAsLargeAsAsked() throws {
    for count in [1, 15, 16, 17, 48, 49, 1000, 4096, 70_000, 131_056] {
      let block = unsafe try #require(unsafe LockedMemory.allocate(count))
      let (misalignment, capacity) = unsafe (Int(bitPattern: block) % 16, LockedMemory.capacity(block))
      #expect(misalignment == 0)
      #expect(capacity >= count)
      let bytes = unsafe UnsafeMutableRawBufferPointer(start: block, count: count)
      let isZero = unsafe bytes.allSatisfy { $0 == 0 }
      #expect(isZero)
      unsafe LockedMemory.deallocate(block)
    }
  }

  @Test func blocksAreUsedAgainAndHoldNothingOfBefore() throws {
    // Others may take blocks of the same size at the same time, so several rounds are allowed to find one again.
    var wasReused = false
    for _ in 0..<100 where !wasReused {
      let first = unsafe try #require(unsafe LockedMemory.allocate(60_000))
      unsafe UnsafeMutableRawBufferPointer(start: first, count: 60_000).initializeMemory(
        as: UInt8.self, repeating: 0xAB)
      unsafe LockedMemory.deallocate(first)
      let second = unsafe try #require(unsafe LockedMemory.allocate(60_000))
      if unsafe first == second { wasReused = true }
      let isZero = unsafe UnsafeMutableRawBufferPointer(start: second, count: 60_000).allSatisfy { $0 == 0 }
      #expect(isZero)
      unsafe LockedMemory.deallocate(second)
    }
    #expect(wasReused)
  }

  @Test func blocksDoNotOverlap() throws {
    var blocks: [UInt] = []
    for index in 0..<200 {
      let block = unsafe try #require(unsafe LockedMemory.allocate(100))
      unsafe UnsafeMutableRawBufferPointer(start: block, count: 100)
        .initializeMemory(as: UInt8.self, repeating: UInt8(index))
      blocks.append(UInt(bitPattern: block))
    }
    for (index, address) in blocks.enumerated() {
      let block = unsafe try #require(unsafe UnsafeMutableRawPointer(bitPattern: address))
      let isIntact = unsafe UnsafeRawBufferPointer(start: block, count: 100).allSatisfy { $0 == UInt8(index) }
      #expect(isIntact)
      unsafe LockedMemory.deallocate(block)
    }
  }

  @Test func whatIsTooLargeComesFromTheHeap() throws {
    let block = unsafe try #require(unsafe LockedMemory.allocate(1 << 20))
    let (misalignment, capacity) = unsafe (Int(bitPattern: block) % 16, LockedMemory.capacity(block))
    #expect(misalignment == 0)
    #expect(capacity == 1 << 20)
    let bytes = unsafe UnsafeMutableRawBufferPointer(start: block, count: 1 << 20)
    let isZero = unsafe bytes.allSatisfy { $0 == 0 }
    #expect(isZero)
    unsafe LockedMemory.deallocate(block)
  }
}
