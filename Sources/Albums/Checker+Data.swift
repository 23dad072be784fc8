internal import Index
internal import Vault

/// Extents, the segments they are in, and what they hold.
extension Checker {
  /// What is summed up while extents are read in order.
  private struct Sums {
    var inode: InodeNumber?
    var end = FileOffset.zero
    var allocated: Int64 = 0
    var live: [SegmentNumber: Int64] = [:]
    var unreadable: Set<SegmentNumber> = []
    var looked: Set<SegmentNumber> = []
  }

  func checkExtents(_ index: Index) throws(IndexError) {
    let segments = Set(space.segments().map(\.number))
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Space.maximumExtentLength, alignment: 4096)
    defer { unsafe buffer.deallocate() }
    var sums = Sums()
    var last: LocatedExtent?
    var withExtents: Set<InodeNumber> = []
    while true {
      let step = try index.extents(after: last, limit: Self.step)
      guard let end = step.last else { break }
      last = end
      for located in step {
        if located.inode != sums.inode {
          finish(&sums)
          sums.inode = located.inode
          withExtents.insert(located.inode)
        }
        check(located, segments, &sums)
        unsafe checkData(located, &sums, buffer)
      }
    }
    finish(&sums)
    for (number, facts) in inodes where facts.allocated != 0 && !withExtents.contains(number) {
      add("the inode should have extents and has none", number)
    }
    try compareLive(sums.live, index)
  }

  private func check(_ located: LocatedExtent, _ segments: Set<SegmentNumber>, _ sums: inout Sums) {
    let extent = located.extent
    report.extents += 1
    report.dataBytes += Int64(extent.length)
    if extent.offset < sums.end { add("extents overlap", located.inode) }
    sums.end = extent.end
    sums.allocated += Int64(extent.length)
    sums.live[extent.position.segment, default: 0] += Int64(extent.length)
    guard let facts = inodes[located.inode], UInt32(facts.kind) << 12 == FileKind.regular else {
      return add("an extent belongs to what is no file", located.inode)
    }
    if facts.links > 0 && extent.end.rawValue > facts.size { add("an extent lies beyond the end of its file", located.inode) }
    if extent.recordLength > Space.maximumExtentLength
      || extent.position.offset + extent.recordLength > space.segmentBytes
    {
      add("an extent reaches beyond its segment", located.inode)
    }
    if !segments.contains(extent.position.segment) {
      add("an extent lies in a segment that the space does not have", located.inode)
      damaged.insert(located.inode)
    }
  }

  /// Reads an extent's data; without being asked to, only one page in each segment, which tells whether it is there at all.
  private func checkData(
    _ located: LocatedExtent, _ sums: inout Sums, _ buffer: UnsafeMutableRawBufferPointer
  ) {
    let extent = located.extent
    let segment = extent.position.segment
    guard extent.length <= buffer.count, extent.skip + extent.length <= extent.recordLength else { return }
    let isFirst = sums.looked.insert(segment).inserted
    if !readsData && !isFirst {
      if sums.unreadable.contains(segment) { damaged.insert(located.inode) }
      return
    }
    let count = readsData ? extent.length : 1
    do throws(VaultError) {
      try unsafe space.read(
        extent.position, recordLength: extent.recordLength, range: extent.skip..<extent.skip + count,
        into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]))
    } catch {
      if isFirst && !readsData { sums.unreadable.insert(segment) }
      if damaged.insert(located.inode).inserted {
        add("data at offset \(extent.offset.rawValue) cannot be read: \(error)", located.inode)
      }
    }
  }

  private func finish(_ sums: inout Sums) {
    if let inode = sums.inode, let facts = inodes[inode], facts.allocated != sums.allocated {
      add("the inode counts \(facts.allocated) bytes of extents and has \(sums.allocated)", inode)
    }
    sums.end = .zero
    sums.allocated = 0
  }

  private func compareLive(_ live: [SegmentNumber: Int64], _ index: Index) throws(IndexError) {
    var left = live
    var last: SegmentNumber?
    while true {
      let step = try index.segmentLives(after: last, limit: Self.step)
      guard let end = step.last else { break }
      last = end.segment
      for row in step {
        let found = left.removeValue(forKey: row.segment) ?? 0
        if found != row.liveBytes {
          add("segment \(row.segment.rawValue) should hold \(row.liveBytes) bytes of files and holds \(found)")
        }
      }
    }
    for (segment, bytes) in left where bytes > 0 {
      add("segment \(segment.rawValue) holds \(bytes) bytes of files and is not counted")
    }
    let total = live.values.reduce(0, +)
    if total != index.totalLiveBytes { add("the index counts \(index.totalLiveBytes) bytes of files and has \(total)") }
  }
}
