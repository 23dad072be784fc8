// Commits: the state after a whole number of operations goes into the log.

internal import Index
internal import Logging
internal import System
package import SystemPackage
internal import Vault

/// Where the commits stand.
struct CommitState {
  /// Commits that were begun, and of these, those that ended.
  var begun = 0
  var ended = 0
  /// Those that ended, and intents.
  var logged = 0
  var isRunning = false
  /// What the last one met.
  var failure: Errno?
  /// When the first change after the last commit began was made, on the monotonic clock.
  var firstChange: UInt64?
  /// Whether there are so many changes that the next commit should not wait.
  var isUrgent = false
  /// When the thread that commits looks again by itself: 0 while it is at work, the maximum while it waits to be woken.
  var nextLook: UInt64 = 0
  /// When what was appended must be made durable at the latest.
  var barrierDue: UInt64?
  /// Until when making durable is not tried again, after it failed.
  var barrierPause: UInt64 = 0
  /// Whether a failure of the thread that commits was logged, and nothing succeeded since.
  var failureIsKnown = false
}

extension FileSystem {
  /// Changes of rows after which a commit does not wait for its time.
  private static let urgentChanges = 2000
  /// How long something may be in the log without being durable, in nanoseconds.
  private static let durabilityDelay: UInt64 = 4_000_000_000

  /// Makes everything that was done before the call durable (fsync, fdatasync, fsyncdir and syncfs alike).
  ///
  /// - Parameter intoIndex: whether the index has to have everything afterwards; otherwise intents do where they can.
  /// - Throws: `ENOSPC`, `EIO`; `EROFS` when an earlier failure made the file system read-only.
  package func synchronize(intoIndex: Bool = false) throws(Errno) {
    noteActivity()
    if startedReadOnly { return }
    monitor.lock()
    do throws(Errno) {
      defer { monitor.unlock() }
      let isLogged = intoIndex ? false : try stateIntents()
      if !isLogged { try commit() }
    } catch {
      throw error
    }
    try makeDurable()
  }

  /// Makes durable what is in the log. Call without the lock.
  private func makeDurable() throws(Errno) {
    do throws(VaultError) {
      try space.barrier()
    } catch {
      monitor.lock()
      defer { monitor.unlock() }
      throw failed(error)
    }
  }

  /// Notes that something may have been changed. Lock held.
  func noteChange() {
    if commits.firstChange == nil {
      let now = monotonicTime()
      commits.firstChange = now
      // It mostly looks in time, and waking it for every change that somebody syncs costs more than the change.
      if commits.nextLook > now + commitInterval { commitWork.signal() }
    }
    if !commits.isUrgent, index.changeEstimate + unstored.count >= Self.urgentChanges {
      commits.isUrgent = true
      commitWork.signal()
    }
  }

  /// The work of the thread that commits when it is time.
  func runCommitter() {
    monitor.lock()
    while !isStopping, refusal == nil {
      let now = monotonicTime()
      let commitDue = commits.isUrgent ? now : commits.firstChange.map { $0 + commitInterval }
      if let commitDue, commitDue <= now {
        do throws(Errno) {
          try commit()
          commits.failureIsKnown = false
        } catch {
          reportFailure("a commit failed: \(error)")
          // Nothing is urgent that cannot be done.
          commits.isUrgent = false
          commits.firstChange = monotonicTime()
        }
        if commits.barrierDue == nil { commits.barrierDue = monotonicTime() + Self.durabilityDelay }
      } else if now >= commits.barrierPause,
        space.unflushedBytes > options.flushThreshold || commits.barrierDue.map({ $0 <= now }) ?? false
      {
        commits.barrierDue = nil
        monitor.unlock()
        let failure = failureToMakeDurable()
        monitor.lock()
        if let failure {
          reportFailure("what was written could not be made durable: \(failure)")
          commits.barrierDue = now + Self.durabilityDelay
          commits.barrierPause = now + Self.durabilityDelay
        }
      } else if let due = [commitDue, commits.barrierDue].compactMap({ $0 }).min() {
        waitForCommitWork(until: due)
      } else {
        // Nothing is under way, so the memory that waits to be used again may as well go.
        if bufferedBytes == 0 { pool.trim() }
        waitForCommitWork(until: nil)
      }
    }
    monitor.unlock()
  }

  private func waitForCommitWork(until time: UInt64?) {
    commits.nextLook = time ?? .max
    if let time { commitWork.wait(until: time) } else { commitWork.wait() }
    commits.nextLook = 0
  }

  /// How long a change may wait for its commit, in nanoseconds.
  private var commitInterval: UInt64 { UInt64(options.commitInterval * 1e9) }

  private func failureToMakeDurable() -> Errno? {
    do throws(Errno) {
      try makeDurable()
      return nil
    } catch {
      return error
    }
  }

  /// Logs a failure once, not every second for as long as the disk is full.
  private func reportFailure(_ text: String) {
    if !commits.failureIsKnown { options.logger.warning("\(text)") }
    commits.failureIsKnown = true
  }

  /// Whether there is something that no commit has.
  private var hasUncommitted: Bool {
    waitingCount > 0 || flyingChunks > 0 || !unstored.isEmpty || !newOrphans.isEmpty || index.hasChanges
  }

  /// Commits everything that was done before the call; callers that come at the same time share a commit. Lock held before and after, not
  /// all the time in between.
  func commit() throws(Errno) {
    if let refusal { throw refusal }
    let goal = commits.begun + 1
    while commits.ended < goal {
      // What the caller did was not stored, and will not be.
      if refusal != nil { throw .ioError }
      if commits.isRunning {
        progress.wait()
        continue
      }
      guard hasUncommitted else {
        commits.firstChange = nil
        commits.isUrgent = false
        return
      }
      commits.isRunning = true
      commits.begun += 1
      commits.failure = nil
      do throws(Errno) {
        try runCommit()
      } catch {
        commits.failure = error
      }
      commits.ended = commits.begun
      commits.logged += 1
      commits.isRunning = false
      progress.broadcast()
      // Also when a commit failed: on a full disk what is dead has to go all the same.
      if cleanerWaitsForCommit || roomIsShort { cleanWork.signal() }
      noteCommit()
    }
    if let failure = commits.failure { throw failure }
  }

  private func runCommit() throws(Errno) {
    commits.firstChange = nil
    commits.isUrgent = false
    logIsFull = false
    roomEstimate = 0
    // Most of the data goes without anybody having to wait.
    queueEverything()
    while !logIsFull, refusal == nil {
      let flights = takeFlights(oldToo: false)
      if flights.isEmpty { break }
      // The others help where there is more than this thread takes at once.
      if !readyChunks.isEmpty { flushWork.broadcast() }
      carryOut(flights)
    }

    isCommitting = true
    defer {
      isCommitting = false
      table.shrink(steps: 2 * Self.urgentChanges)
      progress.broadcast()
    }
    while true {
      if refusal != nil { throw .ioError }
      if !logIsFull { makeEverythingReady() }
      let flights = logIsFull ? [] : takeFlights(oldToo: true)
      if !flights.isEmpty {
        carryOut(flights)
      } else if flyingChunks > 0 {
        progress.wait()
      } else {
        break
      }
    }
    try storeInodes()
    space.replaceIntentsAtNextCommit(by: remainingIntents())
    try stored { () throws(IndexError) in try index.commit() }
    intents.noteCommit(ofEverything: waitingCount == 0)
    retire()
    if waitingCount > 0 { throw .noSpace }
  }

  /// Writes the rows that are out of date. All data is in the log, or it is full.
  private func storeInodes() throws(Errno) {
    let inodes = unstored
    let orphans = newOrphans
    do throws(IndexError) {
      try index.withSavepoint { () throws(IndexError) in
        for inode in inodes where !inode.isStored { try index.update(storable(inode)) }
        for inode in orphans where !inode.isDeleted && !inode.isStoredOrphan { try index.addOrphan(inode.number) }
      }
    } catch {
      let errno = failed(error)
      // Without these rows no commit can be made, now or later.
      stopChanging("changed inodes cannot be stored: \(error)")
      throw errno
    }
    unstored = inodes.filter { !$0.isStored && !$0.buffer.isEmpty }
    for inode in inodes where inode.buffer.isEmpty { inode.isStored = true }
    for inode in orphans where !inode.isDeleted { inode.isStoredOrphan = true }
    newOrphans.removeAll()
  }

  /// The row that says what the log holds of an inode. On a full disk data may wait for room: then the row ends the file where that data
  /// begins, if the file was shorter when it was stored last, so that no byte is ever read as zero that was written otherwise.
  private func storable(_ inode: Inode) throws(IndexError) -> InodeRecord {
    guard let lowest = inode.buffer.lowestOffset, let old = try index.inode(inode.number) else { return inode.record }
    var record = inode.record
    record.size = min(record.size, max(old.size, lowest.rawValue))
    return record
  }

  /// Gives up segments that were found dead, now that no data is in flight that may have landed in them. Lock held.
  private func retire() {
    guard movesUnderway == 0, !retirable.isEmpty else { return }
    let dead = retirable.filter { segment in
      do throws(IndexError) {
        return try index.liveBytes(in: segment) == 0
      } catch {
        return false
      }
    }
    retirable.removeAll()
    space.retire(dead)
  }
}
