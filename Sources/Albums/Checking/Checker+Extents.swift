internal import Index
internal import Vault

struct ExtentSums {
  var bytes: Int64 = 0
  var end = FileOffset.zero

  mutating func add(_ extent: ExtentRecord) {
    bytes += Int64(extent.length)
    end = max(end, extent.end)
  }
}

/// The extents against the segments that they are in, their bytes, and the counts that are kept of them.
extension Checker {
  mutating func checkExtents(suspects: Set<SegmentNumber>) throws(IndexError) {
    let present = Set(space.segments().map(\.number))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Space.maximumExtentLength, alignment: 4096)
    defer { unsafe buffer.deallocate() }
    var live: [SegmentNumber: Int64] = [:]
    /// The last that is possible and not to be dropped.
    var before: LocatedExtent?
    try forEachRow(index.extents.rows(after:limit:), by: \.self) { located in
      let extent = located.extent
      guard extent.isPossible, extent.position.offset < space.segmentBytes else {
        note(
          located.inode, "the extent at byte \(extent.offset.rawValue) is impossible",
          .dropExtent(located.inode, extent.offset))
        return
      }
      let segment = extent.position.segment
      live[segment, default: 0] += Int64(extent.length)
      extents[located.inode, default: ExtentSums()].add(extent)
      if !extent.isUnwritten { report.dataBytes += Int64(extent.length) }
      if let kept = before, kept.inode == located.inode, kept.extent.end > extent.offset {
        // What was written counts more than room for it.
        let dropsEarlier = kept.extent.isUnwritten && !extent.isUnwritten
        note(
          located.inode, "two extents overlap at byte \(extent.offset.rawValue)",
          .dropExtent(located.inode, dropsEarlier ? kept.extent.offset : extent.offset))
        if dropsEarlier { before = located }
      } else {
        before = located
      }
      if extent.isUnwritten { return }
      guard present.contains(segment) else {
        note(
          located.inode, "bytes \(extent.offset.rawValue) to \(extent.end.rawValue) are in a segment that is gone",
          .makeHole(located.inode, extent.offset..<extent.end)
        )
        return
      }
      if readData || suspects.contains(segment) { unsafe read(located, into: buffer) }
    }
    try checkLiveBytes(live)
  }

  /// Reads an extent. If that fails, reads every page of it by itself, so that only unreadable pages are reported.
  private mutating func read(_ located: LocatedExtent, into buffer: UnsafeMutableRawBufferPointer) {
    let extent = located.extent
    if unsafe isReadable(extent, into: buffer) {
      report.readBytes += Int64(extent.length)
      return
    }
    var damaged: Range<FileOffset>?
    var offset = extent.offset
    while offset < extent.end {
      let inRecord = extent.skip + (offset - extent.offset)
      let next = min(extent.end, offset + (space.filePageSize - inRecord % space.filePageSize))
      if let part = extent.clamped(to: offset..<next), unsafe isReadable(part, into: buffer) {
        report.readBytes += Int64(part.length)
        if let damaged { noteDamage(located.inode, damaged) }
        damaged = nil
      } else {
        damaged = (damaged?.lowerBound ?? offset)..<next
      }
      offset = next
    }
    if let damaged { noteDamage(located.inode, damaged) }
  }

  private func isReadable(_ extent: ExtentRecord, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    (try? unsafe space.read(extent, into: buffer)) != nil
  }

  private mutating func noteDamage(_ inode: InodeNumber, _ range: Range<FileOffset>) {
    note(
      inode, "bytes \(range.lowerBound.rawValue) to \(range.upperBound.rawValue) are damaged", .makeHole(inode, range))
  }

  private mutating func checkLiveBytes(_ counted: [SegmentNumber: Int64]) throws(IndexError) {
    var counted = counted
    try forEachRow(index.segmentLives(after:limit:), by: \.segment) { life in
      let bytes = counted.removeValue(forKey: life.segment) ?? 0
      if bytes == life.liveBytes { return }
      let text =
        life.segment == .unwritten
        ? "the count of allocated bytes is wrong"
        : "the count of live bytes of segment \(life.segment.rawValue) is wrong"
      add(text, .setLiveBytes(life.segment, bytes))
    }
    for (segment, bytes) in counted.sorted(by: { $0.key < $1.key }) where try index.liveBytes(in: segment) != bytes {
      let text =
        segment == .unwritten
        ? "bytes are allocated, but there is no count of them"
        : "segment \(segment.rawValue) holds data, but has no count of live bytes"
      add(text, .setLiveBytes(segment, bytes))
    }
  }
}
