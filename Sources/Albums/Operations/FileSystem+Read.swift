// Reads are planned under the lock, and carried out without it.

internal import Glibc
internal import Index
internal import Logging
package import SystemPackage
package import Vault

/// A part of a read that the log holds.
struct StoredStretch: Equatable {
  /// Its place in the buffer.
  var place: Int
  var extent: ExtentRecord
}

extension FileSystem {
  /// How often a read is planned. The cleaner may move the extents of a plan.
  private static let attempts = 3

  /// Reads bytes from `offset`; fewer than the buffer holds only at the end of the file.
  ///
  /// - Throws: `EIO` when stored data is missing or differs from the written data; `EISDIR`.
  package func read(
    _ inode: InodeNumber, at offset: FileOffset, into buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> Int {
    guard offset >= .zero else { throw .invalidArgument }
    var failed: StoredStretch?
    for _ in 0..<Self.attempts {
      let (count, plan) = try locked { files throws(Errno) in try unsafe files.data.planRead(inode, offset, buffer) }
      // The plan has the same record again: it was not moved, so it is damaged.
      if let failed, plan.contains(where: { $0.extent.position == failed.extent.position }) { break }
      failed = unsafe readStored(plan, into: buffer)
      if failed == nil { return count }
    }
    logDamage(inode, failed?.extent.offset ?? offset)
    throw .ioError
  }

  /// Logs damage in one line, without a name.
  func logDamage(_ inode: InodeNumber, _ offset: FileOffset) {
    options.logger.error("damaged: inode \(inode.rawValue), offset \(offset.rawValue)")
  }

  /// Reads the parts of a plan; returns the first that cannot be read.
  func readStored(_ plan: [StoredStretch], into buffer: UnsafeMutableRawBufferPointer) -> StoredStretch? {
    for stretch in plan {
      do throws(VaultError) {
        try unsafe space.read(stretch.extent, into: UnsafeMutableRawBufferPointer(rebasing: buffer[stretch.place...]))
      } catch {
        return stretch
      }
    }
    return nil
  }
}

extension FileData {
  /// Copies data from memory, zeroes holes, and returns the parts that the log holds.
  fileprivate func planRead(
    _ number: InodeNumber, _ offset: FileOffset, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(Errno) -> (count: Int, plan: [StoredStretch]) {
    let inode = try files.regularFile(number)
    let start = offset.rawValue
    let count = Int(max(0, min(Int64(buffer.count), inode.record.size - min(start, inode.record.size))))
    if count == 0 { return (0, []) }
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
    var plan: [StoredStretch] = []
    for missing in unsafe inode.buffer.copy(start..<start + Int64(count), into: target) {
      let place = Int(missing.lowerBound - start)
      let part = unsafe UnsafeMutableRawBufferPointer(
        rebasing: target[place..<place + Int(missing.upperBound - missing.lowerBound)])
      unsafe try planStored(inode, missing, part) { plan.append(StoredStretch(place: place + $0, extent: $1)) }
    }
    return (count, plan)
  }

  /// Calls `body` for the parts of a range that extents hold, and zeroes the rest of `target`, the buffer of the range.
  ///
  /// - Throws: `EIO` when extents overlap, because nothing shows which bytes are right.
  func planStored(
    _ inode: Inode, _ range: Range<Int64>, _ target: UnsafeMutableRawBufferPointer,
    _ body: (_ place: Int, _ extent: ExtentRecord) -> Void
  ) throws(Errno) {
    let wanted = FileOffset(rawValue: range.lowerBound)..<FileOffset(rawValue: range.upperBound)
    var end = 0
    var overlaps = false
    if inode.extentsEnd.map({ $0 > wanted.lowerBound }) ?? true {
      try files.withIndex { index throws(IndexError) in
        try index.extents.forEachExtent(of: inode.number, overlapping: wanted) { extent in
          guard let extent = extent.clamped(to: wanted) else { return true }
          let place = extent.offset - wanted.lowerBound
          overlaps = place < end
          if overlaps { return false }
          if extent.isUnwritten { return true }
          unsafe zero(target, end..<place)
          body(place, extent)
          end = place + extent.length
          return true
        }
      }
    }
    if overlaps { throw files.failed(IndexError.damaged) }
    unsafe zero(target, end..<target.count)
  }

  private func zero(_ target: UnsafeMutableRawBufferPointer, _ range: Range<Int>) {
    if let start = target.baseAddress, !range.isEmpty { unsafe memset(start + range.lowerBound, 0, range.count) }
  }
}
