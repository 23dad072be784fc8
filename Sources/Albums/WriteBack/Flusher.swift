// Moves chunks into the log: takes them under the lock, seals and appends them without it, and names them by extents
// under it again.

internal import Index
internal import System
internal import SystemPackage
internal import Vault

/// A chunk that is being written.
struct ChunkInFlight {
  /// Stored bytes next to written ones, up to the ends of the blocks. They are written as well, so that small writes do
  /// not leave ever smaller extents.
  struct Fill {
    var range: Range<Int>
    var plan: [StoredStretch]
  }

  let inode: Inode
  let chunk: Chunk
  /// Whether all written data is in allocated ranges of the file.
  let isAllocated: Bool
  var fills: [Fill]
  /// The written ranges, which must be stored.
  var ranges: RangeList
}

extension FileSystem {
  /// Appends chunks to the log; returns the pieces, and for each written range the index of its chunk.
  fileprivate func append(_ batch: [ChunkInFlight]) throws(VaultError) -> (pieces: [ExtentPiece], owners: [Int]) {
    var writes: [ExtentWrite] = []
    var owners: [Int] = []
    for (index, item) in batch.enumerated() {
      for range in withFills(item).ranges {
        unsafe writes.append(
          ExtentWrite(
            inode: item.inode.number, offset: item.chunk.offset(of: range.lowerBound),
            plaintext: UnsafeRawBufferPointer(item.chunk.bytes(range))))
        owners.append(index)
      }
    }
    return (try space.append(writes, for: batch.allSatisfy(\.isAllocated) ? .allocated : .data), owners)
  }

  /// Reads the fills, and returns all ranges to append. A fill that cannot be read stays where it is.
  private func withFills(_ item: ChunkInFlight) -> RangeList {
    var ranges = item.ranges
    for fill in item.fills {
      if unsafe readStored(fill.plan, into: item.chunk.bytes(fill.range)) == nil { ranges.insert(fill.range) }
    }
    return ranges
  }
}

extension Flusher {
  private static let blockSize = Chunk.blockSize

  /// The work of a thread that writes chunks.
  mutating func runFlusher() {
    while !files.life.isStopping {
      let mayWrite = !files.writeBack.logIsFull && files.refusal == nil
      let batch = mayWrite ? takeBatch(oldToo: files.writeBack.bytes > files.options.dirtyLimit / 2) : []
      if batch.isEmpty {
        files.wait(for: .flushWork)
      } else {
        writeOut(batch)
      }
    }
  }

  /// Makes all waiting data ready, and wakes the flushers.
  func makeEverythingReady() {
    files.writeBack.queueEverything()
    if files.writeBack.hasReady { files.signals[.flushWork].broadcast() }
  }

  /// Puts some chunks in flight, enough for one append.
  func takeBatch(oldToo: Bool) -> [ChunkInFlight] {
    var batch: [ChunkInFlight] = []
    var bytes = 0
    while bytes < WriteBack.batch.bytes, batch.count < WriteBack.batch.chunks,
      let (inode, chunk) = files.writeBack.takeNext(oldToo: oldToo)
    {
      bytes += chunk.ranges.count
      batch.append(
        ChunkInFlight(
          inode: inode, chunk: chunk, isAllocated: files.data.isAllocated(chunk, inode), fills: fills(of: chunk, inode),
          ranges: chunk.ranges))
    }
    return batch
  }

  /// Writes chunks and names them in the index.
  mutating func writeOut(_ batch: [ChunkInFlight]) {
    do throws(VaultError) {
      let (pieces, owners) = try files.unlocked { files throws(VaultError) in try files.append(batch) }
      complete(batch, pieces, owners)
    } catch {
      if error == .noSpace {
        files.writeBack.logIsFull = true
        files.askCleaner()
      } else {
        _ = files.failed(error)
      }
      requeue(batch)
    }
  }

  /// The gaps between written bytes and the ends of their blocks of which extents hold a part. Ranges that are
  /// allocated but not written stay so, because room is promised for writing them once.
  private func fills(of chunk: Chunk, _ inode: Inode) -> [ChunkInFlight.Fill] {
    let base = chunk.offset(of: 0).rawValue
    if let end = inode.extentsEnd, end.rawValue <= base { return [] }
    var fills: [ChunkInFlight.Fill] = []
    var missing = RangeList()
    for range in chunk.ranges.ranges {
      missing.insert(range.lowerBound / Self.blockSize * Self.blockSize..<range.lowerBound)
      let blockEnd = (range.upperBound + Self.blockSize - 1) / Self.blockSize * Self.blockSize
      let end = Int(min(Int64(blockEnd), max(Int64(range.upperBound), inode.record.size - base)))
      missing.insert(range.upperBound..<end)
    }
    for gap in missing.ranges.flatMap({ chunk.ranges.gaps(in: $0) }).flatMap({
      files.data.written($0, of: chunk, inode)
    }) {
      var plan: [StoredStretch] = []
      do throws(Errno) {
        try unsafe files.data.planStored(
          inode, base + Int64(gap.lowerBound)..<base + Int64(gap.upperBound), chunk.bytes(gap)
        ) {
          plan.append(StoredStretch(place: $0, extent: $1))
        }
      } catch {
        continue
      }
      if !plan.isEmpty { fills.append(ChunkInFlight.Fill(range: gap, plan: plan)) }
    }
    return fills
  }

  /// Names written data in the index.
  private func complete(_ batch: [ChunkInFlight], _ pieces: [ExtentPiece], _ owners: [Int]) {
    // On a full disk the row ends a file before waiting data (`storable`). No extent may lie behind that end.
    if files.refusal != nil
      || (files.writeBack.logIsFull && batch.contains { $0.inode.buffer.waits(before: $0.chunk.window) })
    {
      return requeue(batch)
    }
    do throws(Errno) {
      var growth = [Int64](repeating: 0, count: batch.count)
      try files.withSavepoint { index throws(IndexError) in
        var rest = pieces[...]
        while let first = rest.first {
          let owner = owners[first.write]
          let own = rest.prefix { owners[$0.write] == owner }
          rest = rest[own.endIndex...]
          growth[owner] += try name(own, batch[owner].inode)
        }
      }
      for piece in pieces {
        let inode = batch[owners[piece.write]].inode
        if let end = inode.extentsEnd { inode.extentsEnd = max(end, piece.offset + piece.length) }
      }
      for (item, growth) in zip(batch, growth) {
        item.inode.record.allocated += growth
        files.markChanged(item.inode)
      }
      files.data.notePromises()
    } catch {
      files.stopChanging("written data cannot be recorded in the index: \(error)")
      return requeue(batch)
    }
    for item in batch where files.writeBack.complete(item.chunk, of: item.inode) { files.signals[.flushWork].signal() }
    files.signals[.progress].broadcast()
    if files.space.unflushedBytes > files.options.flushThreshold { files.signals[.commitWork].signal() }
  }

  /// Makes extents of the pieces of a chunk, which are sorted; returns by how many bytes the file's extents grew.
  private func name(_ pieces: ArraySlice<ExtentPiece>, _ inode: Inode) throws(IndexError) -> Int64 {
    let extents = pieces.map { ExtentRecord($0) }
    let length = extents.reduce(0) { $0 + Int64($1.length) }
    if let end = inode.extentsEnd, let first = extents.first, end <= first.offset {
      for extent in extents { try files.index.extents.insertExtent(extent, of: inode.number) }
      return length
    }
    return try files.index.extents.replaceExtents(of: inode.number, with: extents).reduce(length) {
      $0 - Int64($1.length)
    }
  }

  /// Lets chunks wait again, even when nothing can ever be written any more: a program's written data is then read from
  /// memory, never as zeros.
  private func requeue(_ batch: [ChunkInFlight]) {
    if files.index.isReadOnly {
      // The index, and every file with it, went back to its last commit.
      for item in batch { _ = files.writeBack.complete(item.chunk, of: item.inode) }
    } else if files.writeBack.requeue(batch.map { ($0.inode, $0.chunk) }, pool: files.pool) {
      files.signals[.flushWork].signal()
    }
    files.signals[.progress].broadcast()
  }
}
