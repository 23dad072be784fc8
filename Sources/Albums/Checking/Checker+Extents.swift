internal import Index
internal import System
internal import Vault

struct ExtentSums {
  var bytes: Int64 = 0
  var end = FileOffset.zero

  mutating func add(_ extent: ExtentRecord) {
    bytes += Int64(extent.length)
    end = max(end, extent.end)
  }
}

/// A step of a check in the order of the extents.
private enum ExtentStep {
  case problem(InodeNumber, String, RepairStep)
  /// An extent whose bytes must be read.
  case reading(LocatedExtent)
}

/// Checks the extents against their segments, their bytes, and the counts of them.
extension Checker {
  /// Extents that are read before others are looked up: enough that the threads seldom wait for the last of them.
  private static let mostPending = 4096

  mutating func checkExtents(suspects: Set<SegmentNumber>) throws(IndexError) {
    try checkLiveBytes(try lookAtExtents(suspects: suspects))
  }

  /// Returns the bytes that extents have in each segment. Problems are noted in the order of the extents.
  private mutating func lookAtExtents(suspects: Set<SegmentNumber>) throws(IndexError) -> [SegmentNumber: Int64] {
    let present = Set(space.segments().map(\.number))
    let reading = ExtentReading(space, on: threads)
    var live: [SegmentNumber: Int64] = [:]
    /// The last extent that is possible and will not be dropped.
    var before: LocatedExtent?
    var pending: [ExtentStep] = []
    // Problems count even if a later part of the index cannot be read.
    defer { finish(&pending, reading) }
    try forEachRow(index.extents.rows(after:limit:), by: \.self) { located in
      if pending.count >= Self.mostPending { finish(&pending, reading) }
      let extent = located.extent
      guard extent.isPossible, extent.position.offset < space.segmentBytes else {
        pending.append(
          .problem(
            located.inode, "the extent at byte \(extent.offset.rawValue) is impossible",
            .dropExtent(located.inode, extent.offset)))
        return
      }
      let segment = extent.position.segment
      live[segment, default: 0] += Int64(extent.length)
      extents[located.inode, default: ExtentSums()].add(extent)
      if !extent.isUnwritten { report.dataBytes += Int64(extent.length) }
      if let kept = before, kept.inode == located.inode, kept.extent.end > extent.offset {
        // Written data counts more than allocated room.
        let dropsEarlier = kept.extent.isUnwritten && !extent.isUnwritten
        pending.append(
          .problem(
            located.inode, "two extents overlap at byte \(extent.offset.rawValue)",
            .dropExtent(located.inode, dropsEarlier ? kept.extent.offset : extent.offset)))
        if dropsEarlier { before = located }
      } else {
        before = located
      }
      if extent.isUnwritten { return }
      guard present.contains(segment) else {
        pending.append(
          .problem(
            located.inode, "bytes \(extent.offset.rawValue) to \(extent.end.rawValue) are in a segment that is gone",
            .makeHole(located.inode, extent.offset..<extent.end)))
        return
      }
      if readData || suspects.contains(segment) { pending.append(.reading(located)) }
    }
    return live
  }

  /// Reads the pending extents, on all threads, and notes problems in the order of a single thread.
  private mutating func finish(_ pending: inout [ExtentStep], _ reading: ExtentReading) {
    let wanted = pending.compactMap { step -> ExtentRecord? in
      if case .reading(let located) = step { located.extent } else { nil }
    }
    var outcomes = threads.map(wanted) { reading.read($0) }.makeIterator()
    for step in pending {
      switch step {
      case .problem(let inode, let text, let repair): note(inode, text, repair)
      case .reading(let located):
        guard let outcome = outcomes.next() else { continue }
        report.readBytes += outcome.readBytes
        for range in outcome.damaged { noteDamage(located.inode, range) }
      }
    }
    pending = []
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
