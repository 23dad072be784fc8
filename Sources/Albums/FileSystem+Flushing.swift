// Chunks on their way into the log: taken with the lock held, sealed and appended without it, named by extents with it.

internal import Index
internal import Logging
internal import System
internal import SystemPackage
internal import Vault

/// Where a chunk waits, in a queue. The queues do not keep chunks alive: one that was written long ago would hold its memory.
struct ChunkPlace {
  let inode: Inode
  let window: Int64
  /// What waits there now, if anything does.
  var chunk: Chunk? { inode.buffer.waiting[window] }
}

/// A chunk that is being written.
struct Flight {
  /// Bytes beside what was written, up to the ends of the file system's blocks: so that small writes do not leave ever smaller extents.
  struct Fill {
    var range: Range<Int>
    var plan: [StoredStretch]
  }

  let inode: Inode
  let chunk: Chunk
  var fills: [Fill]
  /// What is written.
  var ranges: RangeList
}

extension FileSystem {
  /// Data that one append takes, in bytes and in chunks.
  private static let batch = (bytes: 1 << 20, chunks: 64)
  private static let blockSize = Chunk.blockSize

  /// The work of a thread that writes chunks.
  func runFlusher() {
    monitor.lock()
    while !life.isStopping {
      let mayWrite = !writeBack.logIsFull && refusal == nil
      let flights = mayWrite ? takeFlights(oldToo: writeBack.bytes > options.dirtyLimit / 2) : []
      if flights.isEmpty {
        signals.flushWork.wait()
      } else {
        carryOut(flights)
      }
    }
    monitor.unlock()
  }

  /// Has all data that waits written as soon as possible. Lock held.
  func makeEverythingReady() {
    queueEverything()
    if !writeBack.ready.isEmpty { signals.flushWork.broadcast() }
  }

  /// As `makeEverythingReady()`, for a caller who then writes it. Lock held.
  func queueEverything() {
    while let place = writeBack.waiting.popFirst() {
      if let chunk = place.chunk { queue(chunk) }
    }
  }

  /// Notes that a file with data that waits was closed; has such data written once it fills an append, so that a later fsync finds less to do.
  /// Lock held.
  func noteClosed(_ inode: Inode) {
    for chunk in inode.buffer.waiting.values where chunk.state == .waiting {
      writeBack.closed.append(ChunkPlace(inode: inode, window: chunk.window))
    }
    guard writeBack.closed.count >= Self.batch.chunks else { return }
    while let place = writeBack.closed.popFirst() {
      if place.inode.opens == 0, let chunk = place.chunk, chunk.state == .waiting { queue(chunk) }
    }
    if writeBack.ready.count >= Self.batch.chunks { signals.flushWork.signal() }
  }

  /// Begins the flight of some chunks. Lock held.
  func takeFlights(oldToo: Bool) -> [Flight] {
    var flights: [Flight] = []
    var bytes = 0
    while bytes < Self.batch.bytes, flights.count < Self.batch.chunks {
      let isReady = !writeBack.ready.isEmpty
      guard let place = writeBack.ready.popFirst() ?? (oldToo ? writeBack.waiting.popFirst() : nil) else { break }
      let inode = place.inode
      guard let chunk = place.chunk, chunk.state == .ready || (chunk.state == .waiting && !isReady) else { continue }
      guard inode.buffer.beginFlight(chunk) else {
        chunk.state = .blocked
        continue
      }
      chunk.state = .flying
      writeBack.waitingCount -= 1
      writeBack.inFlightCount += 1
      bytes += chunk.ranges.count
      flights.append(Flight(inode: inode, chunk: chunk, fills: fills(of: chunk, inode), ranges: chunk.ranges))
    }
    return flights
  }

  /// Writes chunks and names them in the index. Lock held before and after, not in between.
  func carryOut(_ flights: [Flight]) {
    monitor.unlock()
    var flights = flights
    for index in flights.indices { fill(&flights[index]) }
    var writes: [ExtentWrite] = []
    var owners: [Int] = []
    for (index, flight) in flights.enumerated() {
      for range in flight.ranges.ranges {
        unsafe writes.append(
          ExtentWrite(
            inode: flight.inode.number, offset: flight.chunk.offset(of: range.lowerBound),
            plaintext: UnsafeRawBufferPointer(flight.chunk.bytes(range))))
        owners.append(index)
      }
    }
    let pieces: [ExtentPiece]
    do throws(VaultError) {
      pieces = try space.append(writes)
    } catch {
      monitor.lock()
      turnBack(flights, error)
      return
    }
    monitor.lock()
    land(flights, pieces, owners)
  }

  /// What lies between written bytes and the ends of their blocks, where extents hold some of it. Lock held.
  private func fills(of chunk: Chunk, _ inode: Inode) -> [Flight.Fill] {
    let base = chunk.offset(of: 0).rawValue
    if let end = inode.extentsEnd, end.rawValue <= base { return [] }
    var fills: [Flight.Fill] = []
    var missing = RangeList()
    for range in chunk.ranges.ranges {
      missing.insert(range.lowerBound / Self.blockSize * Self.blockSize..<range.lowerBound)
      let blockEnd = (range.upperBound + Self.blockSize - 1) / Self.blockSize * Self.blockSize
      let end = Int(min(Int64(blockEnd), max(Int64(range.upperBound), inode.record.size - base)))
      missing.insert(range.upperBound..<end)
    }
    for gap in missing.ranges.flatMap({ chunk.ranges.gaps(in: $0) }) {
      var plan: [StoredStretch] = []
      do throws(Errno) {
        try unsafe planStored(inode, base + Int64(gap.lowerBound)..<base + Int64(gap.upperBound), chunk.bytes(gap)) {
          plan.append(StoredStretch(place: $0, extent: $1))
        }
      } catch {
        continue
      }
      if !plan.isEmpty { fills.append(Flight.Fill(range: gap, plan: plan)) }
    }
    return fills
  }

  /// Reads what is to be written beside the chunk's own bytes; what cannot be read stays as it is.
  private func fill(_ flight: inout Flight) {
    for fill in flight.fills {
      if unsafe carryOut(fill.plan, into: flight.chunk.bytes(fill.range)) == nil { flight.ranges.insert(fill.range) }
    }
  }

  /// Names what was written in the index. Lock held.
  private func land(_ flights: [Flight], _ pieces: [ExtentPiece], _ owners: [Int]) {
    // A row ends a file before data that waits; nothing behind it may have an extent then.
    if refusal != nil || (writeBack.logIsFull && flights.contains { $0.inode.buffer.waits(before: $0.chunk.window) }) {
      return putBack(flights)
    }
    do throws(Errno) {
      var growth = [Int64](repeating: 0, count: flights.count)
      try stored { () throws(IndexError) in
        try index.withSavepoint { () throws(IndexError) in
          var rest = pieces[...]
          while let first = rest.first {
            let owner = owners[first.write]
            let own = rest.prefix { owners[$0.write] == owner }
            rest = rest[own.endIndex...]
            growth[owner] += try name(own, flights[owner].inode)
          }
        }
      }
      for piece in pieces {
        let inode = flights[owners[piece.write]].inode
        if let end = inode.extentsEnd { inode.extentsEnd = max(end, piece.offset + piece.length) }
      }
      for (flight, growth) in zip(flights, growth) {
        flight.inode.record.allocated += growth
        markChanged(flight.inode)
      }
    } catch {
      stopChanging("written data cannot be named in the index: \(error)")
      return putBack(flights)
    }
    for flight in flights {
      endFlight(flight)
      flight.chunk.state = .gone
      writeBack.bytes -= flight.chunk.capacity
    }
    signals.progress.broadcast()
    if space.unflushedBytes > options.flushThreshold { signals.commitWork.signal() }
  }

  /// Makes extents of the pieces of a chunk, which are in order; gives by how many bytes the file's extents grew.
  private func name(_ pieces: ArraySlice<ExtentPiece>, _ inode: Inode) throws(IndexError) -> Int64 {
    let extents = pieces.map {
      ExtentRecord(offset: $0.offset, length: $0.length, position: $0.position, recordLength: $0.length)
    }
    let length = extents.reduce(0) { $0 + Int64($1.length) }
    if let end = inode.extentsEnd, let first = extents.first, end <= first.offset {
      for extent in extents { try index.insertExtent(extent, of: inode.number) }
      return length
    }
    return try index.replaceExtents(of: inode.number, with: extents).reduce(length) { $0 - Int64($1.length) }
  }

  /// What could not be appended waits again. Lock held.
  private func turnBack(_ flights: [Flight], _ error: VaultError) {
    if error == .noSpace {
      writeBack.logIsFull = true
      askCleaner()
    } else {
      _ = failed(error)
    }
    putBack(flights)
  }

  /// Puts chunks back to those that wait, also when nothing will ever be written any more: what a caller wrote is read from memory then, never
  /// as zeros. Lock held.
  private func putBack(_ flights: [Flight]) {
    var putBackInFront: [ChunkPlace] = []
    for flight in flights {
      endFlight(flight)
      let chunk = flight.chunk
      if index.isReadOnly {
        // The index, and every file with it, went back to its last commit.
        chunk.state = .gone
        writeBack.bytes -= chunk.capacity
      } else if let newer = flight.inode.buffer.waiting[chunk.window] {
        let before = newer.capacity
        newer.addOlder(chunk, pool: pool)
        chunk.state = .gone
        writeBack.bytes += newer.capacity - before - chunk.capacity
      } else {
        flight.inode.buffer.put(chunk)
        writeBack.waitingCount += 1
        chunk.state = .waiting
        putBackInFront.append(ChunkPlace(inode: flight.inode, window: chunk.window))
      }
    }
    writeBack.waiting.prepend(putBackInFront)
    signals.progress.broadcast()
  }

  private func endFlight(_ flight: Flight) {
    writeBack.inFlightCount -= 1
    flight.inode.buffer.endFlight(flight.chunk.window)
    if let newer = flight.inode.buffer.waiting[flight.chunk.window], newer.state == .blocked { makeReady(newer) }
  }
}
