// One transaction stays open over many operations. Each operation is a savepoint in it. `BEGIN` always comes first:
// without it, a savepoint would commit at its end. All savepoints have the same name; SQLite uses the innermost.

package import Vault

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

/// The state in memory to which a savepoint rolls back.
private struct SavepointMark {
  var live: Int
  var counters: Counters
}

extension Index {
  /// Runs `body` in a savepoint. If it throws, its changes are rolled back. Savepoints nest.
  ///
  /// - Throws: the error of `body`; `.readOnly`, without calling it, when changes are refused; `.transactionLost` when
  ///   the open transaction is lost. `isReadOnly` is true after that, even if `body` throws another error for it.
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

  /// Runs `body` in the open savepoint, or in a new one when none is open.
  @inline(__always)
  func change<Result>(_ body: () throws(IndexError) -> Result) throws(IndexError) -> Result {
    // Without a transaction, a statement would commit by itself.
    if connection.transactionWasLost { throw depth > 0 ? .transactionLost : .readOnly }
    return depth > 0 ? try body() : try withSavepoint(body)
  }

  /// Runs a bound statement as a change. Returns the number of rows that it changed.
  @discardableResult
  func run(_ statement: Statement) throws(IndexError) -> Int64 {
    try change { () throws(IndexError) in try statement.run() }
  }

  private func beginSavepoint() throws(IndexError) -> SavepointMark {
    if connection.isReadOnly { throw .readOnly }
    if connection.transactionWasLost { throw depth > 0 ? .transactionLost : .readOnly }
    if !connection.transactionIsOpen {
      try statements.transactions.begin.run()
      connection.transactionIsOpen = true
    }
    try statements.transactions.savepoint.run()
    depth += 1
    return SavepointMark(live: live.mark, counters: counters)
  }

  private func releaseSavepoint(_ mark: SavepointMark) throws(IndexError) {
    do throws(IndexError) {
      if connection.transactionWasLost { throw .transactionLost }
      try statements.transactions.release.run()
    } catch {
      rollBack(to: mark)
      throw error
    }
    depth -= 1
    if depth == 0 { live.keep() }
  }

  /// Rolls back to `mark`. If SQLite cannot, the whole transaction is lost.
  private func rollBack(to mark: SavepointMark) {
    depth -= 1
    extentCache.dropAll()
    termTexts.removeAll()
    live.rollBack(to: mark.live)
    counters.goBack(to: mark.counters)
    if !connection.transactionWasLost {
      do throws(IndexError) {
        try statements.transactions.rollBackTo.run()
        try statements.transactions.release.run()
      } catch {
        loseTransaction()
      }
    }
    if connection.transactionWasLost { forgetChanges() }
  }

  private func loseTransaction() {
    // If even this fails, only one thing is left: the index is read-only from here on.
    if connection.transactionIsOpen { _ = try? statements.transactions.rollBack.run() }
    connection.abandonTransaction()
  }

  /// Resets the state in memory to the last commit, according to the tables.
  private func forgetChanges() {
    extentCache.dropAll()
    termTexts.removeAll()
    live.clear()
    counters.goBack(to: storedCounters)
    changesAtCommit = connection.totalChanges
    pagesChanged = false
  }

  /// Whether something changed since the last commit.
  package var hasChanges: Bool {
    connection.transactionIsOpen && (pagesChanged || connection.totalChanges != changesAtCommit)
  }

  /// The approximate number of rows changed since the last commit.
  package var changeEstimate: Int { hasChanges ? Int(connection.totalChanges - changesAtCommit) : 0 }

  /// Commits all changes since the last commit, or none. Does nothing without changes. No savepoint may be open. The
  /// committed pages stay in memory until the log has them (`unlogged`).
  ///
  /// - Throws: `.transactionLost` when SQLite ended the transaction: the index is then at the last commit and refuses
  ///   changes. `.damaged` when a page that the commit needs cannot be read: the transaction stays open, but will
  ///   hardly ever commit.
  package func commit() throws(IndexError) {
    precondition(depth == 0, "a commit inside a savepoint")
    if connection.transactionWasLost { throw .readOnly }
    guard hasChanges else { return }
    try withSavepoint { () throws(IndexError) in
      try storeLiveBytes()
      try storeCounters()
    }
    do throws(IndexError) {
      try statements.transactions.commit.run()
    } catch {
      loseTransaction()
      forgetChanges()
      throw .transactionLost
    }
    connection.transactionIsOpen = false
    revision += 1
    live.clear()
    storedCounters = counters
    changesAtCommit = connection.totalChanges
    pagesChanged = false
  }

  /// Committed pages that the log lacks; nil when it has all.
  package var unlogged: PageChanges? { file.unlogged }

  /// Records that the log has `changes`.
  package func noteLogged(_ changes: PageChanges) { file.noteLogged(changes) }

  private func storeCounters() throws(IndexError) {
    let old = storedCounters.values
    for (index, value) in counters.values.enumerated() where value != old[index] {
      try setMeta(Counters.keys[index], to: value)
    }
  }
}

extension Index {
  /// Commits all changes, also to the log, and flushes the log. For callers without other changes to commit.
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
