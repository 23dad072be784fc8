internal import System

/// Stating writes in the log that the database does not have yet.
extension Space {
  /// The intents that count, in the order of the log.
  ///
  /// - Throws: `.damaged` when they mean nothing, which only a faulty program writes.
  package func writeIntents() throws(VaultError) -> [WriteIntent] {
    let bytes = lock.withLock { intents }
    do throws(ByteReader.Malformed) {
      return try WriteIntent.decode(bytes)
    } catch {
      throw .damaged("writes that the log states mean nothing")
    }
  }

  /// Appends a commit of intents, without flushing. The database stays as it is.
  ///
  /// - Throws: `.noSpace` when there is no room but for deleting, or when something waits for room: then nothing was appended;
  ///   `.readOnly`; `.system` when writing failed, after which the space is read-only.
  package func logIntents(_ new: [WriteIntent]) throws(VaultError) {
    let change = IntentChange(bytes: WriteIntent.encode(new), replacesOlder: false)
    let length = RecordHeader.recordLength(bodyLength: CommitBody.bodyLength(change))
    let pageCount: UInt32
    lock.lock()
    do throws(VaultError) {
      try beginCommit()
      pageCount = map.pageCount
    } catch {
      lock.unlock()
      throw error
    }
    let isFull = unwrittenPageCount != nil || !stalled.isEmpty || !hasRoom(forIntents: length)
    lock.unlock()
    defer { endCommit() }
    if isFull { throw .noSpace }
    _ = try appendCommit(pageCount: pageCount, intents: change, committing: true)
    lock.withLock { take(change) }
  }

  /// Has the next commit of the database say that it has everything that the intents say, but for `remaining`. Where a full disk keeps it back,
  /// they go on counting until it is in the log.
  package func replaceIntentsAtNextCommit(by remaining: [WriteIntent]) {
    let change = IntentChange(bytes: WriteIntent.encode(remaining), replacesOlder: true)
    lock.withLock { nextIntents = change.bytes == intents ? .none : change }
  }

  /// Notes a commit that is in the log. Lock held.
  func take(_ change: IntentChange) { change.apply(to: &intents) }
}
