internal import Synchronization

/// The plaintexts of the few small extents that were appended last. A program that appends a line and syncs has the block written again with
/// each line: what stands in the block before is then here. A record never changes, so what is kept of it is right for as long as it is kept.
final class RecentRecords: Sendable {
  /// Bytes of the largest record that is kept: a block of the file system.
  private static let largest = 4096
  private static let count = 8

  private struct Ring {
    var records: [(position: LogPosition, plaintext: [UInt8])] = []
    var next = 0
  }
  private let ring = Mutex(Ring())

  /// Keeps what was appended, if that was one small record.
  func note(_ pieces: [ExtentPiece], of writes: [ExtentWrite]) {
    guard pieces.count == 1, writes.count == 1, pieces[0].length <= Self.largest else { return }
    let record = (pieces[0].position, unsafe Array(writes[0].plaintext))
    ring.withLock { ring in
      if ring.records.count < Self.count {
        ring.records.append(record)
      } else {
        ring.records[ring.next] = record
        ring.next = (ring.next + 1) % Self.count
      }
    }
  }

  /// Copies bytes `range` of the record at `position`; false when it is not kept.
  func read(_ position: LogPosition, _ range: Range<Int>, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    guard range.upperBound <= Self.largest else { return false }
    return ring.withLock { ring in
      guard let record = ring.records.first(where: { $0.position == position }) else { return false }
      unsafe buffer.copyBytes(from: record.plaintext[range])
      return true
    }
  }
}
