// Invariants
// 1. Blocks come from one region of sodium_malloc: locked against swapping if the limit on locked memory allows it,
//    left out of core dumps, between guard pages. Blocks over 128 KiB, and all when the region is full, come from the
//    heap.
// 2. A block is wiped before it is reused or freed.
// 3. The 16 bytes before a block hold its size class and, of a heap block, its size; so blocks are 16-byte aligned.

internal import CSodium
internal import Glibc
internal import Synchronization

/// A small allocator in locked memory, for OpenSSL's key schedules. The limit on idle contexts keeps the region from
/// filling up in practice.
@safe enum LockedMemory {
  /// Size of the region in bytes: well below Linux's default limit of 8 MiB of locked memory.
  static let regionSize = 3 << 20
  private static let headerSize = 16
  private static let heapClass: UInt64 = 255
  /// Classes are powers of two from 32 bytes (class 0) to 128 KiB (class 12), header included.
  private static let classCount = 13

  @safe private struct State: @unchecked Sendable {
    var base: UnsafeMutableRawPointer?
    var used = 0
    var free: [[UnsafeMutableRawPointer]] = unsafe Array(repeating: [], count: classCount)
  }

  private static let state = Mutex(State())

  /// A zeroed block of at least `count` bytes; nil if no memory is left.
  static func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
    guard let index = (0..<classCount).first(where: { count + headerSize <= 32 << $0 }) else {
      return unsafe allocateFromHeap(count)
    }
    let block: UnsafeMutableRawPointer? = unsafe state.withLock { state in
      if let block = unsafe state.free[index].popLast() { return unsafe block }
      if unsafe state.base == nil {
        Sodium.initialize()
        unsafe state.base = unsafe sodium_malloc(regionSize)
        if let base = unsafe state.base { unsafe memset(base, 0, regionSize) }
      }
      let size = 32 << index
      guard let base = unsafe state.base, state.used + size <= regionSize else { return nil }
      let start = unsafe base + state.used
      state.used += size
      unsafe start.storeBytes(of: UInt64(index), as: UInt64.self)
      return unsafe start + headerSize
    }
    return unsafe block ?? allocateFromHeap(count)
  }

  private static func allocateFromHeap(_ count: Int) -> UnsafeMutableRawPointer? {
    guard let start = unsafe calloc(1, count + headerSize) else { return nil }
    unsafe start.storeBytes(of: heapClass, as: UInt64.self)
    unsafe (start + 8).storeBytes(of: UInt64(count), as: UInt64.self)
    return unsafe start + headerSize
  }

  /// The room of `block` in bytes.
  static func capacity(_ block: UnsafeMutableRawPointer) -> Int {
    let index = unsafe (block - headerSize).load(as: UInt64.self)
    if index == heapClass { return Int(unsafe (block - 8).load(as: UInt64.self)) }
    return (32 << Int(index)) - headerSize
  }

  /// Wipes and frees a block.
  static func deallocate(_ block: UnsafeMutableRawPointer) {
    let index = unsafe (block - headerSize).load(as: UInt64.self)
    unsafe sodium_memzero(block, capacity(block))
    if index == heapClass {
      unsafe free(block - headerSize)
    } else {
      state.withLock { unsafe $0.free[Int(index)].append(block) }
    }
  }
}
