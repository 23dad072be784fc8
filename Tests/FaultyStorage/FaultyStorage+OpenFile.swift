internal import Storage
internal import System
internal import SystemPackage

extension FaultyStorage {
  /// A handle on a file.
  final class OpenFile: SegmentWriter, @unchecked Sendable {
    let storage: FaultyStorage
    let identifier: SegmentIdentifier
    let file: File
    /// Bytes in the file after the last write through this handle.
    var end: Int?

    /// Call with the lock held.
    init(_ storage: FaultyStorage, _ identifier: SegmentIdentifier, _ file: File) {
      self.storage = storage
      self.identifier = identifier
      self.file = file
    }

    /// Whether the name leads to this file, and nobody else changed its size. Lock held.
    private func checkUnchanged() throws(Errno) {
      if storage.isCut { return }
      guard storage.files[identifier] === file, end == nil || end == file.content.count else { throw .changedByOthers }
    }

    func size() throws(Errno) -> Int { storage.lock.withLock { file.content.count } }

    func modified() throws(Errno) -> Int64 { storage.lock.withLock { file.modified } }

    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
      DiskAccess.assertAllowed()
      storage.lock.lock()
      defer { storage.lock.unlock() }
      if storage.isCut { throw .ioError }
      if let fault = storage.unreadable[identifier], offset + buffer.count > fault.from { throw fault.error }
      guard offset < file.content.count else { return 0 }
      let count = min(buffer.count, file.content.count - offset)
      unsafe buffer.copyBytes(from: file.content[offset..<offset + count])
      return count
    }

    func birth() throws(Errno) -> FileBirth {
      storage.lock.withLock { storage.lacking.contains(.births) ? FileBirth(seconds: 0, nanoseconds: 0) : file.birth }
    }

    func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) {
      DiskAccess.assertAllowed()
      storage.lock.lock()
      defer {
        let writing = storage.writing
        storage.lock.unlock()
        writing?()
      }
      try checkUnchanged()
      let cut = try storage.begin()
      precondition(offset <= file.content.count, "a write leaves a gap")
      let growth = max(0, offset + buffer.count - max(file.content.count, file.held))
      if growth > 0 && storage.used + growth > storage.limit { throw .noSpace }
      let count = cut ? storage.tear(buffer.count) : buffer.count
      let bytes = unsafe Array(buffer[..<count])
      // What was written once is never changed, only written again.
      let overlap = min(file.content.count - offset, count)
      precondition(
        overlap <= 0 || Array(file.content[offset..<offset + overlap]) == Array(bytes[..<overlap]),
        "an offset gets a second content")
      file.write(bytes[...], at: offset)
      end = file.content.count
      file.modified = storage.now
      storage.note(.write(identifier, offset: offset, unsafe Array(buffer)))
      try storage.end(isCut: cut)
    }

    func hold(upTo size: Int) throws(Errno) {
      storage.lock.lock()
      defer { storage.lock.unlock() }
      if storage.lacking.contains(.allocation) { throw .notSupported }
      let growth = max(0, size - max(file.content.count, file.held))
      if growth > storage.limit - storage.used {
        // As ext4 does: what is left is held, and the caller told that it was not enough.
        let size = max(file.content.count, file.held) + max(0, storage.limit - storage.used)
        file.held = max(file.held, size)
        throw .noSpace
      }
      file.held = max(file.held, size)
    }

    func releaseHold() throws(Errno) { storage.lock.withLock { file.held = 0 } }

    func startFlush(from offset: Int, count: Int) {}

    func flush() throws(Errno) {
      DiskAccess.assertAllowed()
      storage.lock.lock()
      defer { storage.lock.unlock() }
      // What is written meanwhile may be flushed or not; here it is not.
      let count = file.content.count
      try storage.waitForFlush()
      if try storage.begin() { throw .ioError }
      try checkUnchanged()
      file.flushedCount = max(file.flushedCount, count)
      storage.note(.flush(identifier))
      try storage.end()
    }

    func finish() throws(Errno) {
      storage.lock.withLock {
        file.held = 0
        file.markComplete()
      }
    }
  }
}
