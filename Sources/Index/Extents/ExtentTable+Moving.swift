// Extents for the cleaner: finds those in a segment, and points rows at a copy of their record.

package import Vault

extension ExtentTable {
  /// The next extents in a segment, after `last` or from the start, in the order of their records, at most `limit`.
  package func rows(
    in segment: SegmentNumber, after last: LocatedExtent? = nil, limit: Int
  ) throws(IndexError) -> [LocatedExtent] {
    let start = last?.extent.position ?? LogPosition(segment: segment, offset: 0)
    let end = LogPosition(segment: SegmentNumber(rawValue: segment.rawValue + 1), offset: 0)
    let (inode, offset) = (last?.inode ?? .lowest, last?.extent.offset ?? .lowest)
    return try index.statements.extents.inSegment.bind(start, inode, offset, end, limit).rows {
      (row) throws(IndexError) in
      LocatedExtent(inode: row.inodeNumber(5), extent: try ExtentRecord(row))
    }
  }

  /// Replaces the extent `old` by `pieces`, which cover the same bytes, if it is unchanged. Returns whether it was
  /// unchanged.
  package func replaceExtent(
    _ old: ExtentRecord, of inode: InodeNumber, with pieces: [ExtentRecord]
  ) throws(IndexError) -> Bool {
    try index.change { () throws(IndexError) in
      guard try extent(of: inode, at: old.offset) == old else { return false }
      var end = old.offset
      for piece in pieces {
        guard piece.offset == end else { throw .damaged }
        end = piece.end
      }
      guard end == old.end else { throw .damaged }
      // Only this row: in a damaged index others may overlap it, and must not stop the cleaner.
      try removeExtents(of: inode, in: old.offset..<old.end, limit: 1)
      for piece in pieces { try addRow(piece, of: inode) }
      return true
    }
  }

  /// The next extents after one, by inode and offset, at most `limit`; including invalid ones.
  package func rows(after last: LocatedExtent?, limit: Int) throws(IndexError) -> [LocatedExtent] {
    let (inode, offset) = (last?.inode ?? .lowest, last?.extent.offset ?? .lowest)
    return try index.statements.check.extents.bind(inode, offset, limit).rows { (row) throws(IndexError) in
      LocatedExtent(inode: row.inodeNumber(5), extent: ExtentRecord(unchecked: row))
    }
  }

  private func extent(of inode: InodeNumber, at offset: FileOffset) throws(IndexError) -> ExtentRecord? {
    try index.statements.extents.find.bind(inode, offset).firstRow { (row) throws(IndexError) in try ExtentRecord(row) }
  }
}
