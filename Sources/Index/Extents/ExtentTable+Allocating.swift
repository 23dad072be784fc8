// Unwritten extents: room that is promised to a file for later writes.
//
// Invariants
// 1. An unwritten extent has position, record length and skip 0. Everything else treats it like any extent: rows do not
//    overlap, and written data takes its place.
// 2. The bytes of all unwritten extents are `unwrittenBytes`, and at each commit the row of segment 0 has the same
//    value.

package import Vault

extension ExtentTable {
  /// Bytes of all unwritten extents.
  package var unwrittenBytes: Int64 { index.counters.unwrittenBytes }

  /// Adds unwritten extents in the parts of `range` where the inode has none; returns their bytes.
  package func allocate(_ range: Range<FileOffset>, of inode: InodeNumber) throws(IndexError) -> Int64 {
    try index.change { () throws(IndexError) in
      var gaps: [Range<FileOffset>] = []
      var end = range.lowerBound
      try forEachExtent(of: inode, overlapping: range) { extent in
        if end < extent.offset { gaps.append(end..<extent.offset) }
        end = max(end, extent.end)
        return true
      }
      if end < range.upperBound { gaps.append(end..<range.upperBound) }
      var added: Int64 = 0
      for gap in gaps {
        added += Int64(gap.upperBound - gap.lowerBound)
        var start = gap.lowerBound
        while start < gap.upperBound {
          let end = start + min(ExtentRecord.longestUnwritten, gap.upperBound - start)
          try addRow(.unwritten(start..<end), of: inode)
          start = end
        }
      }
      return added
    }
  }

  /// The parts of a range in which an inode has unwritten extents, in order.
  package func unwritten(
    in range: Range<FileOffset>, of inode: InodeNumber
  ) throws(IndexError) -> [Range<FileOffset>] {
    var found: [Range<FileOffset>] = []
    if unwrittenBytes == 0 { return found }
    try forEachExtent(of: inode, overlapping: range) { extent in
      if extent.isUnwritten { found.append(max(extent.offset, range.lowerBound)..<min(extent.end, range.upperBound)) }
      return true
    }
    return found
  }
}
