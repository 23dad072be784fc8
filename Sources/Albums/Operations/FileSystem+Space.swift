// lseek for data and holes, copy_file_range.

internal import Index
internal import System
package import SystemPackage
package import Vault

extension FileSystem {
  /// `lseek` for data and holes in blocks of `seekBlock` bytes: a block that holds a byte of data is data. The end of
  /// the file counts as a hole.
  ///
  /// - Throws: `ENXIO` at or past the end, and when no data follows.
  package func seek(_ inode: InodeNumber, from offset: FileOffset, to target: SeekTarget) throws(Errno) -> FileOffset {
    try reading { files throws(Errno) in
      let inode = try files.regularFile(inode)
      let size = inode.record.size
      guard offset >= .zero, offset.rawValue < size else { throw .noSuchAddressOrDevice }
      var place = offset.rawValue / Self.seekBlock * Self.seekBlock
      switch target {
      case .data:
        guard let data = try files.data.nextData(inode, from: place), data < size else { throw .noSuchAddressOrDevice }
        place = data / Self.seekBlock * Self.seekBlock
      case .hole:
        while place < size, let data = try files.data.nextData(inode, from: place), data < place + Self.seekBlock {
          place = (try files.data.endOfData(inode, at: data) + Self.seekBlock - 1) / Self.seekBlock * Self.seekBlock
        }
      }
      return FileOffset(rawValue: min(max(place, offset.rawValue), size))
    }
  }

  /// The unit of `seek`. Programs measure it, and treat holes shorter than a usual block as an error.
  private static let seekBlock: Int64 = 4096

  /// Copies within the space by sharing stored data; may copy fewer bytes than requested.
  ///
  /// - Throws: `EINVAL` when source and target overlap in one file; `EISDIR`, `EFBIG`, `ENOSPC`, `EROFS`.
  package func copyRange(
    from source: InodeNumber, at sourceOffset: FileOffset, to target: InodeNumber, at targetOffset: FileOffset,
    length: Int64
  ) throws(Errno) -> Int {
    guard sourceOffset >= .zero, targetOffset >= .zero, length >= 0 else { throw .invalidArgument }
    let length = min(length, Int64(Int32.max))
    guard targetOffset.rawValue <= Self.maximumFileSize - length else { throw .fileTooLarge }
    return try changing { files throws(ChangeError) in
      let from = sourceOffset.rawValue..<min(sourceOffset.rawValue, Int64.max - length) + length
      let onto = targetOffset.rawValue..<targetOffset.rawValue + length
      if source == target, from.overlaps(onto) { throw .failed(.invalidArgument) }
      let (origin, copy) = try files.data.storedFiles(source, from, target, onto)
      let count = max(0, min(length, origin.record.size - from.lowerBound))
      if count == 0 { return 0 }
      try files.requireRoom()
      return Int(try ChangeError.result(of: files.data.share(origin, from.lowerBound, copy, onto, count)))
    }
  }
}

extension FileData {
  /// The most extents that one call of `copyRange` shares.
  private static let sharedExtents = 1024

  /// The first byte of data at or after a place.
  fileprivate func nextData(_ inode: Inode, from place: Int64) throws(Errno) -> Int64? {
    let stored = try files.result(
      of: files.index.extents.nextDataOffset(of: inode.number, from: FileOffset(rawValue: place)))
    let waiting = inode.buffer.nextRange(endingAfter: place).map { max($0.lowerBound, place) }
    return [stored?.rawValue, waiting].compactMap { $0 }.min()
  }

  /// The end of the data that begins at or before `place`, which holds data. More data may follow directly.
  fileprivate func endOfData(_ inode: Inode, at place: Int64) throws(Errno) -> Int64 {
    let stored = try files.result(
      of: files.index.extents.nextHoleOffset(of: inode.number, from: FileOffset(rawValue: place)))
    guard let waiting = inode.buffer.nextRange(endingAfter: place), waiting.lowerBound <= place else {
      return stored.rawValue
    }
    return max(stored.rawValue, waiting.upperBound)
  }

  /// Both files, once all data that was written to the two ranges is in the log. Waits only at the start.
  fileprivate mutating func storedFiles(
    _ source: InodeNumber, _ from: Range<Int64>, _ target: InodeNumber, _ onto: Range<Int64>
  ) throws(ChangeError) -> (Inode, Inode) {
    while true {
      do throws(Errno) { try files.waitToChange() } catch { throw .failed(error) }
      let origin = try ChangeError.result(of: files.regularFile(source))
      let copy = try ChangeError.result(of: files.regularFile(target))
      let touched = [(origin, from), (copy, onto)].filter { $0.0.buffer.touches($0.1) }
      if touched.isEmpty { return (origin, copy) }
      if files.writeBack.logIsFull { throw .waits(.room) }
      for (inode, _) in touched {
        for chunk in inode.buffer.waiting.values where files.writeBack.queue(chunk) {
          files.signals[.flushWork].signal()
        }
      }
      let batch = files.flusher.takeBatch(oldToo: false)
      if batch.isEmpty { files.wait(for: .progress) } else { files.flusher.writeOut(batch) }
    }
  }

  /// Lets `copy` share the extents of `origin` from `start` on, at the beginning of `onto`; returns the number of
  /// bytes.
  fileprivate func share(
    _ origin: Inode, _ start: Int64, _ copy: Inode, _ onto: Range<Int64>, _ count: Int64
  ) throws(Errno) -> Int64 {
    if onto.upperBound > copy.record.size { try removeDataBeyondEnd(of: copy) }
    try files.changeSink.noteContentChange(of: copy, .range, files)
    let target = onto.lowerBound
    let from = FileOffset(rawValue: start)..<FileOffset(rawValue: start + count)
    var done = count
    var growth: Int64 = 0
    try files.withIndex { index throws(IndexError) in
      let found = try index.extents.rows(of: origin.number, overlapping: from, limit: Self.sharedExtents)
      if found.count == Self.sharedExtents, let last = found.last { done = min(count, last.end.rawValue - start) }
      try index.withSavepoint { () throws(IndexError) in
        growth -= try removeExtents(of: copy, in: target..<target + done)
        for extent in found {
          guard var shared = extent.clamped(to: from), !shared.isUnwritten else { continue }
          shared.offset = FileOffset(rawValue: shared.offset.rawValue - start + target)
          try index.extents.insertExtent(shared, of: copy.number)
          growth += Int64(shared.length)
        }
      }
    }
    copy.extentsEnd = copy.extentsEnd.map { max($0, FileOffset(rawValue: target + done)) }
    copy.record.allocated += growth
    copy.record.size = max(copy.record.size, target + done)
    files.touch(copy, .now())
    return done
  }
}
