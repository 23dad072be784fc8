// Invariants
// 1. Until `stopNoting`, every file is noted before it is opened, created or overwritten, so that `evictUsed` misses
//    none.

package import Storage
internal import Synchronization
package import SystemPackage

/// The storage of a command that opens a space without mounting it, or of a mount until it is ready. Afterwards the
/// host's memory need not show which files were used.
package final class NotedStorage: Storage {
  private struct Used {
    var all: Set<SegmentIdentifier> = []
    /// In the order of first use, which is the same whenever the same work is done.
    var order: [SegmentIdentifier] = []
  }

  private let storage: any Storage
  /// Nil after `stopNoting`.
  private let used = Mutex<Used?>(Used())

  /// Notes the files that are used in another storage.
  package init(_ storage: any Storage) { self.storage = storage }

  /// Takes all files that were used out of the host's memory.
  package func evictUsed() { storage.evict(used.withLock { $0?.order ?? [] }) }

  /// Forgets the used files, and notes nothing from now on.
  package func stopNoting() { used.withLock { $0 = nil } }

  private func note(_ identifier: SegmentIdentifier) {
    used.withLock { used in
      if used?.all.insert(identifier).inserted == true { used?.order.append(identifier) }
    }
  }

  /// Whether the other storage is read-only.
  package var isReadOnly: Bool { storage.isReadOnly }

  /// When the machine of the other storage was started.
  package var machineStarted: Int64? { storage.machineStarted }

  /// Reads the parameters from the other storage.
  package func readParameters(limit: Int) throws(Errno) -> [UInt8] { try storage.readParameters(limit: limit) }

  /// Replaces the parameters in the other storage.
  package func replaceParameters(with content: [UInt8]) throws(Errno) {
    try storage.replaceParameters(with: content)
  }

  /// Prepares the other storage for writing.
  package func prepareForWriting() { storage.prepareForWriting() }

  /// Whether the other storage has an interrupted refresh.
  package var hasInterruptedRefresh: Bool { storage.hasInterruptedRefresh }

  /// Removes an interrupted refresh from the other storage.
  package func removeInterruptedRefresh() { storage.removeInterruptedRefresh() }

  /// Notes the file and creates it.
  package func create(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    note(identifier)
    return try storage.create(identifier)
  }

  /// Notes the file and writes it.
  package func putIfAbsent(_ identifier: SegmentIdentifier, content: UnsafeRawBufferPointer) throws(Errno) {
    note(identifier)
    try unsafe storage.putIfAbsent(identifier, content: content)
  }

  /// Notes the file and opens it.
  package func open(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader {
    note(identifier)
    return try storage.open(identifier)
  }

  /// Notes the file and opens it. The note is needed because some hosts cannot read past their memory.
  package func openPastMemory(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader {
    note(identifier)
    return try storage.openPastMemory(identifier)
  }

  /// Whether the other storage has the file.
  package func exists(_ identifier: SegmentIdentifier) throws(Errno) -> Bool { try storage.exists(identifier) }

  /// Notes the file and overwrites it.
  package func wipe(_ identifier: SegmentIdentifier) throws(Errno) {
    note(identifier)
    try storage.wipe(identifier)
  }

  /// Deletes the file in the other storage.
  package func delete(_ identifier: SegmentIdentifier) throws(Errno) { try storage.delete(identifier) }

  /// Lists the files of the other storage.
  package func list(
    _ body: (_ identifier: SegmentIdentifier, _ size: Int, _ modified: Int64) -> Void,
    unlisted: (_ path: String, _ error: Errno) -> Void
  ) throws(Errno) {
    try storage.list(body, unlisted: unlisted)
  }

  /// Takes a lease in the other storage.
  package func lease(_ token: LeaseToken, exclusive: Bool) throws(Errno) -> any Lease {
    try storage.lease(token, exclusive: exclusive)
  }

  /// Whether the holder of a lease in the other storage has announced its end.
  package func leaseEndIsAnnounced(_ token: LeaseToken) -> Bool { storage.leaseEndIsAnnounced(token) }

  /// Notes the file and opens it for filling.
  package func openToFill(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    note(identifier)
    return try storage.openToFill(identifier)
  }

  /// Flushes names in the other storage.
  package func flushNames(of identifiers: [SegmentIdentifier]) throws(Errno) {
    try storage.flushNames(of: identifiers)
  }

  /// Flushes the other storage.
  package func flushAll() throws(Errno) { try storage.flushAll() }

  /// Takes files of the other storage out of the host's memory.
  package func evict(_ identifiers: [SegmentIdentifier]) { storage.evict(identifiers) }

  /// Holds room in the other storage.
  package func holdRoom() throws(Errno) -> any HeldRoom { try storage.holdRoom() }

  /// The capacity of the other storage.
  package func capacity() -> StorageCapacity { storage.capacity() }
}
