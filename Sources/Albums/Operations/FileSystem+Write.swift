// Writes put data into chunks (WriteBuffer.swift), which are written out when they are full, old, or synced
// (Flusher.swift).

internal import Index
internal import System
package import SystemPackage
package import Vault

extension FileSystem {
  /// Largest file, in bytes.
  static let maximumFileSize = Space.maximumFileSize

  /// Writes all bytes of the buffer at `offset` and returns their number.
  ///
  /// - Throws: `ENOSPC`, `EFBIG`, `EROFS`, `EISDIR`.
  package func write(
    _ number: InodeNumber, at offset: FileOffset, from buffer: UnsafeRawBufferPointer
  ) throws(Errno) -> Int {
    guard offset >= .zero else { throw .invalidArgument }
    if unsafe buffer.isEmpty { return 0 }
    guard offset.rawValue <= Self.maximumFileSize - Int64(buffer.count) else { throw .fileTooLarge }
    let range = offset.rawValue..<offset.rawValue + Int64(buffer.count)
    let whole = unsafe wholeWindow(range, buffer)
    try changing { files throws(ChangeError) in try unsafe files.data.write(number, range, buffer, whole) }
    return buffer.count
  }

  /// The usual large write fills one window. It is copied before the lock is taken.
  private func wholeWindow(_ range: Range<Int64>, _ buffer: UnsafeRawBufferPointer) -> Chunk? {
    let size = Int64(WriteWindow.size)
    guard buffer.count == WriteWindow.size, range.lowerBound % size == 0 else { return nil }
    let chunk = Chunk(window: range.lowerBound / size, owner: nil)
    unsafe chunk.write(0..<WriteWindow.size, from: buffer, pool: pool)
    return chunk
  }
}

extension FileData {
  /// Writes a range; `whole` already has the bytes if they fill a window.
  @inline(__always)
  fileprivate mutating func write(
    _ number: InodeNumber, _ range: Range<Int64>, _ buffer: UnsafeRawBufferPointer, _ whole: Chunk?
  ) throws(ChangeError) {
    let inode = try writableFile(number, count: buffer.count)
    try requireRoom(for: range, of: inode)
    do throws(Errno) { try unsafe write(to: inode, range, buffer, whole) } catch { throw .failed(error) }
  }

  /// Writes to a file for which there is room.
  @inline(__always)
  private func write(
    to inode: Inode, _ range: Range<Int64>, _ buffer: UnsafeRawBufferPointer, _ whole: Chunk?
  ) throws(Errno) {
    if range.upperBound > inode.record.size { try removeDataBeyondEnd(of: inode) }
    try unsafe files.changeSink.noteWrite(to: inode, at: range.lowerBound, buffer, files)
    if let whole {
      if files.writeBack.put(whole, in: inode) { files.signals[.flushWork].signal() }
    } else {
      unsafe put(buffer, at: range.lowerBound, in: inode)
    }
    let now = Timestamp.now()
    inode.record.size = max(inode.record.size, range.upperBound)
    inode.record.modified = now
    inode.record.changed = now
    files.intents.note(inode, range)
    files.inodes.noteStale(inode)
    if files.writeBack.bytes > files.options.dirtyLimit / 2 { files.signals[.flushWork].signal() }
  }

  /// Puts bytes into the chunks of a file, at an offset of it.
  func put(_ bytes: UnsafeRawBufferPointer, at offset: Int64, in inode: Inode) {
    if unsafe files.writeBack.put(bytes, at: offset, in: inode, pool: files.pool) { files.signals[.flushWork].signal() }
  }

  /// The file, once there is memory for `count` more bytes. Waits only at the start.
  private mutating func writableFile(_ number: InodeNumber, count: Int) throws(ChangeError) -> Inode {
    while files.writeBack.bytes > 0, files.writeBack.bytes + count > files.options.dirtyLimit {
      if files.writeBack.logIsFull { throw .waits(.room) }
      // The flushers take data that is not ready only when there is much of it.
      if files.writeBack.bytes <= files.options.dirtyLimit / 2 { files.flusher.makeEverythingReady() }
      files.signals[.flushWork].broadcast()
      files.wait(for: .progress)
      do throws(Errno) { try files.waitToChange() } catch { throw .failed(error) }
    }
    return try ChangeError.result(of: files.regularFile(number))
  }

  /// Truncates or extends a file, and returns it. Waits before it changes anything.
  ///
  /// - Throws: `EINVAL`, `EFBIG`, `EISDIR`, `EROFS`.
  mutating func resize(_ number: InodeNumber, to size: Int64) throws(Errno) -> Inode {
    guard size >= 0 else { throw .invalidArgument }
    guard size <= FileSystem.maximumFileSize else { throw .fileTooLarge }
    let rest = size..<Int64.max
    let inode = try files.settledFile(number, in: rest)
    if size != inode.record.size { try files.changeSink.noteContentChange(of: inode, .size, files) }
    if size <= inode.record.size { try removeData(inode, rest) } else { try removeDataBeyondEnd(of: inode) }
    inode.record.size = size
    inode.noteCut(to: size)
    files.touch(inode, .now())
    return inode
  }

  /// Removes data behind the end of a file that is about to grow. A crash on a full disk leaves such data: the row
  /// ended the file before data that found no room, and data behind that already had an extent. Ranges that are only
  /// allocated stay.
  func removeDataBeyondEnd(of inode: Inode) throws(Errno) {
    guard inode.extentsEnd == nil else { return }
    let end = FileOffset(rawValue: inode.record.size)
    let rest = end..<FileOffset(rawValue: .max)
    let (next, unwritten) = try files.withIndex { index throws(IndexError) in
      (
        try index.extents.nextDataOffset(of: inode.number, from: end),
        try index.extents.unwritten(in: rest, of: inode.number)
      )
    }
    if next != nil {
      let starts = [end] + unwritten.map(\.upperBound)
      let ends = unwritten.map(\.lowerBound) + [rest.upperBound]
      for (start, end) in zip(starts, ends) { try removeStored(inode, start.rawValue..<end.rawValue) }
    }
    inode.extentsEnd = unwritten.last?.upperBound ?? end
  }

  /// Makes a hole of a range that has nothing in flight.
  func removeData(_ inode: Inode, _ range: Range<Int64>) throws(Errno) {
    let start = FileOffset(rawValue: range.lowerBound)
    if inode.extentsEnd.map({ $0 > start }) ?? true {
      try removeStored(inode, range)
      if range.upperBound == .max { inode.extentsEnd = inode.extentsEnd.map { min($0, start) } ?? start }
    }
    files.writeBack.discard(range, of: inode)
    files.signals[.progress].broadcast()
  }

  /// Removes the extents in a range.
  private func removeStored(_ inode: Inode, _ range: Range<Int64>) throws(Errno) {
    if range.isEmpty { return }
    inode.record.allocated -= try files.withSavepoint { index throws(IndexError) in
      try removeExtents(of: inode, in: range)
    }
  }

  /// Removes the extents in a range, in a savepoint of the caller; returns the number of bytes.
  func removeExtents(of inode: Inode, in range: Range<Int64>) throws(IndexError) -> Int64 {
    let wanted = FileOffset(rawValue: range.lowerBound)..<FileOffset(rawValue: range.upperBound)
    var removed: Int64 = 0
    let step = 1024
    while true {
      let pieces = try files.index.extents.removeExtents(of: inode.number, in: wanted, limit: step)
      removed += pieces.reduce(0) { $0 + Int64($1.length) }
      if pieces.count < step { return removed }
    }
  }
}
