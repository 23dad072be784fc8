// Commits: write the state after a whole number of operations to the log.

internal import Index
internal import Logging
internal import System
package import SystemPackage
internal import Vault

extension FileSystem {
  /// Makes everything that was done before the call durable (fsync, fdatasync, fsyncdir and syncfs alike).
  ///
  /// - Parameter intoIndex: whether the index must have everything afterwards; otherwise intents may be enough.
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
      let isLogged = intoIndex ? false : try files.committer.logIntents()
      if !isLogged { try files.committer.commit() }
    }
    try syncLog()
  }

  /// Makes the content of the log durable.
  func syncLog() throws(Errno) { try result(of: space.sync()) }
}

extension Committer {
  /// Changes of rows after which a commit does not wait for its time.
  private static let urgentChanges = 2000

  /// Notes that something may have been changed.
  func noteChange() {
    files.data.notePromises()
    files.commits.noteChange()
    if files.commits.firstChange == nil, files.commits.noteFirstChange(at: monotonicTime(), interval: commitInterval) {
      files.signals[.commitWork].signal()
    }
    let changes = files.commits.gatheredRows + files.index.changeEstimate + files.inodes.stale.count
    if !files.commits.isUrgent, changes >= Self.urgentChanges {
      files.commits.noteUrgent()
      files.signals[.commitWork].signal()
    }
  }

  /// The work of the thread that commits when a commit is due.
  mutating func runCommitter() {
    while !files.life.isStopping, files.refusal == nil {
      let now = monotonicTime()
      let commitDue = files.commits.due(now, interval: commitInterval)
      if let commitDue, commitDue <= now {
        do throws(Errno) {
          try commit()
          files.commits.noteSuccess()
        } catch {
          reportFailure("a commit failed: \(error)")
          files.commits.startOver(at: monotonicTime())
        }
        files.commits.noteToSync(by: monotonicTime() + CommitState.durabilityDelay)
      } else if files.commits.isSyncDue(now, orAtOnce: files.space.unflushedBytes > files.options.flushThreshold) {
        files.commits.noteSync()
        do throws(Errno) {
          try files.unlocked { files throws(Errno) in try files.syncLog() }
        } catch {
          reportFailure("written data could not be made durable: \(error)")
          files.commits.noteSyncFailure(at: now)
        }
      } else if let due = [commitDue, files.commits.syncDue].compactMap({ $0 }).min() {
        waitForCommitWork(until: due)
      } else {
        // Nothing is under way, so pooled memory is freed.
        if files.writeBack.bytes == 0 { files.pool.trim() }
        waitForCommitWork(until: nil)
      }
    }
  }

  private mutating func waitForCommitWork(until time: UInt64?) {
    files.commits.beginWaiting(until: time)
    files.wait(for: .commitWork, until: time)
    files.commits.endWaiting()
  }

  /// How long a change may wait for its commit, in nanoseconds.
  private var commitInterval: UInt64 { UInt64(files.options.commitInterval * 1e9) }

  /// Logs a failure, but not again each second while the disk is full.
  private func reportFailure(_ text: String) {
    if files.commits.noteFailure() { files.options.logger.warning("\(text)") }
  }

  /// Whether there are changes that no commit has.
  private var hasUncommitted: Bool {
    files.writeBack.waitingCount > 0 || files.writeBack.inFlightCount > 0 || !files.inodes.stale.isEmpty
      || !files.inodes.newOrphans.isEmpty || files.index.hasChanges || files.index.unlogged != nil
      || files.cleaning.hasWorkForCommit
  }

  /// Commits everything that was done before the call. Callers at the same time share a commit.
  mutating func commit() throws(Errno) {
    if let refusal = files.refusal { throw refusal }
    let goal = files.commits.begun + 1
    while files.commits.ended < goal {
      // The caller's changes are not stored and never will be.
      if files.refusal != nil { throw .ioError }
      if files.commits.underway != nil {
        files.wait(for: .progress)
        continue
      }
      guard hasUncommitted else { return files.commits.noteNothingWaits() }
      files.commits.beginCommit()
      var failure: Errno?
      do throws(Errno) { try runCommit() } catch { failure = error }
      files.commits.endCommit(failure)
      files.signals[.progress].broadcast()
      // Also after a failed commit, because a full disk needs cleaning most.
      if files.cleaning.waitsForCommit || files.cleaning.isAsked { files.signals[.cleanWork].signal() }
      noteLogged()
    }
    if let failure = files.commits.failure(of: goal) { throw failure }
  }

  private mutating func runCommit() throws(Errno) {
    files.writeBack.logIsFull = false
    // Most of the data is written before the critical part, while operations continue.
    files.writeBack.queueEverything()
    while !files.writeBack.logIsFull, files.refusal == nil {
      let batch = files.flusher.takeBatch(oldToo: false)
      if batch.isEmpty { break }
      // The flushers help if there is more than one batch.
      if files.writeBack.hasReady { files.signals[.flushWork].broadcast() }
      files.flusher.writeOut(batch)
    }
    let (transaction, isWhole) = try takeTransaction()
    try log(transaction)
    if !isWhole { throw .noSpace }
  }

  /// The critical part of a commit: writes all waiting data, commits the index, and collects the transaction that the
  /// log needs for that state. It is whole unless some data found no room and still waits.
  private mutating func takeTransaction() throws(Errno) -> (LogTransaction, isWhole: Bool) {
    files.commits.beginCriticalPart()
    defer {
      files.commits.endCriticalPart()
      files.inodes.shrink(steps: 2 * Self.urgentChanges)
      files.signals[.progress].broadcast()
    }
    while true {
      if files.refusal != nil { throw .ioError }
      if !files.writeBack.logIsFull { files.flusher.makeEverythingReady() }
      let batch = files.writeBack.logIsFull ? [] : files.flusher.takeBatch(oldToo: true)
      if !batch.isEmpty {
        files.flusher.writeOut(batch)
      } else if files.writeBack.inFlightCount > 0 {
        files.wait(for: .progress)
      } else {
        break
      }
    }
    try storeInodes()
    var transaction = LogTransaction()
    transaction.intents = .replace(by: remainingIntents())
    try files.result(of: files.index.commit())
    transaction.database = files.index.unlogged
    transaction.moving = files.cleaning.moving
    transaction.retiring = deadSegments()
    let isWhole = files.writeBack.waitingCount == 0
    files.intents.noteCommit(ofEverything: isWhole)
    return (transaction, isWhole)
  }

  /// Lets the index commit the changes in memory, so that readers without the lock find them. Like the second half of a
  /// critical part on a full disk: data that waits keeps waiting. The log gets all of it with the next commit, which
  /// does not come earlier for this.
  func gather() throws(Errno) {
    guard files.index.hasChanges else { return }
    try storeInodes()
    let rows = files.index.changeEstimate
    try files.result(of: files.index.commit())
    files.commits.noteGathered(rows)
  }

  /// Commits a transaction to the log. If a full disk refuses it, the next transaction has all its parts again.
  private mutating func log(_ transaction: LogTransaction) throws(Errno) {
    guard transaction.hasMoreThanIntents else { return }
    do throws(VaultError) {
      try files.unlocked { files throws(VaultError) in try files.space.commit(transaction) }
      if let changes = transaction.database { files.index.noteLogged(changes) }
      files.cleaning.noteCommitted(transaction)
    } catch {
      // The log lacks changes of the index, and intents over an older index would have another meaning.
      files.intents.noteOther()
      if error == .noSpace { files.askCleaner() }
      throw files.failed(error)
    }
  }

  /// The segments found dead that still are, now that no data is in flight that could be in them.
  private func deadSegments() -> [SegmentNumber] {
    guard files.cleaning.movesUnderway == 0 else { return [] }
    files.cleaning.keepDead { segment in
      do throws(IndexError) {
        return try files.index.liveBytes(in: segment) == 0
      } catch {
        return false
      }
    }
    return Array(files.cleaning.retiring)
  }

  /// Writes the rows that are out of date. All data is in the log by now, or the disk is full.
  private func storeInodes() throws(Errno) {
    do throws(IndexError) {
      try files.index.withSavepoint { () throws(IndexError) in
        for inode in files.inodes.stale where inode.isStale {
          try files.index.update(storable(inode))
          inode.noteRowWritten()
        }
        for inode in files.inodes.newOrphans where inode.deletion != .deleted {
          try files.index.addOrphan(inode.number)
        }
        try files.changeSink.noteCommit(in: files.index, files)
      }
    } catch {
      let errno = files.failed(error)
      // Without these rows no commit can be made, now or later.
      files.stopChanging("changed inodes cannot be stored: \(error)")
      throw errno
    }
    files.inodes.noteStored()
  }

  /// The row of an inode for the data that the log has of it. On a full disk some data may still wait. The row then
  /// ends the file where that data begins, but not before the end that was stored last, or the size to which it was cut
  /// since. So after a crash no written byte reads as zero.
  private func storable(_ inode: Inode) throws(IndexError) -> InodeRecord {
    guard let lowest = inode.buffer.lowestOffset, let old = try files.index.inode(inode.number) else {
      return inode.record
    }
    var record = inode.record
    record.size = min(record.size, max(min(old.size, inode.cutTo), lowest.rawValue))
    return record
  }
}
