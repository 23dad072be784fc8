// Written data that is not in the log yet: where it waits, and its size.
//
// Invariants
// 1. A chunk that waits is in its inode's `WriteBuffer`; the queues only name places where one may wait.
// 2. `bytes` is the memory of all chunks that wait or are in flight: at most `dirtyLimit`, and one write more.
// 3. `waitingCount` and `inFlightCount` count chunks, independent of the queues.
// 4. Only this type changes the state of a chunk. A chunk waits (`waiting`, `ready` or `blocked`), then is in flight,
//    then is gone. One that could not be written waits again.

internal import System

/// A place in a queue where a chunk may wait. It does not keep the chunk alive, because the chunk's memory may be
/// needed.
struct ChunkPlace {
  let inode: Inode
  let window: Int64
  /// The chunk that waits there now; nil if there is none.
  var chunk: Chunk? { inode.buffer.waiting[window] }
}

/// All data that is not in the log yet, under the file system's lock. `WriteBuffer` has the chunks of one file.
struct WriteBack {
  /// The most data of one append, in bytes and in chunks.
  static let batch = (bytes: 1 << 20, chunks: 64)

  /// Chunks to write as soon as possible.
  private var ready = Queue<ChunkPlace>()
  /// Chunks to write when they are old enough.
  private var waiting = Queue<ChunkPlace>()
  /// Chunks of closed files, which will probably get no more data.
  private var closed = Queue<ChunkPlace>()
  /// Memory of the chunks that wait or are in flight.
  private(set) var bytes = 0
  /// Chunks that wait, in any state.
  private(set) var waitingCount = 0
  /// Chunks in flight, of all inodes.
  private(set) var inFlightCount = 0
  /// Whether the last attempt to write data found no room.
  var logIsFull = false
  /// Bytes of allocated ranges that were not written when the log was last informed.
  var promised: Int64 = 0

  /// Whether a chunk should be written as soon as possible.
  var hasReady: Bool { !ready.isEmpty }

  // MARK: Waiting

  /// Puts bytes into the chunks of a file, at an offset of it; true when one of them became ready.
  mutating func put(
    _ bytes: UnsafeRawBufferPointer, at offset: Int64, in inode: Inode, pool: BufferPool
  ) -> Bool {
    let range = offset..<offset + Int64(bytes.count)
    guard let windows = WriteWindow.indices(of: range) else { return false }
    var isReady = false
    for window in windows {
      let part = WriteWindow.part(of: range, in: window)
      let first = Int(window * Int64(WriteWindow.size) + Int64(part.lowerBound) - range.lowerBound)
      let source = unsafe UnsafeRawBufferPointer(rebasing: bytes[first..<first + part.count])
      if let chunk = inode.buffer.waiting[window] {
        let before = chunk.capacity
        unsafe chunk.write(part, from: source, pool: pool)
        self.bytes += chunk.capacity - before
        if chunk.isFull, queue(chunk) { isReady = true }
      } else {
        let chunk = Chunk(window: window, owner: inode)
        unsafe chunk.write(part, from: source, pool: pool)
        if put(chunk, in: inode) { isReady = true }
      }
    }
    return isReady
  }

  /// Puts a new chunk in its place; true when it is ready because it is full.
  mutating func put(_ chunk: Chunk, in inode: Inode) -> Bool {
    chunk.owner = inode
    if let old = inode.buffer.put(chunk) { drop(old) }
    bytes += chunk.capacity
    waitingCount += 1
    chunk.state = .waiting
    if chunk.isFull { return queue(chunk) }
    waiting.append(ChunkPlace(inode: inode, window: chunk.window))
    return false
  }

  /// Makes a chunk ready; false when it is already ready, or does not wait.
  @discardableResult
  mutating func queue(_ chunk: Chunk) -> Bool {
    guard let inode = chunk.owner, chunk.state == .waiting || chunk.state == .blocked else { return false }
    chunk.state = .ready
    ready.append(ChunkPlace(inode: inode, window: chunk.window))
    return true
  }

  /// Makes all chunks ready that wait for their time.
  mutating func queueEverything() {
    while let place = waiting.popFirst() {
      if let chunk = place.chunk { queue(chunk) }
    }
  }

  /// Notes that a file with waiting data was closed. Such data is made ready once it fills an append, so that a later
  /// fsync finds less to do. Returns true when it does.
  mutating func noteClosed(_ inode: Inode) -> Bool {
    for chunk in inode.buffer.waiting.values where chunk.state == .waiting {
      closed.append(ChunkPlace(inode: inode, window: chunk.window))
    }
    guard closed.count >= Self.batch.chunks else { return false }
    while let place = closed.popFirst() {
      if place.inode.opens == 0, let chunk = place.chunk, chunk.state == .waiting { queue(chunk) }
    }
    return ready.count >= Self.batch.chunks
  }

  /// Drops waiting data in a range of a file.
  mutating func discard(_ range: Range<Int64>, of inode: Inode) {
    for chunk in inode.buffer.discard(range) { drop(chunk) }
  }

  /// Drops all waiting data of a file that is forgotten.
  mutating func discardAll(of inode: Inode) {
    for chunk in inode.buffer.waiting.values { drop(chunk) }
  }

  private mutating func drop(_ chunk: Chunk) {
    guard chunk.state != .gone, chunk.state != .inFlight else { return }
    chunk.state = .gone
    waitingCount -= 1
    bytes -= chunk.capacity
  }

  // MARK: In flight

  /// Puts the next chunk in flight: one that is ready, or with `oldToo` one that waits for its time.
  mutating func takeNext(oldToo: Bool) -> (inode: Inode, chunk: Chunk)? {
    while true {
      let isReady = hasReady
      guard let place = ready.popFirst() ?? (oldToo ? waiting.popFirst() : nil) else { return nil }
      guard let chunk = place.chunk, chunk.state == .ready || (chunk.state == .waiting && !isReady) else { continue }
      guard place.inode.buffer.beginFlight(chunk) else {
        chunk.state = .blocked
        continue
      }
      chunk.state = .inFlight
      waitingCount -= 1
      inFlightCount += 1
      return (place.inode, chunk)
    }
  }

  /// Notes that the index names the data of a chunk in flight; true when another chunk of its window became ready.
  mutating func complete(_ chunk: Chunk, of inode: Inode) -> Bool {
    let isReady = endFlight(chunk, of: inode)
    chunk.state = .gone
    bytes -= chunk.capacity
    return isReady
  }

  /// Puts chunks in flight back in front of those that wait; true when others of their windows became ready. Chunks of
  /// an inode that is being deleted are dropped.
  mutating func requeue(_ chunks: [(inode: Inode, chunk: Chunk)], pool: BufferPool) -> Bool {
    var isReady = false
    var first: [ChunkPlace] = []
    for (inode, chunk) in chunks {
      if inode.deletion.isPending {
        _ = complete(chunk, of: inode)
        continue
      }
      if endFlight(chunk, of: inode) { isReady = true }
      if let newer = inode.buffer.waiting[chunk.window] {
        let before = newer.capacity
        newer.addOlder(chunk, pool: pool)
        chunk.state = .gone
        bytes += newer.capacity - before - chunk.capacity
      } else {
        inode.buffer.put(chunk)
        waitingCount += 1
        chunk.state = .waiting
        first.append(ChunkPlace(inode: inode, window: chunk.window))
      }
    }
    waiting.prepend(first)
    return isReady
  }

  private mutating func endFlight(_ chunk: Chunk, of inode: Inode) -> Bool {
    inFlightCount -= 1
    inode.buffer.endFlight(chunk.window)
    guard let newer = inode.buffer.waiting[chunk.window], newer.state == .blocked else { return false }
    return queue(newer)
  }
}
