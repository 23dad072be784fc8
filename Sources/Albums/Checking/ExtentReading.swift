internal import Index
internal import System
internal import Vault

/// Reads extents to see whether they authenticate. Any number of threads may do so at once.
struct ExtentReading: Sendable {
  /// The result of reading an extent.
  struct Outcome: Sendable {
    /// Bytes that were read and authenticated.
    var readBytes: Int64 = 0
    /// Ranges that cannot be read, in the order of the file.
    var damaged: [Range<FileOffset>] = []
  }

  private let space: Space
  private let memory: BufferPool

  /// Reads extents of a space, with at most as many threads as `threads` has.
  init(_ space: Space, on threads: Parallel) {
    self.space = space
    memory = BufferPool([BufferPool.Size(bytes: Space.maximumExtentLength, idleLimit: threads.threads)])
  }

  /// Reads an extent. If that fails, reads every page of it separately, so that only unreadable pages are reported.
  func read(_ extent: ExtentRecord) -> Outcome {
    let buffer = PooledBuffer(extent.length, from: memory)
    var outcome = Outcome()
    if isReadable(extent, into: buffer) {
      outcome.readBytes = Int64(extent.length)
      return outcome
    }
    var damaged: Range<FileOffset>?
    var offset = extent.offset
    while offset < extent.end {
      let inRecord = extent.skip + (offset - extent.offset)
      let next = min(extent.end, offset + (space.filePageSize - inRecord % space.filePageSize))
      if let part = extent.clamped(to: offset..<next), isReadable(part, into: buffer) {
        outcome.readBytes += Int64(part.length)
        if let damaged { outcome.damaged.append(damaged) }
        damaged = nil
      } else {
        damaged = (damaged?.lowerBound ?? offset)..<next
      }
      offset = next
    }
    if let damaged { outcome.damaged.append(damaged) }
    return outcome
  }

  private func isReadable(_ extent: ExtentRecord, into buffer: PooledBuffer) -> Bool {
    (try? unsafe space.read(extent, into: buffer.bytes)) != nil
  }
}
