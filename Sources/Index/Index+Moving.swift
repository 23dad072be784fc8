// Extents and the cleaner: finding those in a segment, and pointing rows at a copy of their record.

package import Vault

extension Index {
  /// The next extents in a segment, after `last` or from the start, in the order of their records, at most `limit`.
  package func extents(
    in segment: SegmentNumber, after last: LocatedExtent? = nil, limit: Int
  ) throws(IndexError) -> [LocatedExtent] {
    let statement = statements.extents.inSegment
    let next = SegmentNumber(rawValue: segment.rawValue + 1)
    if let last {
      statement.bind(1, last.extent.position.rawValue)
      statement.bind(2, last.inode.rawValue)
      statement.bind(3, last.extent.offset.rawValue)
    } else {
      statement.bind(1, LogPosition(segment: segment, offset: 0).rawValue)
      statement.bind(2, Int64.min)
      statement.bind(3, Int64.min)
    }
    statement.bind(4, LogPosition(segment: next, offset: 0).rawValue)
    statement.bind(5, limit)
    return try statement.rows { (row) throws(IndexError) in
      LocatedExtent(inode: row.inodeNumber(5), extent: try ExtentRecord(row))
    }
  }

  /// Replaces the extent `old` by `pieces`, which cover the same bytes, if it is unchanged. Returns whether it was.
  package func replaceExtent(
    _ old: ExtentRecord, of inode: InodeNumber, with pieces: [ExtentRecord]
  ) throws(IndexError) -> Bool {
    try change { () throws(IndexError) in
      guard try extent(of: inode, at: old.offset) == old else { return false }
      var end = old.offset
      for piece in pieces {
        guard piece.offset == end else { throw .damaged }
        end = piece.end
      }
      guard end == old.end else { throw .damaged }
      try removeExtents(of: inode, in: old.offset..<old.end, limit: 1)
      for piece in pieces { try addRow(piece, of: inode) }
      return true
    }
  }

  private func extent(of inode: InodeNumber, at offset: FileOffset) throws(IndexError) -> ExtentRecord? {
    statements.extents.find.bind(1, inode.rawValue)
    statements.extents.find.bind(2, offset.rawValue)
    return try statements.extents.find.firstRow { (row) throws(IndexError) in try ExtentRecord(row) }
  }
}
