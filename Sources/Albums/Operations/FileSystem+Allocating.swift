// fallocate: ranges of files for which room is held until they are written.
//
// Invariants
// 1. An unwritten extent stands for each byte that is allocated and neither written nor shared. The log holds room for
//    all of them (`Space.promise`) before the operation that adds them ends.
// 2. Room is promised for writing each byte once: the written data takes the place of the unwritten extent. Writing it
//    again needs new room, as everywhere in a log.
// 3. Waiting data is admitted either as data or as written into allocated ranges. In the second case its ranges stay
//    allocated until extents name it, or until the waiting data is discarded.

internal import Index
internal import System
package import SystemPackage
package import Vault

extension FileSystem {
  /// `fallocate`: allocates whole blocks of 4096 bytes, makes a hole, or makes a range read as zeros and allocates it.
  ///
  /// - Throws: `EOPNOTSUPP` for modes that are not offered, and for allocating if the storage cannot hold room;
  ///   `EINVAL`, `EFBIG`; `ENOSPC` when the range could not be written later.
  package func allocate(
    _ inode: InodeNumber, mode: AllocationMode, offset: FileOffset, length: Int64
  ) throws(Errno) {
    guard offset >= .zero, length > 0 else { throw .invalidArgument }
    let keepsSize = mode.contains(.keepSize)
    let kind = mode.subtracting(.keepSize)
    guard kind.isEmpty || kind == .zeroRange || (kind == .punchHole && keepsSize) else { throw .notSupported }
    let (end, overflows) = offset.rawValue.addingReportingOverflow(length)
    guard !overflows, end <= Self.maximumFileSize else { throw .fileTooLarge }
    let range = offset.rawValue..<end
    try changing { files throws(ChangeError) in
      try files.data.allocate(range, of: inode, kind, keepsSize: keepsSize)
    }
  }
}

extension FileData {
  /// More than fits on any disk.
  private static let longestAllocation: Int64 = 1 << 50

  /// Like `FileSystem.allocate`; `kind` is the mode without `.keepSize`.
  fileprivate mutating func allocate(
    _ range: Range<Int64>, of number: InodeNumber, _ kind: AllocationMode, keepsSize: Bool
  ) throws(ChangeError) {
    let inode: Inode
    do throws(Errno) { inode = try files.settledFile(number, in: range) } catch { throw .failed(error) }
    let grows = !keepsSize && range.upperBound > inode.record.size
    let changesContent = grows || !kind.isEmpty
    if changesContent { try ChangeError.result(of: files.changeSink.noteContentChange(of: inode, .range, files)) }
    if kind == .punchHole {
      try ChangeError.result(of: removeData(inode, range))
    } else {
      try allocate(range, clearing: kind == .zeroRange, in: inode)
    }
    let now = Timestamp.now()
    if grows { inode.record.size = range.upperBound }
    if changesContent { inode.record.modified = now }
    inode.record.changed = now
    files.markChanged(inode)
  }

  /// Allocates the blocks that a range touches, all or nothing. With `isCleared` it first removes the data in the
  /// range.
  private func allocate(_ range: Range<Int64>, clearing isCleared: Bool, in inode: Inode) throws(ChangeError) {
    let size = Int64(Chunk.blockSize)
    let end = (range.upperBound + size - 1) / size * size
    guard end <= FileSystem.maximumFileSize else { throw .failed(.fileTooLarge) }
    guard Int64(range.count) <= Self.longestAllocation else { throw .failed(.noSpace) }
    if end > inode.record.size { try ChangeError.result(of: removeDataBeyondEnd(of: inode)) }
    let blocks = FileOffset(rawValue: range.lowerBound / size * size)..<FileOffset(rawValue: end)
    let growth = try files.index.withSavepoint { () throws(ChangeError) in
      let change = try ChangeError.result(of: nameBlocks(blocks, clearing: isCleared ? range : nil, in: inode))
      try promise(files.index.extents.unwrittenBytes)
      return change
    }
    inode.record.allocated += growth
    inode.extentsEnd = inode.extentsEnd.map { max($0, blocks.upperBound) }
    if isCleared { files.writeBack.discard(range, of: inode) }
    files.signals[.progress].broadcast()
  }

  /// Adds unwritten extents, after removing the data in `range`; returns by how many bytes the file grew.
  private func nameBlocks(
    _ blocks: Range<FileOffset>, clearing range: Range<Int64>?, in inode: Inode
  ) throws(Errno) -> Int64 {
    try files.withIndex { index throws(IndexError) in
      let removed = if let range { try removeExtents(of: inode, in: range) } else { Int64(0) }
      return try index.extents.allocate(blocks, of: inode.number) - removed
    }
  }

  /// Asks the log to hold room for `bytes` that are allocated but not written.
  private func promise(_ bytes: Int64) throws(ChangeError) {
    do throws(PromiseFailure) {
      try files.space.promise(bytes, waiting: Int64(files.writeBack.bytes))
      files.writeBack.promised = bytes
    } catch .cannotHold {
      throw .failed(.notSupported)
    } catch {
      throw .waits(.room)
    }
  }

  /// Asks the log to hold the room that was promised before.
  func renewPromises() {
    files.writeBack.promised = files.index.extents.unwrittenBytes
    if files.writeBack.promised > 0 { files.space.renewPromises(files.writeBack.promised) }
  }

  /// Informs the log when the number of promised bytes that are not written yet has changed.
  func notePromises() {
    guard files.index.extents.unwrittenBytes != files.writeBack.promised else { return }
    files.writeBack.promised = files.index.extents.unwrittenBytes
    files.space.notePromised(files.writeBack.promised)
  }

  /// - Throws: `ENOSPC` when there is no room to write a range of a file, or the event to wait for.
  func requireRoom(for range: Range<Int64>, of inode: Inode) throws(ChangeError) {
    var request = RoomRequest(Int64(range.count), waiting: Int64(files.writeBack.bytes))
    request.growth = range.upperBound - max(range.lowerBound, inode.record.size)
    request.live = files.index.totalLiveBytes
    request.isDeleting = !files.inodes.pendingDeletion.isEmpty
    try files.require(files.space.answer(to: request) { isAllocated(range, of: inode) })
  }

  /// Whether all of a range is allocated and not on its way into the log, so that writing it takes only promised room.
  private func isAllocated(_ range: Range<Int64>, of inode: Inode) -> Bool {
    guard let windows = WriteWindow.indices(of: range) else { return false }
    return windows.allSatisfy { window in
      let part = WriteWindow.part(of: range, in: window)
      guard var allocated = unwritten(in: part, of: window, inode) else { return false }
      for taken in inode.buffer.inFlight[window]?.ranges.ranges ?? [] { allocated.remove(taken) }
      return allocated.gaps(in: part).isEmpty
    }
  }

  /// Whether all written bytes of a chunk are in allocated ranges.
  func isAllocated(_ chunk: Chunk, _ inode: Inode) -> Bool {
    chunk.ranges.ranges.allSatisfy { unwritten(in: $0, of: chunk.window, inode)?.gaps(in: $0).isEmpty ?? false }
  }

  /// The parts of a gap between written bytes that touch these bytes and have no allocated byte.
  func written(_ gap: Range<Int>, of chunk: Chunk, _ inode: Inode) -> [Range<Int>] {
    guard let allocated = unwritten(in: gap, of: chunk.window, inode) else { return [] }
    if allocated.isEmpty { return [gap] }
    return allocated.gaps(in: gap).filter { !chunk.ranges.parts(in: $0.lowerBound - 1..<$0.upperBound + 1).isEmpty }
  }

  /// Bytes that wait or are in flight, except those in allocated ranges, which count already.
  func unallocatedBytes(_ inode: Inode) -> Int64 {
    let all = inode.buffer.byteCount
    guard all > 0, files.index.extents.unwrittenBytes > 0 else { return all }
    return inode.buffer.chunks.reduce(all) { rest, chunk in
      chunk.ranges.ranges.reduce(rest) { $0 - Int64(unwritten(in: $1, of: chunk.window, inode)?.count ?? 0) }
    }
  }

  /// The ranges in a part of a window that are allocated but not written; nil if the index cannot be read.
  private func unwritten(in part: Range<Int>, of window: Int64, _ inode: Inode) -> RangeList? {
    var list = RangeList()
    let start = FileOffset(rawValue: window * Int64(WriteWindow.size))
    let range = start + part.lowerBound..<start + part.upperBound
    guard let found = try? files.index.extents.unwritten(in: range, of: inode.number) else { return nil }
    for part in found { list.insert(part.lowerBound - start..<part.upperBound - start) }
    return list
  }
}
