// One transaction stays open over many operations, each in a savepoint. A savepoint without a transaction around it would be one by
// itself and commit at its end, so `BEGIN` always comes first. All savepoints have one name; SQLite takes the innermost.

package import Vault

/// Statements of transactions.
struct TransactionStatements {
  let begin, commit, savepoint, release, rollBackTo, rollBack: Statement

  init(_ connection: Connection) throws(IndexError) {
    begin = try connection.prepare("BEGIN")
    commit = try connection.prepare("COMMIT")
    savepoint = try connection.prepare("SAVEPOINT operation")
    release = try connection.prepare("RELEASE operation")
    rollBackTo = try connection.prepare("ROLLBACK TO operation")
    rollBack = try connection.prepare("ROLLBACK")
  }
}

/// What a savepoint goes back to in memory.
private struct SavepointMark {
  var live: Int
  var counters: Counters
}

extension Index {
  /// Runs `body`; when it throws, all changes that it made are taken back. Savepoints nest.
  ///
  /// - Throws: what `body` throws; `.readOnly` before it when changes are refused; `.transactionLost` when the open transaction is
  ///   gone. `isReadOnly` is true after the latter, also where `body` made another error of it.
  package func withSavepoint<Result, Failure: SavepointFailure>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let mark: SavepointMark
    do throws(IndexError) { mark = try beginSavepoint() } catch { throw Failure(error) }
    let result: Result
    do throws(Failure) {
      result = try body()
    } catch {
      let wasLost = connection.transactionWasLost
      rollBack(to: mark)
      if connection.transactionWasLost, !wasLost { throw Failure(.transactionLost) }
      throw error
    }
    do throws(IndexError) { try releaseSavepoint(mark) } catch { throw Failure(error) }
    return result
  }

  /// Runs `body` in the open savepoint, or in one of its own when none is open.
  @inline(__always)
  func change<Result>(_ body: () throws(IndexError) -> Result) throws(IndexError) -> Result {
    // Without its transaction a statement would commit by itself.
    if connection.transactionWasLost { throw depth > 0 ? .transactionLost : .readOnly }
    return depth > 0 ? try body() : try withSavepoint(body)
  }

  private func beginSavepoint() throws(IndexError) -> SavepointMark {
    if connection.transactionWasLost { throw depth > 0 ? .transactionLost : .readOnly }
    if !connection.transactionIsOpen {
      try transactionStatements.begin.run()
      connection.transactionIsOpen = true
    }
    try transactionStatements.savepoint.run()
    depth += 1
    return SavepointMark(live: live.mark, counters: counters)
  }

  private func releaseSavepoint(_ mark: SavepointMark) throws(IndexError) {
    if connection.transactionWasLost {
      rollBack(to: mark)
      throw .transactionLost
    }
    do throws(IndexError) {
      try transactionStatements.release.run()
    } catch {
      rollBack(to: mark)
      throw error
    }
    depth -= 1
    if depth == 0 { live.keep() }
  }

  /// Goes back to `mark`; when SQLite cannot, the whole transaction is given up.
  private func rollBack(to mark: SavepointMark) {
    depth -= 1
    extentCache.dropAll()
    live.rollBack(to: mark.live)
    counters.goBack(to: mark.counters)
    if !connection.transactionWasLost {
      do throws(IndexError) {
        try transactionStatements.rollBackTo.run()
        try transactionStatements.release.run()
      } catch {
        loseTransaction()
      }
    }
    if connection.transactionWasLost { forgetChanges() }
  }

  private func loseTransaction() {
    do throws(IndexError) {
      if connection.transactionIsOpen { try transactionStatements.rollBack.run() }
    } catch {
      // Nothing can be done: the index is read-only from here on, whatever SQLite makes of it.
    }
    connection.abandonTransaction()
  }

  /// Makes the figures in memory those of the last commit, which is what the tables show again.
  private func forgetChanges() {
    extentCache.dropAll()
    live.clear()
    counters.goBack(to: storedCounters)
    changesAtCommit = connection.totalChanges
    pagesChanged = false
  }

  /// Whether something changed since the last commit.
  package var hasChanges: Bool {
    connection.transactionIsOpen && (pagesChanged || connection.totalChanges != changesAtCommit)
  }

  /// Rows changed since the last commit, about.
  package var changeEstimate: Int { hasChanges ? Int(connection.totalChanges - changesAtCommit) : 0 }

  /// Commits what changed since the last commit, all or nothing; does nothing when nothing did. No savepoint may be open.
  /// What was committed is in memory until the log has it (`unlogged`).
  ///
  /// - Throws: `.transactionLost` when SQLite gave the transaction up; the index then is at the last commit and refuses changes.
  ///   `.damaged` when a page that the commit needs cannot be read: the transaction stays open, but will hardly ever commit.
  package func commit() throws(IndexError) {
    precondition(depth == 0, "a commit inside a savepoint")
    if connection.transactionWasLost { throw .readOnly }
    guard hasChanges else { return }
    try withSavepoint { () throws(IndexError) in
      try storeLiveBytes()
      try storeCounters()
    }
    do throws(IndexError) {
      try transactionStatements.commit.run()
    } catch {
      loseTransaction()
      forgetChanges()
      throw .transactionLost
    }
    connection.transactionIsOpen = false
    live.clear()
    storedCounters = counters
    changesAtCommit = connection.totalChanges
    pagesChanged = false
  }

  /// Pages that were committed and that the log does not have; nil when it has everything.
  package var unlogged: PageChanges? { file.unlogged }

  /// Notes that the log has `changes`.
  package func noteLogged(_ changes: PageChanges) { file.noteLogged(changes) }

  private func storeCounters() throws(IndexError) {
    let old = storedCounters.values
    for (index, value) in counters.values.enumerated() where value != old[index] {
      try setMeta(Counters.keys[index], to: value)
    }
  }
}

extension Index {
  /// Commits what changed, and makes it durable in the log of its space: for callers that have nothing else to commit.
  ///
  /// - Throws: `.full`; `.readOnly` when the log could not be written; as `commit()`.
  package func commit(to space: Space) throws(IndexError) {
    try commit()
    do throws(VaultError) {
      if let changes = unlogged {
        try space.commit(LogTransaction(changes))
        noteLogged(changes)
      }
      try space.sync()
    } catch {
      throw error == .noSpace ? .full : .readOnly
    }
  }
}
