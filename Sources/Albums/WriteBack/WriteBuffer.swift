// File data of one inode that is not in the log yet.
//
// A file is cut into windows of 1 MiB. A window has at most one chunk that takes writes (waiting), and at most one that
// is being sealed (in flight). Waiting data is newer than data in flight, and that is newer than the data of the
// extents.
//
// Invariants
// 1. A chunk in flight does not change. Chunks in flight of one inode do not overlap, because each has a separate
//    window.
// 2. No chunk is empty.

internal import Vault

/// The windows into which files are cut.
enum WriteWindow {
  /// Bytes in a window: the longest extent.
  static let size = Space.maximumExtentLength

  /// The windows that a range of a file touches.
  static func indices(of range: Range<Int64>) -> ClosedRange<Int64>? {
    range.isEmpty ? nil : (range.lowerBound / Int64(size))...((range.upperBound - 1) / Int64(size))
  }

  /// The part of a file's range that lies in a window, counted from the window's start.
  static func part(of range: Range<Int64>, in window: Int64) -> Range<Int> {
    let start = window * Int64(size)
    return Int(max(range.lowerBound, start) - start)..<Int(min(range.upperBound - start, Int64(size)))
  }
}

/// All chunks of one inode.
struct WriteBuffer {
  private(set) var waiting: [Int64: Chunk] = [:]
  private(set) var inFlight: [Int64: Chunk] = [:]

  var isEmpty: Bool { waiting.isEmpty && inFlight.isEmpty }

  /// The chunks that wait and those in flight, in no order.
  var chunks: some Sequence<Chunk> { [waiting.values, inFlight.values].joined() }

  /// Bytes written but not in the log yet. Waiting bytes over bytes in flight count twice.
  var byteCount: Int64 { isEmpty ? 0 : chunks.reduce(0) { $0 + Int64($1.ranges.count) } }

  /// Puts a chunk into its window, to wait; returns the one that waited there, which is dropped.
  @discardableResult
  mutating func put(_ chunk: Chunk) -> Chunk? { waiting.updateValue(chunk, forKey: chunk.window) }

  /// Puts a chunk that waits in flight; false while another one of its window is.
  mutating func beginFlight(_ chunk: Chunk) -> Bool {
    guard inFlight[chunk.window] == nil else { return false }
    waiting[chunk.window] = nil
    inFlight[chunk.window] = chunk
    return true
  }

  /// Notes that the chunk of a window is no longer in flight.
  mutating func endFlight(_ window: Int64) { inFlight[window] = nil }

  /// Whether something in flight lies in a window that the range touches.
  func hasInFlight(in range: Range<Int64>) -> Bool {
    inFlight.values.contains { chunk in WriteWindow.indices(of: range)?.contains(chunk.window) ?? false }
  }

  /// Whether anything waits or is in flight in a window that the range touches.
  func touches(_ range: Range<Int64>) -> Bool {
    guard !isEmpty, let windows = WriteWindow.indices(of: range) else { return false }
    return chunks.contains { windows.contains($0.window) }
  }

  /// Drops waiting data in a range, and returns the chunks that have nothing left.
  mutating func discard(_ range: Range<Int64>) -> [Chunk] {
    guard let windows = WriteWindow.indices(of: range) else { return [] }
    var gone: [Chunk] = []
    for (window, chunk) in waiting where windows.contains(window) {
      chunk.remove(WriteWindow.part(of: range, in: window))
      if chunk.ranges.isEmpty {
        waiting[window] = nil
        gone.append(chunk)
      }
    }
    return gone
  }

  /// Whether anything waits before a window.
  func waits(before window: Int64) -> Bool { waiting.keys.contains { $0 < window } }

  /// The lowest offset of data that waits or is in flight.
  var lowestOffset: FileOffset? {
    chunks.compactMap { chunk in chunk.ranges.ranges.first.map { chunk.offset(of: $0.lowerBound) } }.min()
  }

  /// Copies data in memory of a range of the file into `target`, the buffer of the range, and returns the missing
  /// parts.
  func copy(_ range: Range<Int64>, into target: UnsafeMutableRawBufferPointer) -> [Range<Int64>] {
    guard !isEmpty, let windows = WriteWindow.indices(of: range) else { return range.isEmpty ? [] : [range] }
    var missing: [Range<Int64>] = []
    for window in windows {
      var gaps = [WriteWindow.part(of: range, in: window)]
      let base = window * Int64(WriteWindow.size)
      for chunk in [waiting[window], inFlight[window]] {
        guard let chunk else { continue }
        for gap in gaps {
          for part in chunk.ranges.parts(in: gap) {
            let start = Int(base + Int64(part.lowerBound) - range.lowerBound)
            let place = unsafe UnsafeMutableRawBufferPointer(rebasing: target[start..<start + part.count])
            unsafe place.copyMemory(from: UnsafeRawBufferPointer(chunk.bytes(part)))
          }
        }
        gaps = gaps.flatMap { chunk.ranges.gaps(in: $0) }
      }
      for gap in gaps {
        let found = base + Int64(gap.lowerBound)..<base + Int64(gap.upperBound)
        if let last = missing.last, last.upperBound == found.lowerBound {
          missing[missing.count - 1] = last.lowerBound..<found.upperBound
        } else {
          missing.append(found)
        }
      }
    }
    return missing
  }

  /// The first range of data, waiting or in flight, that ends after `offset`. Adjacent ranges are not joined to it.
  func nextRange(endingAfter offset: Int64) -> Range<Int64>? {
    var best: Range<Int64>?
    for chunk in chunks {
      let base = chunk.window * Int64(WriteWindow.size)
      guard base + Int64(WriteWindow.size) > offset else { continue }
      if let best, best.lowerBound <= base { continue }
      for range in chunk.ranges.ranges where base + Int64(range.upperBound) > offset {
        let found = base + Int64(range.lowerBound)..<base + Int64(range.upperBound)
        if best.map({ found.lowerBound < $0.lowerBound }) ?? true { best = found }
        break
      }
    }
    return best
  }
}
