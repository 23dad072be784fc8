package import Vault

struct ExtentStatements {
  let overlapping, overlapsAny, insert, overwrite, shorten, delete, deleteAll, find, inSegment: Statement

  init(_ connection: Connection) throws(IndexError) {
    // The last row that begins at or before the range may reach into it. Rows do not overlap, so no earlier one can.
    overlapping = try connection.prepare(
      """
      SELECT offset, length, position, record, skip FROM extent WHERE inode = ?1 AND offset < ?3 AND offset >= coalesce(
        (SELECT offset FROM extent WHERE inode = ?1 AND offset <= ?2 ORDER BY offset DESC LIMIT 1), ?2)
      ORDER BY offset
      """)
    overlapsAny = try connection.prepare(
      """
      SELECT offset + length FROM extent WHERE inode = ?1 AND offset < ?2 ORDER BY offset DESC LIMIT 1
      """)
    insert = try connection.prepare(
      "INSERT INTO extent(inode, offset, length, position, record, skip) VALUES(?1, ?2, ?3, ?4, ?5, ?6)")
    overwrite = try connection.prepare(
      "UPDATE extent SET length = ?3, position = ?4, record = ?5, skip = ?6 WHERE inode = ?1 AND offset = ?2")
    shorten = try connection.prepare("UPDATE extent SET length = ?3 WHERE inode = ?1 AND offset = ?2")
    delete = try connection.prepare("DELETE FROM extent WHERE inode = ?1 AND offset BETWEEN ?2 AND ?3")
    deleteAll = try connection.prepare("DELETE FROM extent WHERE inode = ?1")
    find = try connection.prepare(
      "SELECT offset, length, position, record, skip FROM extent WHERE inode = ?1 AND offset = ?2")
    inSegment = try connection.prepare(
      """
      SELECT offset, length, position, record, skip, inode FROM extent INDEXED BY extent_position
      WHERE (position, inode, offset) > (?1, ?2, ?3) AND position < ?4 ORDER BY position, inode, offset LIMIT ?5
      """)
  }
}

extension ExtentRecord {
  /// The highest offset of an extent. Sums of offsets and lengths do not overflow.
  private static let lastOffset = FileOffset(rawValue: .max - 2 * Int64(Space.maximumExtentLength))
  /// Bytes of the longest unwritten extent. The limit keeps sums from overflowing.
  static let longestUnwritten = 1 << 40

  /// Reads the first five columns.
  init(_ row: Statement) throws(IndexError) {
    self.init(unchecked: row)
    if !isPossible { throw .damaged }
  }

  /// Reads the first five columns, even invalid ones.
  init(unchecked row: Statement) {
    self.init(
      offset: FileOffset(rawValue: row.integer(0)), length: Int(row.integer(1)),
      position: LogPosition(rawValue: UInt64(bitPattern: row.integer(2))), recordLength: Int(row.integer(3)),
      skip: Int(row.integer(4)))
  }

  /// Whether the values are valid, so that arithmetic with them does not overflow.
  package var isPossible: Bool {
    if position.segment == .unwritten {
      return isUnwritten && recordLength == 0 && skip == 0 && (1...Self.longestUnwritten).contains(length)
        && (.zero...Self.lastOffset).contains(offset) && length <= Self.lastOffset - offset
    }
    return (1...Space.maximumExtentLength).contains(recordLength) && (0...recordLength).contains(skip)
      && length > 0 && length <= recordLength - skip && (.zero...Self.lastOffset).contains(offset)
  }
}

/// The table of extents.
package struct ExtentTable {
  let index: Index

  /// The extents of an inode that overlap `range`, in order, at most `limit`. The first may begin before the range, and
  /// the last may end after it.
  package func rows(
    of inode: InodeNumber, overlapping range: Range<FileOffset>, limit: Int
  ) throws(IndexError) -> [ExtentRecord] {
    var found: [ExtentRecord] = []
    guard limit > 0 else { return found }
    try forEachExtent(of: inode, overlapping: range) { extent in
      found.append(extent)
      return found.count < limit
    }
    return found
  }

  /// Calls `body` for the extents of an inode that overlap `range`, in order, until it returns false.
  package func forEachExtent(
    of inode: InodeNumber, overlapping range: Range<FileOffset>, _ body: (ExtentRecord) -> Bool
  ) throws(IndexError) {
    guard !range.isEmpty else { return }
    if index.extentCache.extents(of: inode) == nil, index.extentCache.miss(inode) { list(inode) }
    if let all = index.extentCache.extents(of: inode) {
      var next = all.firstIndex(endingBehind: range.lowerBound)
      while next < all.count, all[next].offset < range.upperBound, body(all[next]) { next += 1 }
      return
    }
    let statement = index.statements.extents.overlapping
    try statement.bind(inode, range.lowerBound, range.upperBound).forEachRow { (row) throws(IndexError) in
      let extent = try ExtentRecord(row)
      return extent.end <= range.lowerBound || body(extent)
    }
  }

  /// Reads all extents of an inode into the cache, unless there are too many, they overlap, or some cannot be read.
  private func list(_ inode: InodeNumber) {
    var found: [ExtentRecord] = []
    do throws(IndexError) {
      try index.statements.extents.overlapping.bind(inode, 0, Int64.max).forEachRow { (row) throws(IndexError) in
        let extent = try ExtentRecord(row)
        if let last = found.last, last.end > extent.offset { throw .damaged }
        found.append(extent)
        return found.count <= ExtentCache.longest
      }
      index.extentCache.insert(found.count <= ExtentCache.longest ? found : nil, of: inode)
    } catch {
      index.extentCache.insert(nil, of: inode)
    }
  }

  /// The offset of the next byte with data, from `offset` on; nil when there is none. Unwritten extents have no data.
  package func nextDataOffset(of inode: InodeNumber, from offset: FileOffset) throws(IndexError) -> FileOffset? {
    var data: FileOffset?
    try forEachExtent(of: inode, overlapping: offset..<FileOffset(rawValue: .max)) { extent in
      if extent.isUnwritten { return true }
      data = max(extent.offset, offset)
      return false
    }
    return data
  }

  /// The offset of the next byte without data, from `offset` on. It may lie beyond the end of the file.
  package func nextHoleOffset(of inode: InodeNumber, from offset: FileOffset) throws(IndexError) -> FileOffset {
    var hole = offset
    try forEachExtent(of: inode, overlapping: offset..<FileOffset(rawValue: .max)) { extent in
      guard extent.offset <= hole, !extent.isUnwritten else { return false }
      // In a damaged index extents may overlap. Going back could cause an endless loop in the caller.
      hole = max(hole, extent.end)
      return true
    }
    return hole
  }

  /// Adds an extent in a hole of the file.
  ///
  /// - Throws: `.damaged` when it overlaps another extent, or is not a part of its record.
  package func insertExtent(_ extent: ExtentRecord, of inode: InodeNumber) throws(IndexError) {
    try index.change { () throws(IndexError) in
      let last = index.statements.extents.overlapsAny.bind(inode, extent.end)
      let end = try last.firstRow { (row) throws(IndexError) in row.integer(0) }
      if let end, end > extent.offset.rawValue { throw .damaged }
      try addRow(extent, of: inode)
    }
  }

  /// Removes the bytes in `range` from an inode's extents. Visits at most `limit` of them, from the lowest offset on.
  /// Returns the removed pieces. If there are fewer than `limit`, nothing is left in the range.
  @discardableResult
  package func removeExtents(
    of inode: InodeNumber, in range: Range<FileOffset>, limit: Int
  ) throws(IndexError) -> [ExtentRecord] {
    try index.change { () throws(IndexError) in
      var pieces = try rows(of: inode, overlapping: range, limit: limit)
      guard let first = pieces.first, let last = pieces.last else { return [] }
      let head = first.clamped(to: first.offset..<max(first.offset, range.lowerBound))
      index.extentCache.replace(inode, first.offset...last.offset, with: [head].compactMap(\.self))
      if let head {
        // The part before the range keeps its row.
        try shorten(head, of: inode, to: head.length)
      }
      if last.offset >= range.lowerBound {
        try deleteRows(of: inode, max(first.offset, range.lowerBound)...last.offset)
      }
      for index in pieces.indices {
        guard let piece = pieces[index].clamped(to: range) else { throw .damaged }
        pieces[index] = piece
        countLive(-Int64(piece.length), in: piece.position.segment)
      }
      if let tail = last.clamped(to: min(last.end, range.upperBound)..<last.end) {
        // Its bytes were not removed from the count.
        try addRow(tail, of: inode, counting: false)
      }
      return pieces
    }
  }

  /// Adds a row, and counts its bytes as live in its segment.
  func addRow(_ extent: ExtentRecord, of inode: InodeNumber, counting: Bool = true) throws(IndexError) {
    try write(extent, of: inode, by: index.statements.extents.insert)
    index.extentCache.replace(inode, extent.offset...extent.offset, with: [extent])
    if counting { countLive(Int64(extent.length), in: extent.position.segment) }
  }

  /// Binds all columns of a row and runs `statement`.
  func write(_ extent: ExtentRecord, of inode: InodeNumber, by statement: Statement) throws(IndexError) {
    if extent.isUnwritten {
      guard extent.isPossible else { throw .damaged }
    } else {
      guard extent.length > 0, extent.skip >= 0, extent.length <= extent.recordLength - extent.skip else {
        throw .damaged
      }
    }
    try statement.bind(
      inode, extent.offset, extent.length, extent.position, extent.recordLength, extent.skip
    ).run()
  }

  func shorten(_ row: ExtentRecord, of inode: InodeNumber, to length: Int) throws(IndexError) {
    try index.statements.extents.shorten.bind(inode, row.offset, length).run()
  }

  /// Deletes the rows that begin in a range.
  func deleteRows(of inode: InodeNumber, _ offsets: ClosedRange<FileOffset>) throws(IndexError) {
    try index.statements.extents.delete.bind(inode, offsets.lowerBound, offsets.upperBound).run()
  }

  func countLive(_ bytes: Int64, in segment: SegmentNumber) {
    index.live.add(bytes, to: segment)
    if segment == .unwritten { index.counters.unwrittenBytes += bytes } else { index.counters.liveBytes += bytes }
  }
}
