// Changes single rows that contradict each other, for repairs only.

package import Vault

extension Index {
  /// Sets the live bytes of a segment as of the next commit. Does not change the total.
  package func setLiveBytes(in segment: SegmentNumber, to bytes: Int64) throws(IndexError) {
    let difference = bytes - (try liveBytes(in: segment))
    if difference == 0 { return }
    try change { () throws(IndexError) in
      // The row may hold something other than a number, or a number so large that sums overflow.
      try statements.segments.delete.bind(segment).run()
      live.add(bytes - live.deltas[segment, default: 0], to: segment)
      if segment == .unwritten { counters.unwrittenBytes = bytes }
      // The commit changes the row; this makes sure that there is one.
      pagesChanged = true
    }
  }

  /// Sets the totals.
  package func setTotals(inodes: Int64, liveBytes: Int64) throws(IndexError) {
    try change { () throws(IndexError) in
      counters.inodeCount = inodes
      counters.liveBytes = liveBytes
      pagesChanged = true
    }
  }
}

extension ExtentTable {
  /// Removes the row of the extent that begins at `offset`, even if others overlap it. The caller updates live bytes.
  package func dropExtent(of inode: InodeNumber, at offset: FileOffset) throws(IndexError) {
    index.extentCache.drop(inode)
    try index.run(index.statements.extents.delete.bind(inode, offset, offset))
  }

  /// Removes all rows of an inode's extents, also those whose offset is not an integer. The caller updates live bytes.
  package func dropExtents(of inode: InodeNumber) throws(IndexError) {
    index.extentCache.drop(inode)
    try index.run(index.statements.extents.deleteAll.bind(inode))
  }
}
