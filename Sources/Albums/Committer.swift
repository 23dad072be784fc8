// Commits: the state after a whole number of operations goes into the log.

internal import Index
internal import Logging
internal import System
package import SystemPackage
internal import Vault

/// Where the commits stand.
struct CommitState {
  /// What is written to the log for the index.
  enum Underway {
    case commit
    case intents
  }

  /// What is under way, one thing at a time; nil while nothing is.
  private(set) var underway: Underway?
  /// Commits that were begun, and of these, those that ended.
  private(set) var begun = 0
  private(set) var ended = 0
  /// What the last one met.
  private(set) var failure: Errno?
  /// When the first change after the last commit began was made, on the monotonic clock.
  private(set) var firstChange: UInt64?
  /// Whether there are so many changes that the next commit should not wait.
  private(set) var isUrgent = false
  /// Whether a commit is in its critical part: nothing may be changed meanwhile.
  var isCritical = false
  /// Commits that ended, and statements of intents.
  var logged = 0
  /// Whether the thread that tells marks waits for one of those.
  var isMarkerWaiting = false
  /// When the thread that commits looks again by itself: 0 while it is at work, the maximum while it waits to be woken.
  var nextLook: UInt64 = 0
  /// When what was appended must be made durable at the latest.
  var syncDue: UInt64?
  /// Until when making durable is not tried again, after it failed.
  var syncPause: UInt64 = 0
  /// Whether a failure of the thread that commits was logged, and nothing succeeded since.
  var failureIsKnown = false

  mutating func beginCommit() {
    underway = .commit
    begun += 1
    failure = nil
    noteNothingWaits()
  }

  mutating func endCommit(_ failure: Errno?) {
    underway = nil
    ended = begun
    self.failure = failure
  }

  mutating func beginIntents() { underway = .intents }

  mutating func endIntents() { underway = nil }

  /// Notes that there is nothing that the commit under way, or the last one, does not have.
  mutating func noteNothingWaits() {
    firstChange = nil
    isUrgent = false
  }

  /// Notes the first change since the last commit began.
  mutating func noteFirstChange(at time: UInt64) { firstChange = time }

  mutating func noteUrgent() { isUrgent = true }

  /// Has the next commit wait for its time, after one failed: nothing is urgent that cannot be done.
  mutating func startOver(at time: UInt64) {
    isUrgent = false
    firstChange = time
  }
}

extension FileSystem {
  /// Makes everything that was done before the call durable (fsync, fdatasync, fsyncdir and syncfs alike).
  ///
  /// - Parameter intoIndex: whether the index has to have everything afterwards; otherwise intents do where they can.
  /// - Throws: `ENOSPC`, `EIO`; `EROFS` when an earlier failure made the file system read-only.
  package func synchronize(intoIndex: Bool = false) throws(Errno) {
    if startedReadOnly { return }
    while true {
      do throws(Errno) {
        try commitAndSync(intoIndex: intoIndex)
        return
      } catch .noSpace {
        guard locked({ $0.waitForRoom() }) else { throw .noSpace }
      } catch {
        throw error
      }
    }
  }

  private func commitAndSync(intoIndex: Bool) throws(Errno) {
    try locked { files throws(Errno) in
      let isLogged = intoIndex ? false : try files.stateIntents()
      if !isLogged { try files.commit() }
    }
    try syncLog()
  }

  /// Makes durable what is in the log.
  func syncLog() throws(Errno) {
    assertNotLocked()
    do throws(VaultError) {
      try space.sync()
    } catch {
      throw locked { $0.failed(error) }
    }
  }

  fileprivate func failureToSync() -> Errno? {
    do throws(Errno) {
      try syncLog()
      return nil
    } catch {
      return error
    }
  }
}

extension FileSystem {
  /// Seals and appends a commit.
  func append(_ transaction: LogTransaction) throws(VaultError) {
    assertNotLocked()
    try space.commit(transaction)
  }
}

extension LockedFileSystem {
  /// Changes of rows after which a commit does not wait for its time.
  private static let urgentChanges = 2000
  /// How long something may be in the log without being durable, in nanoseconds.
  private static let durabilityDelay: UInt64 = 4_000_000_000

  /// Notes that something may have been changed.
  func noteChange() {
    if commits.firstChange == nil {
      let now = monotonicTime()
      commits.noteFirstChange(at: now)
      // It mostly looks in time, and waking it for every change that somebody syncs costs more than the change.
      if commits.nextLook > now + commitInterval { signals.commitWork.signal() }
    }
    if !commits.isUrgent, index.changeEstimate + inodes.stale.count >= Self.urgentChanges {
      commits.noteUrgent()
      signals.commitWork.signal()
    }
  }

  /// The work of the thread that commits when it is time.
  mutating func runCommitter() {
    while !life.isStopping, refusal == nil {
      let now = monotonicTime()
      let commitDue = commits.isUrgent ? now : commits.firstChange.map { $0 + commitInterval }
      if let commitDue, commitDue <= now {
        do throws(Errno) {
          try commit()
          commits.failureIsKnown = false
        } catch {
          reportFailure("a commit failed: \(error)")
          commits.startOver(at: monotonicTime())
        }
        if commits.syncDue == nil { commits.syncDue = monotonicTime() + Self.durabilityDelay }
      } else if now >= commits.syncPause,
        space.unflushedBytes > options.flushThreshold || commits.syncDue.map({ $0 <= now }) ?? false
      {
        commits.syncDue = nil
        let failure = unlocked { files in files.failureToSync() }
        if let failure {
          reportFailure("what was written could not be made durable: \(failure)")
          commits.syncDue = now + Self.durabilityDelay
          commits.syncPause = now + Self.durabilityDelay
        }
      } else if let due = [commitDue, commits.syncDue].compactMap({ $0 }).min() {
        waitForCommitWork(until: due)
      } else {
        // Nothing is under way, so the memory that waits to be used again may as well go.
        if writeBack.bytes == 0 { pool.trim() }
        waitForCommitWork(until: nil)
      }
    }
  }

  private mutating func waitForCommitWork(until time: UInt64?) {
    commits.nextLook = time ?? .max
    wait(for: signals.commitWork, until: time)
    commits.nextLook = 0
  }

  /// How long a change may wait for its commit, in nanoseconds.
  private var commitInterval: UInt64 { UInt64(options.commitInterval * 1e9) }

  /// Logs a failure once, not every second for as long as the disk is full.
  private func reportFailure(_ text: String) {
    if !commits.failureIsKnown { options.logger.warning("\(text)") }
    commits.failureIsKnown = true
  }

  /// Whether there is something that no commit has.
  private var hasUncommitted: Bool {
    writeBack.waitingCount > 0 || writeBack.inFlightCount > 0 || !inodes.stale.isEmpty
      || !inodes.newOrphans.isEmpty || index.hasChanges || index.unlogged != nil || cleaning.hasWorkForCommit
  }

  /// Commits everything that was done before the call; callers that come at the same time share a commit.
  mutating func commit() throws(Errno) {
    if let refusal { throw refusal }
    let goal = commits.begun + 1
    while commits.ended < goal {
      // What the caller did was not stored, and will not be.
      if refusal != nil { throw .ioError }
      if commits.underway != nil {
        wait(for: signals.progress)
        continue
      }
      guard hasUncommitted else { return commits.noteNothingWaits() }
      commits.beginCommit()
      var failure: Errno?
      do throws(Errno) { try runCommit() } catch { failure = error }
      commits.endCommit(failure)
      signals.progress.broadcast()
      // Also when a commit failed: on a full disk what is dead has to go all the same.
      if cleaning.waitsForCommit || cleaning.isAsked { signals.cleanWork.signal() }
      noteLogged()
    }
    if let failure = commits.failure { throw failure }
  }

  private mutating func runCommit() throws(Errno) {
    writeBack.logIsFull = false
    // Most of the data goes without anybody having to wait.
    writeBack.queueEverything()
    while !writeBack.logIsFull, refusal == nil {
      let batch = takeBatch(oldToo: false)
      if batch.isEmpty { break }
      // The others help where there is more than this thread takes at once.
      if writeBack.hasReady { signals.flushWork.broadcast() }
      writeOut(batch)
    }
    try log(try takeTransaction())
    if writeBack.waitingCount > 0, writeBack.logIsFull { throw .noSpace }
  }

  /// The critical part of a commit: brings all data that waits into the log, has the index commit, and takes what the
  /// log has to commit for that state.
  private mutating func takeTransaction() throws(Errno) -> LogTransaction {
    commits.isCritical = true
    defer {
      commits.isCritical = false
      inodes.shrink(steps: 2 * Self.urgentChanges)
      signals.progress.broadcast()
    }
    while true {
      if refusal != nil { throw .ioError }
      if !writeBack.logIsFull { makeEverythingReady() }
      let batch = writeBack.logIsFull ? [] : takeBatch(oldToo: true)
      if !batch.isEmpty {
        writeOut(batch)
      } else if writeBack.inFlightCount > 0 {
        wait(for: signals.progress)
      } else {
        break
      }
    }
    try storeInodes()
    var transaction = LogTransaction()
    transaction.intents = .replace(by: remainingIntents())
    try stored { () throws(IndexError) in try index.commit() }
    transaction.database = index.unlogged
    transaction.moving = cleaning.moving
    transaction.retiring = deadSegments()
    intents.noteCommit(ofEverything: writeBack.waitingCount == 0)
    return transaction
  }

  /// Commits a transaction to the log. Where a full disk refuses it, all that it is made of is still there for the
  /// next.
  private mutating func log(_ transaction: LogTransaction) throws(Errno) {
    if transaction.database == nil, transaction.moving.isEmpty, transaction.retiring.isEmpty { return }
    do throws(VaultError) {
      try unlocked { files throws(VaultError) in try files.append(transaction) }
      if let changes = transaction.database { index.noteLogged(changes) }
      cleaning.noteCommitted(transaction)
    } catch {
      // The log lacks changes of the index, so no intent can say what was done after it.
      intents.noteOther()
      if error == .noSpace { askCleaner() }
      throw failed(error)
    }
  }

  /// Segments that were found dead, and are, now that no data is in flight that may have gone to them.
  private func deadSegments() -> [SegmentNumber] {
    guard cleaning.movesUnderway == 0 else { return [] }
    cleaning.keepDead { segment in
      do throws(IndexError) {
        return try index.liveBytes(in: segment) == 0
      } catch {
        return false
      }
    }
    return Array(cleaning.retiring)
  }

  /// Writes the rows that are out of date. All data is in the log, or it is full.
  private func storeInodes() throws(Errno) {
    do throws(IndexError) {
      try index.withSavepoint { () throws(IndexError) in
        for inode in inodes.stale where inode.isStale { try index.update(storable(inode)) }
        for inode in inodes.newOrphans where inode.deletion != .deleted { try index.addOrphan(inode.number) }
      }
    } catch {
      let errno = failed(error)
      // Without these rows no commit can be made, now or later.
      stopChanging("changed inodes cannot be stored: \(error)")
      throw errno
    }
    inodes.noteStored()
  }

  /// The row that says what the log holds of an inode. On a full disk data may wait for room: then the row ends the
  /// file where that data begins, if the file was shorter when it was stored last, so that no byte is ever read as zero
  /// that was written otherwise.
  private func storable(_ inode: Inode) throws(IndexError) -> InodeRecord {
    guard let lowest = inode.buffer.lowestOffset, let old = try index.inode(inode.number) else { return inode.record }
    var record = inode.record
    record.size = min(record.size, max(old.size, lowest.rawValue))
    return record
  }
}
