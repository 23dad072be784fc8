// Commits: bringing the state after a whole number of operations into the log.

internal import Index
internal import Logging
internal import System
package import SystemPackage
internal import Vault

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
      } catch {
        guard error == .noSpace, locked({ $0.waitForRoom() }) else { throw error }
      }
    }
  }

  private func commitAndSync(intoIndex: Bool) throws(Errno) {
    try locked { files throws(Errno) in
      let isLogged = intoIndex ? false : try files.logIntents()
      if !isLogged { try files.commit() }
    }
    try syncLog()
  }

  /// Makes durable what is in the log.
  func syncLog() throws(Errno) {
    assertNotLocked()
    try result(of: space.sync())
  }
}

extension LockedFileSystem {
  /// Changes of rows after which a commit does not wait for its time.
  private static let urgentChanges = 2000

  /// Notes that something may have been changed.
  func noteChange() {
    notePromises()
    commits.noteChange()
    if commits.firstChange == nil, commits.noteFirstChange(at: monotonicTime(), interval: commitInterval) {
      signals[.commitWork].signal()
    }
    if !commits.isUrgent, index.changeEstimate + inodes.stale.count >= Self.urgentChanges {
      commits.noteUrgent()
      signals[.commitWork].signal()
    }
  }

  /// The work of the thread that commits when it is time.
  mutating func runCommitter() {
    while !life.isStopping, refusal == nil {
      let now = monotonicTime()
      let commitDue = commits.due(now, interval: commitInterval)
      if let commitDue, commitDue <= now {
        do throws(Errno) {
          try commit()
          commits.noteSuccess()
        } catch {
          reportFailure("a commit failed: \(error)")
          commits.startOver(at: monotonicTime())
        }
        commits.noteToSync(by: monotonicTime() + CommitState.durabilityDelay)
      } else if commits.isSyncDue(now, orAtOnce: space.unflushedBytes > options.flushThreshold) {
        commits.noteSync()
        do throws(Errno) {
          try unlocked { files throws(Errno) in try files.syncLog() }
        } catch {
          reportFailure("what was written could not be made durable: \(error)")
          commits.noteSyncFailure(at: now)
        }
      } else if let due = [commitDue, commits.syncDue].compactMap({ $0 }).min() {
        waitForCommitWork(until: due)
      } else {
        // Nothing is under way, so pooled memory is given back.
        if writeBack.bytes == 0 { pool.trim() }
        waitForCommitWork(until: nil)
      }
    }
  }

  private mutating func waitForCommitWork(until time: UInt64?) {
    commits.beginWaiting(until: time)
    wait(for: .commitWork, until: time)
    commits.endWaiting()
  }

  /// How long a change may wait for its commit, in nanoseconds.
  private var commitInterval: UInt64 { UInt64(options.commitInterval * 1e9) }

  /// Logs a failure, but not again each second while the disk is full.
  private func reportFailure(_ text: String) {
    if commits.noteFailure() { options.logger.warning("\(text)") }
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
      // What the caller changed is not stored and never will be.
      if refusal != nil { throw .ioError }
      if commits.underway != nil {
        wait(for: .progress)
        continue
      }
      guard hasUncommitted else { return commits.noteNothingWaits() }
      commits.beginCommit()
      var failure: Errno?
      do throws(Errno) { try runCommit() } catch { failure = error }
      commits.endCommit(failure)
      signals[.progress].broadcast()
      // Also after a failed commit: a full disk needs cleaning most.
      if cleaning.waitsForCommit || cleaning.isAsked { signals[.cleanWork].signal() }
      noteLogged()
    }
    if let failure = commits.failure(of: goal) { throw failure }
  }

  private mutating func runCommit() throws(Errno) {
    writeBack.logIsFull = false
    // Most of the data is written before the critical part, while operations go on.
    writeBack.queueEverything()
    while !writeBack.logIsFull, refusal == nil {
      let batch = takeBatch(oldToo: false)
      if batch.isEmpty { break }
      // The flushers help where there is more than one batch.
      if writeBack.hasReady { signals[.flushWork].broadcast() }
      writeOut(batch)
    }
    let (transaction, isWhole) = try takeTransaction()
    try log(transaction)
    if !isWhole { throw .noSpace }
  }

  /// The critical part of a commit: writes all data that waits, commits the index, and collects the transaction that
  /// the log needs for that state. It is whole unless data found no room and waits on.
  private mutating func takeTransaction() throws(Errno) -> (LogTransaction, isWhole: Bool) {
    commits.beginCriticalPart()
    defer {
      commits.endCriticalPart()
      inodes.shrink(steps: 2 * Self.urgentChanges)
      signals[.progress].broadcast()
    }
    while true {
      if refusal != nil { throw .ioError }
      if !writeBack.logIsFull { makeEverythingReady() }
      let batch = writeBack.logIsFull ? [] : takeBatch(oldToo: true)
      if !batch.isEmpty {
        writeOut(batch)
      } else if writeBack.inFlightCount > 0 {
        wait(for: .progress)
      } else {
        break
      }
    }
    try storeInodes()
    var transaction = LogTransaction()
    transaction.intents = .replace(by: remainingIntents())
    try result(of: index.commit())
    transaction.database = index.unlogged
    transaction.moving = cleaning.moving
    transaction.retiring = deadSegments()
    let isWhole = writeBack.waitingCount == 0
    intents.noteCommit(ofEverything: isWhole)
    return (transaction, isWhole)
  }

  /// Commits a transaction to the log. When a full disk refuses it, the next one has all its parts again.
  private mutating func log(_ transaction: LogTransaction) throws(Errno) {
    guard transaction.hasMoreThanIntents else { return }
    do throws(VaultError) {
      try unlocked { files throws(VaultError) in try files.space.commit(transaction) }
      if let changes = transaction.database { index.noteLogged(changes) }
      cleaning.noteCommitted(transaction)
    } catch {
      // The log lacks changes of the index, and intents over an older index would mean something else.
      intents.noteOther()
      if error == .noSpace { askCleaner() }
      throw failed(error)
    }
  }

  /// The segments found dead that still are, now that no data is in flight that may have gone to them.
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

  /// Writes the rows that are out of date. All data is in the log by now, or the disk is full.
  private func storeInodes() throws(Errno) {
    do throws(IndexError) {
      try index.withSavepoint { () throws(IndexError) in
        for inode in inodes.stale where inode.isStale {
          try index.update(storable(inode))
          inode.noteRowWritten()
        }
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

  /// The row of an inode for what the log has of it. On a full disk some data may still wait. The row then ends the
  /// file where that data begins, but not before the end that was stored last, or that it was cut to since. So after a
  /// crash no written byte reads as zero.
  private func storable(_ inode: Inode) throws(IndexError) -> InodeRecord {
    guard let lowest = inode.buffer.lowestOffset, let old = try index.inode(inode.number) else { return inode.record }
    var record = inode.record
    record.size = min(record.size, max(min(old.size, inode.cutTo), lowest.rawValue))
    return record
  }
}
