internal import Storage
internal import System
internal import SystemPackage

/// Making the log durable.
extension Space {
  /// Makes durable all that was appended before the call; callers that come at the same time share one flush.
  ///
  /// - Throws: `.noSpace` when something waits for room; `.readOnly`; `.system` when the flush failed, after which the space is read-only.
  package func barrier() throws(VaultError) {
    try resumeStalled()
    try commitUnwritten()
    lock.lock()
    defer { lock.unlock() }
    if current == nil && failure == nil { return }
    while switching { changed.wait() }
    let target = nextTicket
    while writtenTicket < target { changed.wait() }
    if let failure { throw .readOnly(failure) }
    if !stalled.isEmpty { throw .noSpace }
    let goal = writtenEnd
    while flushing && flushedThrough < goal { changed.wait() }
    if let failure { throw .readOnly(failure) }
    if flushedThrough >= goal { return }
    try flush()
  }

  /// Flushes what was written; lock held before and after, not in between.
  func flush() throws(VaultError) {
    flushing = true
    let segments = unflushed
    let through = writtenEnd
    let count = unflushedCount
    // A segment that is still being written has more to flush next time.
    unflushed.removeAll()
    unflushedCount = 0
    let othersHead = headToLookFor()
    lock.unlock()
    var error: Errno?
    var isContinuedElsewhere = false
    do throws(Errno) {
      for segment in segments { try segment.writer.flush() }
      let new = segments.filter { !$0.nameIsDurable }
      if !new.isEmpty {
        try storage.flushNames(of: new.map(\.identifier))
        for segment in new { segment.nameIsDurable = true }
      }
      if let othersHead { isContinuedElsewhere = try storage.exists(othersHead) }
    } catch let problem {
      error = problem
    }
    lock.lock()
    flushing = false
    if let error {
      unflushedCount += count
      throw fail(error, "flushing the log")
    }
    if isContinuedElsewhere { throw refuseOthersHead() }
    flushedThrough = max(flushedThrough, through)
    changed.broadcast()
  }
}
