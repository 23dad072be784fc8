// Changes of single rows that contradict each other, for repairs only.

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
  /// Removes the row of the extent that begins at `offset`, even if others overlap it. The caller updates live bytes.
  package func dropExtent(of inode: InodeNumber, at offset: FileOffset) throws(IndexError) {
    try change { () throws(IndexError) in
      extentCache.drop(inode)
      statements.repair.dropExtent.bind(1, inode.rawValue)
      statements.repair.dropExtent.bind(2, offset.rawValue)
      try statements.repair.dropExtent.run()
    }
  }

  /// Removes all rows of an inode's extents. The caller updates live bytes.
  package func dropExtents(of inode: InodeNumber) throws(IndexError) {
    try change { () throws(IndexError) in
      extentCache.drop(inode)
      statements.repair.dropExtents.bind(1, inode.rawValue)
      try statements.repair.dropExtents.run()
    }
  }

  /// Sets the live bytes of a segment as of the next commit. Does not change the total.
  package func setLiveBytes(in segment: SegmentNumber, to bytes: Int64) throws(IndexError) {
    let difference = bytes - (try liveBytes(in: segment))
    if difference == 0 { return }
    try change { () throws(IndexError) in
      live.add(difference, to: segment)
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
