internal import Storage
internal import System
internal import SystemPackage

/// Makes the log durable.
extension Space {
  /// Makes durable everything that was appended before the call. Concurrent callers share one flush.
  ///
  /// - Throws: `.noSpace` while writes are stalled; `.readOnly`; `.system` when the flush failed, after shutting the
  ///   gate.
  package func sync() throws(VaultError) {
    Waiting.assertAllowed()
    try resumeStalled()
    try log.locked { log throws(VaultError) in
      if log.tail.current == nil && log.gate.isOpen { return }
      while log.tail.isBeginningEpoch { log.wait() }
      let target = log.tail.nextTicket
      while log.tail.writtenTicket < target { log.wait() }
      try log.gate.requireOpen()
      if !log.tail.stalled.isEmpty { throw .noSpace }
      let goal = log.tail.writtenEnd
      while log.durability.isFlushing && log.durability.flushedThrough < goal { log.wait() }
      try log.gate.requireOpen()
      if log.durability.flushedThrough < goal { try log.flush() }
    }
  }
}

extension LockedLog {
  /// Flushes everything written so far.
  mutating func flush() throws(VaultError) {
    durability.isFlushing = true
    defer { durability.isFlushing = false }
    let segments = durability.unflushed
    let names = durability.newNames
    let through = tail.writtenEnd
    let count = durability.unflushedBytes
    // Later writes to an open segment add it to the list again.
    durability.unflushed.removeAll()
    durability.newNames.removeAll()
    durability.unflushedBytes = 0
    let othersHead = headToLookFor()
    let storage = context.storage
    var isContinuedElsewhere = false
    do throws(Errno) {
      try unlocked { () throws(Errno) in
        for segment in segments { try segment.writer.flush() }
        if !names.isEmpty { try storage.flushNames(of: names) }
        if let othersHead { isContinuedElsewhere = try storage.exists(othersHead) }
      }
    } catch {
      durability.unflushedBytes += count
      throw fail(error, "flushing the log")
    }
    if isContinuedElsewhere { throw refuseOthersHead() }
    durability.flushedThrough = max(durability.flushedThrough, through)
    announce()
  }
}
