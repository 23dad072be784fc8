internal import Crypto
internal import Storage
internal import Synchronization
internal import System
internal import SystemPackage

/// Reads records of the log.
extension Space {
  /// Plaintext bytes per read of a file. They are few enough to stay in the processor's cache until they are opened.
  private static let bytesPerRead = 128 << 10

  /// The page size of extents: plaintext bytes that are sealed in one piece, counted from the start of the record.
  package var filePageSize: Int { keys.extents.pageSize }

  /// Reads plaintext bytes `range` of the extent record at `position`, which has `recordLength` bytes of plaintext.
  /// Safe from any thread.
  ///
  /// - Throws: `.damaged` when the record is missing or does not authenticate. The content of `buffer` is then
  ///   undefined.
  package func read(
    _ position: LogPosition, recordLength: Int, range: Range<Int>, into buffer: UnsafeMutableRawBufferPointer
  ) throws(VaultError) {
    Waiting.assertAllowed()
    if range.isEmpty { return }
    try unsafe read(from: try handle(position.segment), position, recordLength, range, into: buffer)
  }

  /// Reads plaintext bytes from a segment that is already open.
  func read(
    from handle: SegmentHandle, _ position: LogPosition, _ recordLength: Int, _ range: Range<Int>,
    into buffer: UnsafeMutableRawBufferPointer
  ) throws(VaultError) {
    precondition(range.count == buffer.count && range.upperBound <= recordLength && range.lowerBound >= 0)
    let bodyStart = position.offset + RecordHeader.sealedSize
    let format = keys.extents
    var page = range.lowerBound / format.pageSize
    let lastPage = (range.upperBound - 1) / format.pageSize
    let pooled = SealingBuffers.pool.take(SealingBuffers.capacity)
    defer { SealingBuffers.pool.give(pooled) }
    while page <= lastPage {
      let next = min(page + Self.bytesPerRead / format.pageSize, lastPage + 1)
      let plaintextEnd = min(next * format.pageSize, recordLength)
      let plaintextCount = plaintextEnd - page * format.pageSize
      let sealedStart = bodyStart + page * format.sealedPageSize
      let memory = unsafe pooled.bytes
      let sealed = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<format.bodyLength(plaintextCount)])
      let scratch = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[(memory.count - format.pageSize)...])
      try unsafe readSealed(handle, at: sealedStart, into: sealed)
      try unsafe open(
        UnsafeRawBufferPointer(sealed), of: handle, at: sealedStart, pages: page..<next, recordLength: recordLength,
        range: range, into: buffer, scratch: scratch)
      page = next
    }
  }

  private func open(
    _ sealed: UnsafeRawBufferPointer, of handle: SegmentHandle, at sealedStart: Int, pages: Range<Int>,
    recordLength: Int, range: Range<Int>, into buffer: UnsafeMutableRawBufferPointer,
    scratch: UnsafeMutableRawBufferPointer
  ) throws(VaultError) {
    let format = keys.extents
    let opened = SealingContext.with { context in
      var offset = 0
      for page in pages {
        let start = page * format.pageSize
        let count = min(format.pageSize, recordLength - start)
        let blob = unsafe UnsafeRawBufferPointer(rebasing: sealed[offset..<offset + count + CipherSuite.tagSize])
        let wanted = max(start, range.lowerBound)..<min(start + count, range.upperBound)
        let target = unsafe UnsafeMutableRawBufferPointer(
          rebasing: buffer[wanted.lowerBound - range.lowerBound..<wanted.upperBound - range.lowerBound])
        let isWhole = wanted.count == count
        let plaintext = unsafe isWhole ? target : UnsafeMutableRawBufferPointer(rebasing: scratch[..<count])
        guard
          unsafe handle.key.open(
            blob, at: UInt64(sealedStart + offset), kind: BlobKind.filePage, into: plaintext, context)
        else { return false }
        if !isWhole {
          unsafe target.copyMemory(
            from: UnsafeRawBufferPointer(
              rebasing: plaintext[wanted.lowerBound - start..<wanted.upperBound - start]))
        }
        offset += count + CipherSuite.tagSize
      }
      return true
    }
    guard opened else { throw .damaged("an extent does not authenticate") }
  }

  /// Reads and opens one blob. Its plaintext fills `plaintext`.
  func readBlob(
    _ position: LogPosition, kind: UInt8, into plaintext: UnsafeMutableRawBufferPointer
  ) throws(VaultError) {
    let handle = try handle(position.segment)
    let pooled = SealingBuffers.pool.take(plaintext.count + CipherSuite.tagSize)
    defer { SealingBuffers.pool.give(pooled) }
    let sealed = unsafe pooled.bytes(plaintext.count + CipherSuite.tagSize)
    try unsafe readSealed(handle, at: position.offset, into: sealed)
    let opened = SealingContext.with { context in
      unsafe handle.key.open(
        UnsafeRawBufferPointer(sealed), at: UInt64(position.offset), kind: kind, into: plaintext, context)
    }
    guard opened else { throw .damaged("a page does not authenticate") }
  }

  /// Reads ciphertext from the file or from the stalled writes.
  private func readSealed(
    _ handle: SegmentHandle, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) throws(VaultError) {
    if log.keepsStalled.load(ordering: .acquiring), unsafe readStalled(handle, at: offset, into: buffer) { return }
    do throws(Errno) {
      let count = try unsafe handle.reader.read(at: offset, into: buffer)
      guard count == buffer.count else { throw Errno.ioError }
    } catch {
      log.cache.remove(handle.number)
      throw .damaged("a segment is short or cannot be read")
    }
  }

  /// Copies ciphertext from the stalled writes; false when they do not contain it.
  private func readStalled(
    _ handle: SegmentHandle, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
  ) -> Bool {
    log.locked { log in
      for write in log.tail.stalled
      where write.segment.number == handle.number && offset >= write.offset
        && offset + buffer.count <= write.offset + write.bytes.count
      {
        unsafe buffer.copyBytes(from: write.bytes[offset - write.offset..<offset - write.offset + buffer.count])
        return true
      }
      return false
    }
  }
}
