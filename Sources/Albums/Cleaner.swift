// Gives dead segments up and copies sparse ones forward, in the background and in small steps.
//
// Invariants
// 1. An extent is pointed at its copy only if it still is what was copied; otherwise the copy is garbage.
// 2. What is found dead here is given up by the next commit (Committer.swift), which looks again.

internal import Index
internal import Logging
internal import System
internal import SystemPackage
internal import Vault

extension FileSystem {
  /// Segments, extents and pages that are looked at in one step with the lock held.
  private static let step = 256
  private static let extentStep = 32
  private static let vacuumStep = 32
  /// Segments that one round copies forward.
  private static let roundSegments = 16
  /// Time between two rounds, and between two epochs that are begun for cleaning only, in nanoseconds.
  private static let roundInterval: UInt64 = 30_000_000_000
  /// Time between two rounds while the disk is full.
  private static let shortInterval: UInt64 = 1_000_000_000
  private static let epochInterval: UInt64 = 3600_000_000_000
  /// Retired segments that are worth an epoch.
  private static let retiredWorth = 16
  /// Retired segments that are worth two epochs on a full disk: more than the heads of these take themselves.
  private static let retiredWorthWhenShort = 4

  /// The work of the thread that cleans.
  func runCleaner() {
    guard options.cleans else { return }
    var lastRound = monotonicTime()
    var lastEpoch = lastRound
    // When to look even if nothing is committed.
    var due: UInt64?
    var hasCompletedAbandoned = false
    monitor.lock()
    while !isStopping, refusal == nil {
      if let due {
        cleanWork.wait(until: due)
      } else {
        cleanerWaitsForCommit = true
        cleanWork.wait()
        cleanerWaitsForCommit = false
      }
      if !isStopping, !hasCompletedAbandoned {
        // Once, in a mount that writes.
        hasCompletedAbandoned = true
        monitor.unlock()
        space.completeAbandonedSegments()
        monitor.lock()
      }
      let now = monotonicTime()
      let isShort = space.isShortOfRoom
      roomIsShort = isShort
      let next = lastRound + (isShort ? Self.shortInterval : Self.roundInterval)
      guard !isStopping, now >= next else {
        due = next
        continue
      }
      due = nil
      lastRound = now
      monitor.unlock()
      do throws(Errno) {
        // What was dead but not flushed yet is found by another look.
        if try clean(), isShort { due = now + Self.shortInterval }
        let isDue = isShort || now >= lastEpoch + Self.epochInterval
        if isDue, space.retiredSegments >= (isShort ? Self.retiredWorthWhenShort : Self.retiredWorth) {
          lastEpoch = now
          // What died in an epoch can go when two heads came after it.
          try beginEpochs(isShort ? 2 : 1)
        }
      } catch {
        options.logger.warning("cleaning failed: \(error)")
      }
      monitor.lock()
    }
    monitor.unlock()
  }

  /// Has the cleaner look soon, since somebody is refused for want of room; gives the error that says so. Lock held.
  func shortage() -> Errno {
    roomIsShort = true
    cleanWork.signal()
    return .noSpace
  }

  /// Begins epochs, so that what died before them can go. Call without the lock.
  func beginEpochs(_ count: Int) throws(Errno) {
    for _ in 0..<count {
      do throws(VaultError) {
        try space.advanceEpoch()
      } catch {
        monitor.lock()
        defer { monitor.unlock() }
        throw failed(error)
      }
    }
  }

  /// One round: gives up what is dead, copies forward what is sparse if there is too much garbage; true when it found something. Call
  /// without the lock.
  @discardableResult
  func clean() throws(Errno) -> Bool {
    let segments = space.segments().filter { !$0.isOpen }
    var sparse: [(segment: SegmentState, live: Int64)] = []
    var dead: [SegmentNumber] = []
    var next = 0
    while next < segments.count {
      let part = segments[next..<min(next + Self.step, segments.count)]
      next = part.endIndex
      try locked { () throws(Errno) in
        for segment in part {
          let extents = try stored { () throws(IndexError) in try index.liveBytes(in: segment.number) }
          let live = extents + Int64(segment.databasePages * Space.databasePageSize)
          if live == 0 { dead.append(segment.number) } else { sparse.append((segment, live)) }
        }
      }
    }
    var victims: [SegmentState] = []
    do throws(Errno) {
      for victim in chooseVictims(sparse, dead: dead.count) {
        try copyForward(victim)
        victims.append(victim)
      }
    } catch {
      // On a full disk what is dead goes first.
      guard error == .noSpace else { throw error }
    }
    try vacuum()
    guard !dead.isEmpty || !victims.isEmpty else { return false }
    // The first commit makes the copies count, the second gives up what was copied.
    try locked { () throws(Errno) in
      retirable += dead
      try stored { () throws(IndexError) in try index.requireCommit() }
      try commit()
      if victims.isEmpty { return }
      retirable += victims.map(\.number)
      try stored { () throws(IndexError) in try index.requireCommit() }
      try commit()
    }
    try forget(dead)
    return true
  }

  private func locked<Result>(_ body: () throws(Errno) -> Result) throws(Errno) -> Result {
    monitor.lock()
    defer { monitor.unlock() }
    if let refusal { throw refusal }
    return try body()
  }

  /// The sparsest segments, if the store is larger than its bound: live ÷ (1 − share), and what is pinned.
  private func chooseVictims(_ sparse: [(segment: SegmentState, live: Int64)], dead: Int) -> [SegmentState] {
    let size = Int64(space.segmentBytes)
    let live = sparse.reduce(0) { $0 + $1.live }
    // The slack keeps a small store from being copied again and again; a full disk has none to give.
    let slack = space.isShortOfRoom ? size : 4 * size
    let bound = Int64(Double(live) / (1 - options.garbageShare)) + slack
    let excess = (Int64(sparse.count) * size - bound) / size
    guard excess > 0 else { return [] }
    let limit = Int64(Double(size) * (1 - options.garbageShare))
    let worthwhile = sparse.filter { $0.live < limit }.sorted { $0.live < $1.live }
    return worthwhile.prefix(Self.roundSegments).map(\.segment)
  }

  /// Copies what is live in a segment to the end of the log.
  private func copyForward(_ segment: SegmentState) throws(Errno) {
    space.rewritePagesAtNextCommit(space.databasePages(in: segment.number))
    var last: LocatedExtent?
    while true {
      let batch = try locked { () throws(Errno) in
        let batch = try stored { () throws(IndexError) in
          try index.extents(in: segment.number, after: last, limit: Self.extentStep)
        }
        movesUnderway += 1
        return batch
      }
      defer {
        monitor.lock()
        movesUnderway -= 1
        monitor.unlock()
      }
      guard !batch.isEmpty else { return }
      last = batch.last
      for (extents, pieces) in try copies(of: batch) {
        try locked { () throws(Errno) in
          for extent in extents {
            _ = try stored { () throws(IndexError) in
              try index.replaceExtent(
                extent.extent, of: extent.inode, with: pieces.map { $0.moved(to: extent.extent.offset) })
            }
          }
          noteChange()
        }
      }
    }
  }

  /// Extents that share the same bytes, with where these are now: offsets count from the extent's start.
  private func copies(
    of batch: [LocatedExtent]
  ) throws(Errno) -> [(extents: [LocatedExtent], pieces: [ExtentRecord])] {
    struct Source: Hashable {
      let position: LogPosition
      let skip: Int
      let length: Int
    }
    let groups = Dictionary(grouping: batch) {
      Source(position: $0.extent.position, skip: $0.extent.skip, length: $0.extent.length)
    }
    var copies: [(extents: [LocatedExtent], pieces: [ExtentRecord])] = []
    for (source, extents) in groups {
      guard let first = extents.first else { continue }
      let block = pool.take(source.length)
      defer { pool.give(block) }
      let memory = unsafe block.bytes(source.length)
      do throws(VaultError) {
        try unsafe space.read(
          source.position, recordLength: first.extent.recordLength, range: source.skip..<source.skip + source.length,
          into: memory)
      } catch {
        // What cannot be read stays where it is, for somebody with a backup.
        logDamage(first.inode, first.extent.offset)
        continue
      }
      let write = unsafe ExtentWrite(
        inode: first.inode, offset: first.extent.offset, plaintext: UnsafeRawBufferPointer(memory))
      let pieces: [ExtentPiece]
      do throws(VaultError) {
        pieces = try space.append([write])
      } catch {
        monitor.lock()
        defer { monitor.unlock() }
        throw failed(error)
      }
      let records = pieces.map {
        ExtentRecord(
          offset: FileOffset($0.offset - first.extent.offset), length: $0.length, position: $0.position,
          recordLength: $0.length)
      }
      copies.append((extents, records))
    }
    return copies
  }

  /// Makes the database smaller when a good part of it is empty.
  private func vacuum() throws(Errno) {
    while true {
      let goesOn = try locked { () throws(Errno) in
        while isCommitting { progress.wait() }
        if isStopping { return false }
        return try stored { () throws(IndexError) in
          let free = try index.freePages()
          guard free > 256, free > Int(space.databasePageCount) / 4 else { return false }
          try index.incrementalVacuum(pages: Self.vacuumStep)
          return true
        }
      }
      if !goesOn { return }
      monitor.lock()
      noteChange()
      monitor.unlock()
    }
  }

  /// Removes the counts of segments that were given up.
  private func forget(_ dead: [SegmentNumber]) throws(Errno) {
    let left = Set(space.segments().map(\.number))
    try locked { () throws(Errno) in
      for segment in dead where !left.contains(segment) {
        try stored { () throws(IndexError) in try index.forgetSegment(segment) }
      }
      noteChange()
    }
  }
}

extension ExtentRecord {
  fileprivate func moved(to start: FileOffset) -> ExtentRecord {
    var extent = self
    extent.offset = FileOffset(rawValue: start.rawValue + offset.rawValue)
    return extent
  }
}
