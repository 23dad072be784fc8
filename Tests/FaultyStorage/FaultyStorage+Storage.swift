internal import Crypto
package import Storage
internal import System
package import SystemPackage
internal import Vault

extension FaultyStorage {
  /// Reads the parameters.
  package func readParameters(limit: Int) throws(Errno) -> [UInt8] {
    DiskAccess.assertAllowed()
    return try lock.withLock { () throws(Errno) in
      if isCut { throw .ioError }
      guard let parameters else { throw .noSuchFileOrDirectory }
      return Array(parameters.prefix(limit))
    }
  }

  /// Replaces the parameters. If the process ends there, they are the old ones or the new ones.
  package func replaceParameters(with content: [UInt8]) throws(Errno) {
    DiskAccess.assertAllowed()
    try lock.withLock { () throws(Errno) in
      let isCut = try begin()
      if content.count - (parameters?.count ?? 0) > limit - used { throw .noSpace }
      if !isCut || tear(1) == 1 { parameters = content }
      note(.parameters(content))
      try end(isCut: isCut)
    }
  }

  /// Nothing: there are no folders.
  package func prepareForWriting() {}

  /// Creates an empty file.
  package func create(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    lock.lock()
    defer { lock.unlock() }
    let cut = try begin()
    if files[identifier] != nil { throw .fileExists }
    if used + Self.roomOfFile > limit { throw .noSpace }
    let file = newFile()
    file.modified = now
    files[identifier] = file
    note(.create(identifier))
    try end(isCut: cut)
    return OpenFile(self, identifier, file)
  }

  /// Writes a whole file under another name, flushes and renames it: three operations, and two more on a host that
  /// cannot rename it without replacing another.
  package func putIfAbsent(_ identifier: SegmentIdentifier, content: UnsafeRawBufferPointer) throws(Errno) {
    DiskAccess.assertAllowed()
    lock.lock()
    defer { lock.unlock() }
    let cut = try begin()
    if files[identifier] != nil { throw .fileExists }
    if used + Self.roomOfFile + content.count > limit { throw .noSpace }
    let file = newFile()
    var bytes = [UInt8](repeating: 0xAA, count: SegmentIdentifier.size)
    bytes[1] = UInt8(truncatingIfNeeded: births)
    bytes[2] = UInt8(truncatingIfNeeded: births >> 8)
    let temporary = SegmentIdentifier(bytes: bytes)
    files[temporary] = file
    note(.create(temporary))
    file.content = unsafe Array(cut ? UnsafeRawBufferPointer(rebasing: content[..<tear(content.count)]) : content)
    note(.write(temporary, offset: 0, unsafe Array(content)))
    do throws(Errno) {
      try end(isCut: cut)
      try giveName(of: identifier, to: temporary)
    } catch {
      if !isCut { remove(temporary) }
      throw error
    }
    if try begin() { throw .ioError }
    file.nameIsFlushed = true
    note(.flushNames([identifier]))
    try end()
  }

  /// Whether a name is one that `putIfAbsent` uses before the final one; a cut may leave such a file, which nobody can
  /// tell from cover.
  package static func isTemporary(_ identifier: SegmentIdentifier) -> Bool {
    identifier.bytes.suffix(SegmentIdentifier.size - 3).allSatisfy { $0 == 0xAA }
  }

  /// Notes the files.
  package func evict(_ identifiers: [SegmentIdentifier]) {
    DiskAccess.assertAllowed()
    lock.withLock { evicted.formUnion(identifiers) }
  }

  /// Opens a file for reading.
  package func open(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader {
    DiskAccess.assertAllowed()
    lock.lock()
    defer { lock.unlock() }
    if isCut { throw .ioError }
    openCount += 1
    guard let file = files[identifier] else { throw .noSuchFileOrDirectory }
    return OpenFile(self, identifier, file)
  }

  /// Opens what a file has on the disk for certain.
  package func openPastMemory(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader {
    DiskAccess.assertAllowed()
    lock.lock()
    defer { lock.unlock() }
    if isCut { throw .ioError }
    guard let file = files[identifier] else { throw .noSuchFileOrDirectory }
    let onDisk = File(file)
    onDisk.content = file.durable
    return OpenFile(self, identifier, onDisk)
  }

  /// Whether a file is there.
  package func exists(_ identifier: SegmentIdentifier) throws(Errno) -> Bool {
    DiskAccess.assertAllowed()
    return lock.withLock { files[identifier] != nil }
  }

  /// Overwrites a file.
  package func wipe(_ identifier: SegmentIdentifier) throws(Errno) {
    DiskAccess.assertAllowed()
    lock.lock()
    defer { lock.unlock() }
    let cut = try begin()
    guard let file = files[identifier] else { return try end() }
    let bytes = Sodium.randomBytes(file.content.count)
    let count = cut ? tear(bytes.count) : bytes.count
    file.content.replaceSubrange(..<count, with: bytes[..<count])
    note(.wipe(identifier, bytes))
    try end(isCut: cut)
  }

  /// Deletes a file.
  package func delete(_ identifier: SegmentIdentifier) throws(Errno) {
    lock.lock()
    defer { lock.unlock() }
    let cut = try begin()
    if failingDeletions > 0 {
      failingDeletions -= 1
      throw .ioError
    }
    if let file = files.removeValue(forKey: identifier) {
      deletionCount += 1
      if file.nameIsFlushed { deleted[identifier] = file }
    }
    note(.delete(identifier))
    if othersTakeRoom { limit = min(limit, used) }
    try end(isCut: cut)
  }

  /// Lists all files.
  package func list(
    _ body: (_ identifier: SegmentIdentifier, _ size: Int, _ modified: Int64) -> Void,
    unlisted: (_ path: String, _ error: Errno) -> Void
  ) throws(Errno) {
    DiskAccess.assertAllowed()
    let listings = lock.withLock {
      sorted(files).map { name, file in (name, file.content.count, file.modified, unlistable[name]) }
    }
    var failure: Errno?
    for (name, size, modified, error) in listings {
      guard let error else {
        body(name, size, modified)
        continue
      }
      unlisted(name.path, error)
      guard error.isDamageOfMedium else { throw error }
      failure = failure ?? error
    }
    if let failure { throw failure }
  }

  /// Takes a lease.
  package func lease(_ token: LeaseToken, exclusive: Bool) throws(Errno) -> any Lease {
    if exclusive, isReadOnly { throw .readOnlyFileSystem }
    if lacks(.locks) { throw .noLocks }
    let (lease, refusal) = lock.withLock {
      if isHeld(token, exclusive: exclusive) { return (nil as HeldLease?, self.refusal) }
      let lease = HeldLease(self, token)
      leases[ObjectIdentifier(lease)] = (token, exclusive, false)
      return (lease, nil)
    }
    if let lease { return lease }
    refusal?()
    throw .wouldBlock
  }

  /// Whether somebody but `own` keeps a lease from one who wants it. Lock held.
  private func isHeld(_ token: LeaseToken, exclusive: Bool, but own: ObjectIdentifier? = nil) -> Bool {
    leases.contains { $0.key != own && $0.value.token == token && (exclusive || $0.value.isExclusive) }
  }

  /// Whether the end of a lease was announced.
  package func leaseEndIsAnnounced(_ token: LeaseToken) -> Bool {
    lock.withLock { leases.values.contains { $0.token == token && $0.isEnding } }
  }

  /// A lease; that of a process that was killed is none.
  final class HeldLease: Lease {
    private let storage: FaultyStorage
    private let token: LeaseToken

    init(_ storage: FaultyStorage, _ token: LeaseToken) { (self.storage, self.token) = (storage, token) }

    deinit { storage.lock.withLock { _ = storage.leases.removeValue(forKey: ObjectIdentifier(self)) } }

    func announceEnd() { storage.lock.withLock { storage.leases[ObjectIdentifier(self)]?.isEnding = true } }

    func change(exclusive: Bool) throws(Errno) {
      try storage.lock.withLock { () throws(Errno) in
        let own = ObjectIdentifier(self)
        if storage.leases[own] == nil || storage.isHeld(token, exclusive: exclusive, but: own) { throw .wouldBlock }
        if exclusive, storage.isReadOnly { throw .readOnlyFileSystem }
        storage.leases[own]?.isExclusive = exclusive
      }
    }
  }

  /// Opens a short file to be filled.
  package func openToFill(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    DiskAccess.assertAllowed()
    lock.lock()
    defer { lock.unlock() }
    _ = try begin()
    guard let file = files[identifier] else { throw .noSuchFileOrDirectory }
    try end()
    return OpenFile(self, identifier, file)
  }

  /// Makes names durable.
  package func flushNames(of identifiers: [SegmentIdentifier]) throws(Errno) {
    DiskAccess.assertAllowed()
    lock.lock()
    defer { lock.unlock() }
    if try begin() { throw .ioError }
    for identifier in identifiers {
      files[identifier]?.nameIsFlushed = true
      deleted[identifier] = nil
    }
    note(.flushNames(identifiers))
    try end()
  }

  /// Makes everything durable.
  package func flushAll() throws(Errno) {
    DiskAccess.assertAllowed()
    lock.lock()
    defer { lock.unlock() }
    try waitForFlush()
    if try begin() { throw .ioError }
    for (name, file) in files {
      if file.flushedCount < file.content.count { note(.flush(name)) }
      file.flushedCount = file.content.count
      file.nameIsFlushed = true
    }
    note(.flushNames(Array(files.keys) + Array(deleted.keys)))
    deleted.removeAll()
    try end()
  }

  /// How many of `count` bytes a write that is torn now leaves. Lock held.
  func tear(_ count: Int) -> Int {
    var generator = SeededGenerator(seed: UInt64(operations))
    return Int.random(in: 0...count, using: &generator)
  }

  /// Room.
  package func capacity() -> StorageCapacity {
    lock.withLock {
      let total = limit == .max ? 1 << 40 : limit
      return StorageCapacity(total: Int64(total), free: claimedRoom ?? Int64(max(0, total - used)))
    }
  }

  /// Begins to hold room.
  package func holdRoom() throws(Errno) -> any HeldRoom {
    if lacks(.unnamedFiles) { throw .notSupported }
    return Reserve(self)
  }

  /// Room that is held for no file.
  private final class Reserve: HeldRoom, @unchecked Sendable {
    let storage: FaultyStorage
    var size = 0

    init(_ storage: FaultyStorage) { self.storage = storage }

    deinit { storage.lock.withLock { storage.reserved -= size } }

    func resize(to size: Int) throws(Errno) {
      try storage.lock.withLock { () throws(Errno) in
        if storage.lacking.contains(.allocation) { throw .notSupported }
        if size > self.size, size - self.size > storage.limit - storage.used { throw .noSpace }
        storage.reserved += size - self.size
        self.size = size
      }
    }
  }
}
