// What only a repair does: rows that contradict each other are changed one by one.

package import Vault

/// Statements that repairs use.
struct RepairStatements {
  let dropExtent, dropExtents: Statement

  init(_ connection: Connection) throws(IndexError) {
    dropExtent = try connection.prepare("DELETE FROM extent WHERE inode = ?1 AND offset = ?2")
    dropExtents = try connection.prepare("DELETE FROM extent WHERE inode = ?1")
  }
}

extension Index {
  /// Removes the row of the extent that begins at `offset`, whatever overlaps it. Live bytes are the caller's business.
  package func dropExtent(of inode: InodeNumber, at offset: FileOffset) throws(IndexError) {
    try change { () throws(IndexError) in
      extentCache.drop(inode)
      repairStatements.dropExtent.bind(1, inode.rawValue)
      repairStatements.dropExtent.bind(2, offset.rawValue)
      try repairStatements.dropExtent.run()
    }
  }

  /// Removes all rows of an inode's extents. Live bytes are the caller's business.
  package func dropExtents(of inode: InodeNumber) throws(IndexError) {
    try change { () throws(IndexError) in
      extentCache.drop(inode)
      repairStatements.dropExtents.bind(1, inode.rawValue)
      try repairStatements.dropExtents.run()
    }
  }

  /// Has a segment count `bytes` live bytes from the next commit on. The total of live bytes is not changed.
  package func setLiveBytes(in segment: SegmentNumber, to bytes: Int64) throws(IndexError) {
    let difference = bytes - (try liveBytes(in: segment))
    if difference == 0 { return }
    try change { () throws(IndexError) in
      live.add(difference, to: segment)
      if segment == .unwritten { counters.unwrittenBytes = bytes }
      // The row itself changes with the commit; this makes one happen.
      pagesChanged = true
    }
  }

  /// Sets the totals that are kept.
  package func setTotals(inodes: Int64, liveBytes: Int64) throws(IndexError) {
    try change { () throws(IndexError) in
      counters.inodeCount = inodes
      counters.liveBytes = liveBytes
      pagesChanged = true
    }
  }
}
