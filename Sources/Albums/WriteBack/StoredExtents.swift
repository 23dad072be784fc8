// Reads extents of the log that rows name, and copies them to its end.

internal import Index
internal import System
internal import Vault

extension Space {
  /// Reads the bytes of an extent into the beginning of a buffer.
  func read(_ extent: ExtentRecord, into buffer: UnsafeMutableRawBufferPointer) throws(VaultError) {
    try unsafe read(
      extent.position, recordLength: extent.recordLength, range: extent.skip..<extent.skip + extent.length,
      into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<extent.length]))
  }

  /// Copies extents to the end of the log, and returns the replacement of each. Extents in `copies` are not copied
  /// again, so that shared bytes stay shared; its keys and extents count from offset 0. An extent that cannot be read
  /// is left out, if `unreadable` does not throw. With several threads a few extents are read and sealed at once; the
  /// log still gets them in their order.
  func copy(
    _ batch: [LocatedExtent], _ copies: inout [ExtentRecord: [ExtentRecord]], for use: RoomUse = .data,
    on threads: Parallel = .none, unreadable: (LocatedExtent, VaultError) throws(VaultError) -> Void
  ) throws(VaultError) -> [(old: LocatedExtent, new: [ExtentRecord])] {
    // Two for each thread, so that a thread that is done early has more work.
    let count = threads.threads == 1 ? 1 : 2 * threads.threads
    let memory = BufferPool([BufferPool.Size(bytes: Self.maximumExtentLength, idleLimit: count)])
    var moved: [(old: LocatedExtent, new: [ExtentRecord])] = []
    var rest = batch[...]
    while !rest.isEmpty {
      let group = Array(rest.prefix(count))
      rest = rest.dropFirst(count)
      let failures = try copy(group, memory, &copies, for: use, on: threads)
      for located in group {
        let source = located.extent.moved(to: .zero)
        if let failure = failures[source] {
          try unreadable(located, failure)
          continue
        }
        let pieces = copies[source] ?? []
        moved.append((located, pieces.map { $0.moved(to: located.extent.offset + ($0.offset - .zero)) }))
      }
    }
    return moved
  }

  /// Copies the extents of a group that were not copied yet; returns the errors of those that cannot be read.
  private func copy(
    _ group: [LocatedExtent], _ memory: BufferPool, _ copies: inout [ExtentRecord: [ExtentRecord]], for use: RoomUse,
    on threads: Parallel
  ) throws(VaultError) -> [ExtentRecord: VaultError] {
    var sources: [LocatedExtent] = []
    var seen: Set<ExtentRecord> = []
    for located in group {
      let source = located.extent.moved(to: .zero)
      if copies[source] == nil, seen.insert(source).inserted { sources.append(located) }
    }
    let found = threads.map(sources) { self.bytes(of: $0.extent, memory) }
    var failures: [ExtentRecord: VaultError] = [:]
    var written: [LocatedExtent] = []
    var writes: [ExtentWrite] = []
    for (located, outcome) in zip(sources, found) {
      switch outcome {
      case .failure(let error): failures[located.extent.moved(to: .zero)] = error
      case .success(let buffer):
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer.bytes[..<located.extent.length])
        unsafe writes.append(ExtentWrite(inode: located.inode, offset: located.extent.offset, plaintext: bytes))
        written.append(located)
      }
    }
    if writes.isEmpty { return failures }
    // The writes point into the buffers.
    let pieces = try withExtendedLifetime(found) { () throws(VaultError) -> [ExtentPiece] in
      try append(writes, for: use, on: threads)
    }
    for located in written { copies[located.extent.moved(to: .zero)] = [] }
    for piece in pieces {
      let extent = written[piece.write].extent
      copies[extent.moved(to: .zero)]?.append(
        ExtentRecord(piece).moved(to: FileOffset(piece.offset - extent.offset)))
    }
    return failures
  }

  /// The bytes of an extent.
  private func bytes(of extent: ExtentRecord, _ memory: BufferPool) -> Result<PooledBuffer, VaultError> {
    let buffer = PooledBuffer(extent.length, from: memory)
    do throws(VaultError) {
      try unsafe read(extent, into: buffer.bytes)
      return .success(buffer)
    } catch {
      return .failure(error)
    }
  }
}

extension ExtentRecord {
  /// The extent of a whole appended piece.
  init(_ piece: ExtentPiece) {
    self.init(offset: piece.offset, length: piece.length, position: piece.position, recordLength: piece.length)
  }

  fileprivate func moved(to offset: FileOffset) -> ExtentRecord {
    var extent = self
    extent.offset = offset
    return extent
  }
}
