// Putting extents in the place of others.
//
// Invariants
// 1. Rows of an inode do not overlap, neither before nor after.
// 2. A row whose beginning stays, or which something else takes the place of from its first byte on, is changed where it is: that is half as much
//    work as deleting it and adding another.

package import Vault

extension Index {
  /// Rows that are read at once for each extent that comes: beyond that, most of them would lie between those that change.
  private static let rowsPerExtent = 8

  /// Adds extents, in order and apart from each other, in place of whatever the inode had there; gives the exact pieces that went, in order.
  ///
  /// - Throws: `.damaged` when one is not a part of its record, or when rows overlap.
  @discardableResult
  package func replaceExtents(
    of inode: InodeNumber, with new: [ExtentRecord]
  ) throws(IndexError) -> [ExtentRecord] {
    guard let first = new.first, let last = new.last else { return [] }
    return try change { () throws(IndexError) in
      let limit = Self.rowsPerExtent * new.count
      let old = try extents(of: inode, overlapping: first.offset..<last.end, limit: limit + 1)
      if old.count <= limit { return try exchange(old, for: new, of: inode) }
      var removed: [ExtentRecord] = []
      if new.count > 1 {
        for extent in new { removed += try replaceExtents(of: inode, with: [extent]) }
      } else {
        removed = try removeExtents(of: inode, in: first.offset..<first.end, limit: .max)
        try addRow(first, of: inode)
      }
      return removed
    }
  }

  /// Adds `new` in place of what `old` has there: all rows from the first byte of `new` to its last.
  private func exchange(
    _ old: [ExtentRecord], for new: [ExtentRecord], of inode: InodeNumber
  ) throws(IndexError) -> [ExtentRecord] {
    var removed: [ExtentRecord] = []
    var left: [ExtentRecord] = []
    var rest = new[...]
    var isWritten = [Bool](repeating: false, count: new.count)
    var end = FileOffset.zero
    /// Rows that go, one after the other.
    var going: ClosedRange<FileOffset>?
    for row in old {
      guard row.offset >= end else { throw .damaged }
      end = row.end
      rest = rest.drop { $0.end <= row.offset }
      let over = rest.prefix { $0.offset < row.end }
      var stays: [ExtentRecord] = []
      var start = row.offset
      for extent in over {
        if start < extent.offset, let piece = row.clamped(to: start..<extent.offset) { stays.append(piece) }
        if let piece = row.clamped(to: extent.offset..<extent.end) {
          removed.append(piece)
          countLive(-Int64(piece.length), in: piece.position.segment)
        }
        start = extent.end
      }
      if start < row.end, let piece = row.clamped(to: start..<row.end) { stays.append(piece) }
      left += stays
      if stays.isEmpty, over.first?.offset != row.offset {
        going = (going?.lowerBound ?? row.offset)...row.offset
        continue
      }
      if let rows = going { try deleteRows(of: inode, rows) }
      going = nil
      if let head = stays.first, head.offset == row.offset {
        if head.length < row.length { try shorten(row, of: inode, to: head.length) }
        stays.removeFirst()
      } else if let same = over.first, same.offset == row.offset {
        try write(same, of: inode, by: extentStatements.overwrite)
        isWritten[over.startIndex] = true
      } else {
        try deleteRows(of: inode, row.offset...row.offset)
      }
      for piece in stays { try write(piece, of: inode, by: extentStatements.insert) }
    }
    if let rows = going { try deleteRows(of: inode, rows) }
    for (index, extent) in new.enumerated() {
      if !isWritten[index] { try write(extent, of: inode, by: extentStatements.insert) }
      countLive(Int64(extent.length), in: extent.position.segment)
    }
    if extentCache.extents(of: inode) != nil {
      let rows = (left + new).sorted { $0.offset < $1.offset }
      let offsets = (old + new).map(\.offset)
      if let first = offsets.min(), let last = offsets.max() {
        extentCache.replace(inode, first...last, with: rows)
      }
    }
    return removed
  }
}
