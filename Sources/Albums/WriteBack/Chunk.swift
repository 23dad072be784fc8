// Data of one window of a file that is not in the log yet (WriteBuffer.swift).
//
// Memory is taken for written data, not for the gaps between. Otherwise a few small writes all over a large file would
// fill the memory for waiting data.
//
// Invariants
// 1. Parts are sorted and do not overlap. Each lies at a multiple of its size, and every size is a multiple of the
//    smaller ones. So of two possible parts one contains the other, or they do not touch.
// 2. Adjacent written blocks of the file system lie in one part. So a written range lies in one part, together with the
//    data that is read around it up to the ends of its blocks.
// 3. A part holds the data written there; its other bytes mean nothing.

internal import System
internal import Vault

/// Data of one window.
final class Chunk {
  /// The progress of a chunk on its way to the log. `WriteBack` changes it.
  enum State {
    /// Takes writes; written when it is old enough.
    case waiting
    /// Takes writes; the next free thread writes it.
    case ready
    /// Takes writes; becomes ready when the chunk in flight of the same window is written.
    case blocked
    /// Is being sealed and written.
    case inFlight
    /// Written or dropped.
    case gone
  }

  /// Memory for a part of the window.
  private struct Part {
    let start: Int
    let block: PooledBuffer
    var span: Range<Int> { unsafe start..<start + block.bytes.count }
  }

  /// Bytes in a block of the file system.
  static let blockSize = 4096
  /// The sizes of parts: a block of the file system, 4 and 16 of them, and a whole window. Each is a multiple of those
  /// before. At most 1 MiB, 1 MiB, 4 MiB and 8 MiB of them are kept idle.
  static let blockSizes = [
    BufferPool.Size(bytes: blockSize, idleLimit: 256), BufferPool.Size(bytes: 4 * blockSize, idleLimit: 64),
    BufferPool.Size(bytes: 16 * blockSize, idleLimit: 64), BufferPool.Size(bytes: WriteWindow.size, idleLimit: 8),
  ]

  let window: Int64
  /// The inode of the chunk, once it is known. This type does not use it.
  var owner: Inode?
  var state = State.waiting
  /// The written ranges, counted from the window's start.
  private(set) var ranges = RangeList()
  /// The whole blocks of the file system that were written.
  private var blocks = RangeList()
  private var parts: [Part] = []
  /// Bytes of memory of its parts.
  private(set) var capacity = 0

  init(window: Int64, owner: Inode?) {
    self.window = window
    self.owner = owner
  }

  /// Whether it fills its window.
  var isFull: Bool { ranges.ranges.count == 1 && ranges.ranges.first == 0..<WriteWindow.size }

  /// The offset in the file of a place in the window.
  func offset(of place: Int) -> FileOffset { FileOffset(rawValue: window * Int64(WriteWindow.size) + Int64(place)) }

  /// The memory of a range whose blocks were all written.
  func bytes(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer {
    let part = parts[index(endingBehind: range.lowerBound)]
    return unsafe UnsafeMutableRawBufferPointer(
      rebasing: part.block.bytes[range.lowerBound - part.start..<range.upperBound - part.start])
  }

  /// Writes data over a range.
  func write(_ range: Range<Int>, from source: UnsafeRawBufferPointer, pool: BufferPool) {
    cover(range, pool: pool)
    unsafe bytes(range).copyMemory(from: source)
    ranges.insert(range)
  }

  func remove(_ range: Range<Int>) { ranges.remove(range) }

  /// Copies data from `older` into the gaps of this chunk.
  func addOlder(_ older: Chunk, pool: BufferPool) {
    for range in older.ranges.ranges {
      for gap in ranges.gaps(in: range) {
        cover(gap, pool: pool)
        unsafe bytes(gap).copyMemory(from: UnsafeRawBufferPointer(older.bytes(gap)))
        ranges.insert(gap)
      }
    }
  }

  /// Makes sure that there is memory for `range`.
  private func cover(_ range: Range<Int>, pool: BufferPool) {
    let end = (range.upperBound + Self.blockSize - 1) / Self.blockSize * Self.blockSize
    let joined = blocks.insert(range.lowerBound / Self.blockSize * Self.blockSize..<end)
    let first = index(endingBehind: joined.lowerBound)
    if first < parts.count, parts[first].span.lowerBound <= joined.lowerBound,
      parts[first].span.upperBound >= joined.upperBound
    {
      return
    }
    let (start, block) = Self.block(for: joined, pool: pool)
    let new = Part(start: start, block: block)
    var last = self.index(endingBehind: start)
    let replaced = last
    while last < parts.count, parts[last].start < new.span.upperBound {
      for old in ranges.parts(in: parts[last].span) {
        let target = unsafe UnsafeMutableRawBufferPointer(
          rebasing: block.bytes[old.lowerBound - start..<old.upperBound - start])
        unsafe target.copyMemory(from: UnsafeRawBufferPointer(bytes(old)))
      }
      capacity -= parts[last].span.count
      last += 1
    }
    parts.replaceSubrange(replaced..<last, with: [new])
    capacity += new.span.count
  }

  /// The smallest block of memory that holds a range, at a multiple of its size.
  private static func block(for range: Range<Int>, pool: BufferPool) -> (start: Int, block: PooledBuffer) {
    for size in blockSizes.lazy.map(\.bytes) where range.lowerBound / size == (range.upperBound - 1) / size {
      return (range.lowerBound / size * size, PooledBuffer(size, from: pool))
    }
    return (0, PooledBuffer(WriteWindow.size, from: pool))
  }

  /// The first part that ends behind a place of the window; the number of parts when none does.
  private func index(endingBehind place: Int) -> Int {
    var low = 0
    var high = parts.count
    while low < high {
      let middle = (low + high) / 2
      if parts[middle].span.upperBound > place { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
