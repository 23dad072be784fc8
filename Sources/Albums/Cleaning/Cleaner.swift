// Gives up dead segments and copies sparse ones forward, in the background and in small steps.
//
// Invariants
// 1. An extent is pointed at its copy only if it did not change since it was copied. Otherwise the copy is garbage.
// 2. The next commit gives up the segments that are found dead here. It checks again that they are dead
//    (Committer.swift).

internal import Index
internal import Logging
internal import System
package import SystemPackage
internal import Vault

/// Finds the dead segments in a file system's log, and copies live data out of others.
package struct Cleaner: Sendable {
  let fileSystem: FileSystem
  var space: Space { fileSystem.space }
  /// How many extents and pages one step under the lock handles.
  private static let extentStep = 32
  private static let vacuumStep = 32
  /// How many segments one round copies forward.
  private static let roundSegments = 16
  /// Time between two rounds, in nanoseconds.
  private static let roundInterval: UInt64 = 30_000_000_000
  /// Time between two rounds when there is little room and no caller waits for it, in nanoseconds: four times the
  /// duration of the last round, within these bounds. So a program that rewrites much data seldom has to wait for room.
  private static let tightInterval: ClosedRange<UInt64> = 250_000_000...1_000_000_000
  /// Time between two epochs that are begun only for cleaning, in nanoseconds.
  private static let epochInterval: UInt64 = 3600_000_000_000
  /// How long a reader waits for deletions and for a look, in nanoseconds. `info` waits longer than this for the
  /// answer.
  private static let longestLook: UInt64 = 1_000_000_000
  /// The fewest retired segments that justify an epoch.
  private static let retiredWorth = 16
  /// The fewest retired segments that justify two epochs on a full disk. It must exceed the segments of their heads.
  private static let retiredWorthWhenTight = 3

  /// The work of the thread that cleans.
  func run() {
    var lastRound = monotonicTime()
    var lastEpoch = lastRound
    // When to look again even without a commit.
    var due: UInt64?
    var tightInterval = Self.tightInterval.lowerBound
    // The number of commits that had ended when the last round began.
    var seen = fileSystem.locked { $0.commits.ended }
    var failureIsKnown = false
    // Done at once, or when no other space is mounted any more.
    var hasCompletedShortFiles = space.completeShortFiles()
    while fileSystem.locked({ $0.waitForCleaning(due, seen: seen) }) {
      let (wasAsked, wasWanted) = fileSystem.locked { ($0.cleaning.isAsked, $0.cleaning.isLookWanted) }
      if !hasCompletedShortFiles, !wasAsked, !wasWanted { hasCompletedShortFiles = space.completeShortFiles() }
      let now = monotonicTime()
      var isTight = wasAsked || space.roomState < .ample
      let next = lastRound + (isTight ? tightInterval : Self.roundInterval)
      let isRoundDue = wasAsked || now >= next
      guard isRoundDue || wasWanted else {
        due = next
        continue
      }
      // Frequent looks must not make rounds more frequent.
      due = isRoundDue ? nil : next
      if isRoundDue { lastRound = now }
      let (isAsked, isLook) = fileSystem.locked { files in
        seen = files.commits.ended
        return files.cleaning.beginRound()
      }
      if isAsked { isTight = true }
      let before = space.bytesWithoutNewData
      do throws(Errno) {
        // Another look finds segments that were dead but not flushed yet.
        let found = try clean(isAsked: isAsked, isTight: isTight, copies: isRoundDue || isAsked)
        if found, isTight { due = now + tightInterval }
        if isLook, !isTight, space.segmentsWithoutDate >= Self.retiredWorth {
          lastEpoch = now
          try beginEpochs(1)
        }
        let isDue = isTight || now >= lastEpoch + Self.epochInterval
        let worth = isTight ? Self.retiredWorthWhenTight : Self.retiredWorth
        if isDue, space.segmentsFreedByTwoEpochs >= worth {
          lastEpoch = now
          // A segment that died in an epoch can be deleted when two heads have followed.
          try beginEpochs(isTight ? 2 : 1)
        }
        failureIsKnown = false
      } catch {
        // Log it once, not every second while the disk is full.
        if !failureIsKnown { fileSystem.options.logger.warning("cleaning failed: \(error)") }
        failureIsKnown = true
        due = now + tightInterval
      }
      let took = monotonicTime() - now
      tightInterval = min(max(4 * took, Self.tightInterval.lowerBound), Self.tightInterval.upperBound)
      let gain = before - space.bytesWithoutNewData
      fileSystem.locked { files in
        files.cleaning.endRound(gained: gain >= Int64(space.segmentBytes / 2))
        files.writeBack.logIsFull = false
        files.signals[.progress].broadcast()
      }
    }
    fileSystem.locked { files in
      files.cleaning.end()
      files.signals[.progress].broadcast()
    }
  }

  /// Writes all changes into the index, and states the retired segments in a head if there are many. So a program that
  /// reads the vault next to the mount sees the current state, and until when deleted data is kept.
  ///
  /// - Throws: as `synchronize`.
  package func writeForReaders() throws(Errno) {
    let deadline = monotonicTime() + Self.longestLook
    fileSystem.locked { $0.reaper.waitForReaper(until: deadline) }
    try fileSystem.synchronize(intoIndex: true)
    // A space that owns cover gives no room back.
    if !space.ownsCover { fileSystem.locked { $0.waitForLook(until: deadline) } }
  }

  /// Begins epochs, so that segments that died before them can be deleted.
  func beginEpochs(_ count: Int) throws(Errno) {
    for _ in 0..<count { try fileSystem.result(of: space.advanceEpoch()) }
  }

  /// One round: gives up dead segments, and copies sparse ones forward if there is too much garbage; true when it found
  /// something.
  ///
  /// - Parameters:
  ///   - isAsked: a caller waits for room, so the round copies enough to gain that room.
  ///   - isTight: waits until deleted files are dead, because no commit may follow that deletion.
  ///   - copies: false only finds dead segments.
  ///   - movesPreviousKey: copies segments under the previous key before all others.
  ///   - note: called after each segment with the number of copied segments.
  @discardableResult
  func clean(
    isAsked: Bool = false, isTight: Bool = false, copies: Bool = true, movesPreviousKey: Bool = false,
    note: (Int) -> Void = { _ in }
  ) throws(Errno) -> Bool {
    if isAsked || isTight { fileSystem.locked { $0.reaper.waitForReaper() } }
    if isAsked { try fileSystem.syncLog() }
    var sparse: [Sparse] = []
    var dead: [SegmentNumber] = []
    for segment in space.segments() where !segment.isOpen {
      let extents = try lockedToClean { files throws(Errno) in
        try files.result(of: files.index.liveBytes(in: segment.number))
      }
      let live = extents + Int64(segment.databasePages * Space.databasePageSize)
      if live == 0 { dead.append(segment.number) } else { sparse.append((segment.number, live)) }
    }
    var copied: [SegmentNumber] = []
    var pages: Set<PageNumber> = []
    do throws(Errno) {
      let unmovable = fileSystem.locked { $0.cleaning.unmovable }
      let old = sparse.filter {
        movesPreviousKey && space.isUnderPreviousKey($0.segment) && !unmovable.contains($0.segment)
      }
      let victims =
        !copies
        ? [] : isAsked ? chooseForRoom(sparse, dead: dead.count) : old.isEmpty ? chooseVictims(sparse) : thatFit(old)
      for victim in victims {
        if fileSystem.locked({ $0.life.isStopping }) { break }
        // During re-keying no other process uses the space. Otherwise its mount needs the processors and the memory
        // more.
        try copyForward(victim.segment, on: movesPreviousKey ? .usual : .none)
        copied.append(victim.segment)
        note(copied.count)
        pages.formUnion(space.databasePages(in: victim.segment))
      }
    } catch {
      // On a full disk, dead segments are given up first.
      guard error == .noSpace else { throw error }
    }
    if copies { try vacuum() }
    guard !dead.isEmpty || !copied.isEmpty else { return false }
    // The commit that stores the copies in the index also gives up the copied segments.
    try lockedToClean { files throws(Errno) in
      files.cleaning.noteDead(dead + copied, moving: pages)
      do throws(Errno) {
        try files.committer.commit()
      } catch {
        // Data that still waits for room does not delay this.
        if error != .noSpace || files.cleaning.hasWorkForCommit { throw error }
      }
    }
    try forget(dead)
    return true
  }

  /// A segment, and the bytes in it that are needed.
  private typealias Sparse = (segment: SegmentNumber, live: Int64)

  /// - Throws: `EROFS` when nothing may be changed.
  private func lockedToClean<Result>(
    _ body: (inout LockedFileSystem) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    try fileSystem.locked { files throws(Errno) in
      if let refusal = files.refusal { throw refusal }
      return try body(&files)
    }
  }

  /// The sparsest segments, enough to gain a 32nd of the store together with the dead ones, but only those that can be
  /// copied before something is deleted. None if the gain is not worth the epochs that must follow. Copying more at
  /// once would copy data that is soon dead.
  private func chooseForRoom(_ sparse: [Sparse], dead: Int) -> [Sparse] {
    let size = Int64(space.segmentBytes)
    let enough = max(Int64(Self.roundSegments), Int64(sparse.count + dead) / 32) * size
    var room = space.roomForCleaning
    var gain = Int64(dead) * size
    let victims = sparse.sorted { $0.live < $1.live }.prefix { victim in
      // Copies take a little more: headers, and the unused rest at the end of a segment.
      room -= victim.live + victim.live / 32
      guard gain < enough, room >= 0, victim.live < size * 15 / 16 else { return false }
      gain += size - victim.live
      return true
    }
    return gain >= Int64(Self.retiredWorthWhenTight) * size ? Array(victims) : []
  }

  /// The first segments that can be copied in one round and before something is deleted.
  private func thatFit(_ segments: [Sparse]) -> [Sparse] {
    var room = space.roomForCleaning
    return Array(
      segments.prefix(Self.roundSegments).prefix { segment in
        room -= segment.live + segment.live / 32
        return room >= 0
      })
  }

  /// The sparsest segments, if the store is larger than its bound: live ÷ (1 − share), and pinned segments.
  private func chooseVictims(_ sparse: [Sparse]) -> [Sparse] {
    let size = Int64(space.segmentBytes)
    let live = sparse.reduce(0) { $0 + $1.live }
    // The slack keeps a small store from being copied again and again. A full disk has no room for slack.
    let slack = space.roomState < .ample ? size : 4 * size
    let bound = Int64(Double(live) / (1 - fileSystem.options.garbageShare)) + slack
    let excess = (Int64(sparse.count) * size - bound) / size
    guard excess > 0 else { return [] }
    let limit = Int64(Double(size) * (1 - fileSystem.options.garbageShare))
    return Array(sparse.sorted { $0.live < $1.live }.filter { $0.live < limit }.prefix(Self.roundSegments))
  }

  /// Copies the live file data of a segment to the end of the log.
  private func copyForward(_ segment: SegmentNumber, on threads: Parallel = .none) throws(Errno) {
    var last: LocatedExtent?
    while true {
      let batch = try lockedToClean { files throws(Errno) in
        let batch = try files.result(of: files.index.extents.rows(in: segment, after: last, limit: Self.extentStep))
        files.cleaning.beginMove()
        return batch
      }
      defer { fileSystem.locked { $0.cleaning.endMove() } }
      // A batch that ends like the last one has a key that only damage could have written.
      if batch.isEmpty || batch.last == last { return }
      last = batch.last
      var copies: [ExtentRecord: [ExtentRecord]] = [:]
      let moved = try fileSystem.result(
        of: space.copy(batch, &copies, for: .cleaning, on: threads) { located, _ in
          // Unreadable data stays where it is: a backup may repair it.
          fileSystem.logDamage(located.inode, located.extent.offset)
          fileSystem.locked { _ = $0.cleaning.unmovable.insert(segment) }
        })
      for (old, new) in moved {
        try lockedToClean { files throws(Errno) in
          _ = try files.result(of: files.index.extents.replaceExtent(old.extent, of: old.inode, with: new))
          files.committer.noteChange()
        }
      }
    }
  }

  /// Makes the database smaller when more than a quarter of it is empty.
  private func vacuum() throws(Errno) {
    while true {
      let goesOn = try lockedToClean { files throws(Errno) in
        files.waitForCriticalPart()
        if files.life.isStopping { return false }
        let goesOn = try files.withIndex { index throws(IndexError) in
          let free = try index.freePages()
          guard free > 256, free > Int(space.databasePageCount) / 4 else { return false }
          try index.incrementalVacuum(pages: Self.vacuumStep)
          return true
        }
        if goesOn { files.committer.noteChange() }
        return goesOn
      }
      if !goesOn { return }
    }
  }

  /// Copies everything that is needed in some segments to the end of the log, and gives the segments up. Unreadable
  /// data stays where it is, and its segment is not given up.
  func evacuate(_ segments: [SegmentNumber]) throws(Errno) {
    if segments.isEmpty { return }
    var pages: Set<PageNumber> = []
    for segment in segments {
      try copyForward(segment)
      pages.formUnion(space.databasePages(in: segment))
    }
    try lockedToClean { files throws(Errno) in
      files.cleaning.noteDead(segments, moving: pages)
      try files.committer.commit()
    }
    try forget(segments)
    try fileSystem.syncLog()
  }

  /// Removes the counts of segments that were given up.
  private func forget(_ dead: [SegmentNumber]) throws(Errno) {
    let left = Set(space.segments().map(\.number))
    try lockedToClean { files throws(Errno) in
      for segment in dead where !left.contains(segment) {
        try files.result(of: files.index.forgetSegment(segment))
      }
      files.committer.noteChange()
    }
  }
}

extension LockedFileSystem {
  /// Waits until a caller asks for a round or `due` has come. Without `due`, waits until there is a commit after the
  /// `seen` ones, which may have left garbage. Returns false at the end.
  fileprivate mutating func waitForCleaning(_ due: UInt64?, seen: Int) -> Bool {
    if life.isStopping || refusal != nil { return false }
    if !cleaning.isAsked, !cleaning.isLookWanted, due != nil || commits.ended == seen {
      cleaning.beginWaiting(forCommit: due == nil)
      wait(for: .cleanWork, until: due)
      cleaning.endWaiting()
    }
    return !life.isStopping
  }

  /// Asks the cleaner to begin a round soon, if none is under way. During a round, the round itself is often what was
  /// refused, and it would ask for the next one without end.
  func askCleaner() {
    if cleaning.isInRound { return }
    cleaning.ask()
    signals[.cleanWork].signal()
  }

  /// Asks the cleaner to find dead segments, and to state them in a head if there are many, and waits for that.
  fileprivate mutating func waitForLook(until deadline: UInt64) {
    guard cleaning.isRunning, refusal == nil, !life.isStopping else { return }
    let goal = cleaning.begun + 1
    cleaning.wantLook()
    signals[.cleanWork].signal()
    while cleaning.ended < goal, refusal == nil, !life.isStopping, monotonicTime() < deadline {
      wait(for: .progress, until: deadline)
    }
  }

  /// Asks the cleaner for a round, and waits for its end; returns whether it made room, so that another attempt is
  /// worthwhile. This is where a writer waits on a full disk.
  mutating func waitForRoom() -> Bool {
    guard cleaning.isRunning, refusal == nil, !life.isStopping else { return false }
    let goal = cleaning.begun + 1
    cleaning.ask()
    signals[.cleanWork].signal()
    while cleaning.ended < goal, refusal == nil, !life.isStopping { wait(for: .progress) }
    return cleaning.gained && cleaning.ended != .max && refusal == nil
  }
}
