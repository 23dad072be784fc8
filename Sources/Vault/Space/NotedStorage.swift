// Invariants
// 1. Until `stopNoting` every file that is opened, made or overwritten is noted before that, so that `evictUsed` misses
//    none.

package import Storage
internal import Synchronization
package import SystemPackage

/// The storage of a command that opens a space and mounts nothing, or of a mount until it is ready: afterwards the host's
/// memory need not show which files it used.
package final class NotedStorage: Storage {
  private struct Used {
    var all: Set<SegmentIdentifier> = []
    /// In the order of first use: the same work does the same in the same order.
    var order: [SegmentIdentifier] = []
  }

  private let storage: any Storage
  /// Nil when nothing is noted any more.
  private let used = Mutex<Used?>(Used())

  /// Notes what is done in another storage.
  package init(_ storage: any Storage) { self.storage = storage }

  /// Takes all files that were used out of the host's memory.
  package func evictUsed() { storage.evict(used.withLock { $0?.order ?? [] }) }

  /// Forgets what was used, and notes nothing from now on.
  package func stopNoting() { used.withLock { $0 = nil } }

  private func note(_ identifier: SegmentIdentifier) {
    used.withLock { used in
      if used?.all.insert(identifier).inserted == true { used?.order.append(identifier) }
    }
  }

  /// As the other storage.
  package var isReadOnly: Bool { storage.isReadOnly }

  /// As the other storage.
  package var machineStarted: Int64? { storage.machineStarted }

  /// As the other storage.
  package func readParameters(limit: Int) throws(Errno) -> [UInt8] { try storage.readParameters(limit: limit) }

  /// As the other storage.
  package func replaceParameters(with content: [UInt8]) throws(Errno) {
    try storage.replaceParameters(with: content)
  }

  /// As the other storage.
  package func prepareForWriting() { storage.prepareForWriting() }

  /// As the other storage.
  package var hasInterruptedRefresh: Bool { storage.hasInterruptedRefresh }

  /// As the other storage.
  package func removeInterruptedRefresh() { storage.removeInterruptedRefresh() }

  /// Notes the file.
  package func create(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    note(identifier)
    return try storage.create(identifier)
  }

  /// Notes the file.
  package func putIfAbsent(_ identifier: SegmentIdentifier, content: UnsafeRawBufferPointer) throws(Errno) {
    note(identifier)
    try unsafe storage.putIfAbsent(identifier, content: content)
  }

  /// Notes the file.
  package func open(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader {
    note(identifier)
    return try storage.open(identifier)
  }

  /// Notes the file: not every host can read past its memory.
  package func openPastMemory(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader {
    note(identifier)
    return try storage.openPastMemory(identifier)
  }

  /// As the other storage.
  package func exists(_ identifier: SegmentIdentifier) throws(Errno) -> Bool { try storage.exists(identifier) }

  /// Notes the file.
  package func wipe(_ identifier: SegmentIdentifier) throws(Errno) {
    note(identifier)
    try storage.wipe(identifier)
  }

  /// As the other storage.
  package func delete(_ identifier: SegmentIdentifier) throws(Errno) { try storage.delete(identifier) }

  /// As the other storage.
  package func list(
    _ body: (_ identifier: SegmentIdentifier, _ size: Int, _ modified: Int64) -> Void
  ) throws(Errno) {
    try storage.list(body)
  }

  /// As the other storage.
  package func lease(_ token: LeaseToken, exclusive: Bool) throws(Errno) -> any Lease {
    try storage.lease(token, exclusive: exclusive)
  }

  /// As the other storage.
  package func leaseEndIsAnnounced(_ token: LeaseToken) -> Bool { storage.leaseEndIsAnnounced(token) }

  /// Notes the file.
  package func openToFill(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    note(identifier)
    return try storage.openToFill(identifier)
  }

  /// As the other storage.
  package func flushNames(of identifiers: [SegmentIdentifier]) throws(Errno) {
    try storage.flushNames(of: identifiers)
  }

  /// As the other storage.
  package func flushAll() throws(Errno) { try storage.flushAll() }

  /// As the other storage.
  package func evict(_ identifiers: [SegmentIdentifier]) { storage.evict(identifiers) }

  /// As the other storage.
  package func holdRoom() throws(Errno) -> any HeldRoom { try storage.holdRoom() }

  /// As the other storage.
  package func capacity() -> StorageCapacity { storage.capacity() }
}
