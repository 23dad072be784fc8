// Live bytes per segment. The rows of `segment` are as of the last commit; later changes are in memory.

package import Vault

struct SegmentStatements {
  let find, add, delete, sum, after: Statement

  init(_ connection: Connection) throws(IndexError) {
    find = try connection.prepare("SELECT live FROM segment WHERE number = ?1")
    add = try connection.prepare(
      """
      INSERT INTO segment(number, live) VALUES(?1, ?2) ON CONFLICT(number) DO UPDATE SET live = live + excluded.live
      """)
    delete = try connection.prepare("DELETE FROM segment WHERE number = ?1")
    // A sum of 2¹⁵ bounded counts cannot overflow. If a sum overflows all the same, SQLite reports it.
    sum = try connection.prepare(
      """
      SELECT coalesce(sum(min(max(live, -281474976710656), 281474976710656)), 0) FROM segment WHERE number > 0
      """)
    after = try connection.prepare("SELECT number, live FROM segment WHERE number > ?1 ORDER BY number LIMIT ?2")
  }
}

extension Index {
  /// A bound for the value of a damaged row, in bytes. With it, sums do not overflow.
  private static let mostBytes: Int64 = 1 << 61

  /// Bytes of file data in all segments that are part of a file, without unwritten extents. Bytes that two files share
  /// count twice.
  package var totalLiveBytes: Int64 { counters.liveBytes }

  /// Live bytes of a segment, including uncommitted changes.
  package func liveBytes(in segment: SegmentNumber) throws(IndexError) -> Int64 {
    try storedLiveBytes(in: segment) + live.deltas[segment, default: 0]
  }

  private func storedLiveBytes(in segment: SegmentNumber) throws(IndexError) -> Int64 {
    try statements.segments.find.bind(segment).firstRow { (row) throws(IndexError) in
      Self.bounded(row.integer(0))
    } ?? 0
  }

  private static func bounded(_ bytes: Int64) -> Int64 { min(max(bytes, -mostBytes), mostBytes) }

  /// Removes the row of a segment that will be retired.
  ///
  /// - Throws: `.damaged` when it has live bytes.
  package func forgetSegment(_ segment: SegmentNumber) throws(IndexError) {
    try change { () throws(IndexError) in
      guard try liveBytes(in: segment) == 0, live.deltas[segment] == nil else { throw .damaged }
      try statements.segments.delete.bind(segment).run()
    }
  }

  /// Adds the deltas to the rows. The caller clears them after the commit.
  func storeLiveBytes() throws(IndexError) {
    for (segment, delta) in live.deltas { try statements.segments.add.bind(segment, delta).run() }
  }

  /// The live bytes of the next segments after a number, in order, at most `limit`, including uncommitted changes; for
  /// checks.
  package func segmentLives(after number: SegmentNumber?, limit: Int) throws(IndexError) -> [SegmentLife] {
    try statements.segments.after.bind(number ?? .lowest, limit).rows { (row) throws(IndexError) in
      let segment = SegmentNumber(rawValue: UInt64(bitPattern: row.integer(0)))
      return SegmentLife(segment: segment, liveBytes: Self.bounded(row.integer(1)) + live.deltas[segment, default: 0])
    }
  }

  /// Computes `totalLiveBytes` and `unwrittenBytes` as of the last commit from the rows. They are not stored: that
  /// would change one more page in most commits.
  func loadLiveBytes() throws(IndexError) {
    let sum = try statements.segments.sum.firstRow { (row) throws(IndexError) in row.integer(0) } ?? 0
    counters.liveBytes = Self.bounded(sum)
    counters.unwrittenBytes = try storedLiveBytes(in: .unwritten)
  }
}
