// Replaces extents.
//
// Invariants
// 1. The rows of an inode do not overlap, before and after.
// 2. A row that keeps its first bytes, or is replaced from its first byte on, is updated in place. That is half the
//    work of deleting it and adding another.

package import Vault

extension ExtentTable {
  /// The most rows per new extent that are read at once. If there are more, most of them would be unaffected.
  private static let rowsPerExtent = 8

  /// Adds extents, which are in order and do not overlap, and removes the inode's extents in their ranges. Returns the
  /// removed pieces, in order.
  ///
  /// - Throws: `.damaged` when an extent is not a part of its record, or when rows overlap.
  @discardableResult
  package func replaceExtents(
    of inode: InodeNumber, with new: [ExtentRecord]
  ) throws(IndexError) -> [ExtentRecord] {
    guard let first = new.first, let last = new.last else { return [] }
    return try index.change { () throws(IndexError) in
      let limit = Self.rowsPerExtent * new.count
      let old = try rows(of: inode, overlapping: first.offset..<last.end, limit: limit + 1)
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

  /// Replaces parts of `old` by `new`. `old` has all rows from the first byte of `new` to its last.
  private func exchange(
    _ old: [ExtentRecord], for new: [ExtentRecord], of inode: InodeNumber
  ) throws(IndexError) -> [ExtentRecord] {
    var removed: [ExtentRecord] = []
    var left: [ExtentRecord] = []
    var rest = new[...]
    var isWritten = [Bool](repeating: false, count: new.count)
    var end = FileOffset.zero
    /// Adjacent rows to delete together.
    var deleted: ClosedRange<FileOffset>?
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
        deleted = (deleted?.lowerBound ?? row.offset)...row.offset
        continue
      }
      if let rows = deleted { try deleteRows(of: inode, rows) }
      deleted = nil
      if let head = stays.first, head.offset == row.offset {
        if head.length < row.length { try shorten(row, of: inode, to: head.length) }
        stays.removeFirst()
      } else if let same = over.first, same.offset == row.offset {
        try write(same, of: inode, by: index.statements.extents.overwrite)
        isWritten[over.startIndex] = true
      } else {
        try deleteRows(of: inode, row.offset...row.offset)
      }
      for piece in stays { try write(piece, of: inode, by: index.statements.extents.insert) }
    }
    if let rows = deleted { try deleteRows(of: inode, rows) }
    for (place, extent) in new.enumerated() {
      if !isWritten[place] { try write(extent, of: inode, by: index.statements.extents.insert) }
      countLive(Int64(extent.length), in: extent.position.segment)
    }
    if index.extentCache.extents(of: inode) != nil {
      let rows = (left + new).sorted { $0.offset < $1.offset }
      let offsets = (old + new).map(\.offset)
      if let first = offsets.min(), let last = offsets.max() {
        index.extentCache.replace(inode, first...last, with: rows)
      }
    }
    return removed
  }
}
