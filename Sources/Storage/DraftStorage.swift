internal import Synchronization
package import SystemPackage

/// Segment files in memory, in which a space is created before any of its files is written. It has no parameters, and
/// keeps everything as long as it exists.
package final class DraftStorage: Storage {
  private let files = Mutex<[SegmentIdentifier: MemoryFile]>([:])

  /// An empty storage.
  package init() {}

  /// The bytes of every file.
  package var contents: [SegmentIdentifier: [UInt8]] { files.withLock { $0 }.mapValues(\.content) }

  /// False, because files in memory can be written.
  package var isReadOnly: Bool { false }

  /// Nil, because a crash leaves no file of a draft.
  package var machineStarted: Int64? { nil }

  /// Throws `.noSuchFileOrDirectory`, because a draft has no parameters.
  package func readParameters(limit: Int) throws(Errno) -> [UInt8] { throw .noSuchFileOrDirectory }

  /// Throws `.notSupported`, because a draft has no parameters.
  package func replaceParameters(with content: [UInt8]) throws(Errno) { throw .notSupported }

  /// Does nothing: a crash leaves nothing in memory.
  package func prepareForWriting() {}

  /// Creates an empty file.
  package func create(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    try files.withLock { files throws(Errno) in
      if files[identifier] != nil { throw .fileExists }
      let file = MemoryFile()
      files[identifier] = file
      return file
    }
  }

  /// Writes a whole file.
  package func putIfAbsent(_ identifier: SegmentIdentifier, content: UnsafeRawBufferPointer) throws(Errno) {
    try unsafe create(identifier).write(content, at: 0)
  }

  /// Opens a file.
  package func open(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader { try file(identifier) }

  /// Whether a file of this name exists.
  package func exists(_ identifier: SegmentIdentifier) throws(Errno) -> Bool {
    files.withLock { $0[identifier] != nil }
  }

  /// Does nothing: no byte is on a medium.
  package func wipe(_ identifier: SegmentIdentifier) throws(Errno) {}

  /// Deletes a file.
  package func delete(_ identifier: SegmentIdentifier) throws(Errno) {
    files.withLock { _ = $0.removeValue(forKey: identifier) }
  }

  /// Calls `body` for every file.
  package func list(
    _ body: (_ identifier: SegmentIdentifier, _ size: Int, _ modified: Int64) -> Void,
    unlisted: (_ path: String, _ error: Errno) -> Void
  ) throws(Errno) {
    for (identifier, content) in contents { body(identifier, content.count, Int64(DirectoryStorage.completeTime)) }
  }

  /// Returns a lease that excludes nothing, because no other process sees the draft.
  package func lease(_ token: LeaseToken, exclusive: Bool) throws(Errno) -> any Lease { MemoryLease() }

  /// False, because leases of a draft exclude nothing.
  package func leaseEndIsAnnounced(_ token: LeaseToken) -> Bool { false }

  /// Opens a file to continue writing it.
  package func openToFill(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter { try file(identifier) }

  /// Does nothing: memory is never durable.
  package func flushNames(of identifiers: [SegmentIdentifier]) throws(Errno) {}

  /// Does nothing: memory is never durable.
  package func flushAll() throws(Errno) {}

  /// Throws `.notSupported`, because room in memory cannot be held.
  package func holdRoom() throws(Errno) -> any HeldRoom { throw .notSupported }

  /// 2^50 bytes, more than any draft needs.
  package func capacity() -> StorageCapacity { StorageCapacity(total: 1 << 50, free: 1 << 50) }

  private func file(_ identifier: SegmentIdentifier) throws(Errno) -> MemoryFile {
    guard let file = files.withLock({ $0[identifier] }) else { throw .noSuchFileOrDirectory }
    return file
  }
}

private final class MemoryLease: Lease {
  func announceEnd() {}
  func change(exclusive: Bool) throws(Errno) {}
}

private final class MemoryFile: SegmentWriter {
  private let bytes = Mutex<[UInt8]>([])

  var content: [UInt8] { bytes.withLock { $0 } }

  func size() throws(Errno) -> Int { bytes.withLock { $0.count } }

  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
    bytes.withLock { bytes in
      let part = bytes.dropFirst(offset).prefix(buffer.count)
      unsafe buffer.copyBytes(from: part)
      return part.count
    }
  }

  func modified() throws(Errno) -> Int64 { Int64(DirectoryStorage.completeTime) }

  func birth() throws(Errno) -> FileBirth { FileBirth(seconds: 0, nanoseconds: 0) }

  func write(_ buffer: UnsafeRawBufferPointer, at offset: Int) throws(Errno) {
    bytes.withLock { bytes in
      // Bytes are written front to back. After an error the last ones are written again.
      precondition(offset <= bytes.count)
      bytes.removeLast(bytes.count - offset)
      unsafe bytes.append(contentsOf: buffer)
    }
  }

  func hold(upTo size: Int) throws(Errno) { throw .notSupported }
  func releaseHold() throws(Errno) {}
  func startFlush(from offset: Int, count: Int) {}
  func flush() throws(Errno) {}
  func finish() throws(Errno) {}
}
