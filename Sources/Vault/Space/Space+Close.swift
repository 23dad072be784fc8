internal import Storage
internal import SystemPackage

/// Closes a space.
extension Space {
  /// Tells processes that try to open the space to wait: it will be closed soon.
  package func announceEnd() { log.locked { $0.leases.announceEnd() } }

  /// Flushes the log, writes a last head and a closing commit, completes the last segment and releases the space. A
  /// second call does nothing.
  ///
  /// - Throws: `.noSpace` when stalled writes find no room and are lost; `.readOnly`; `.system`.
  package func close() throws(VaultError) {
    announceEnd()
    defer { log.locked { $0.letGo() } }
    if log.locked({ $0.tail.current == nil }) { return }
    try sync()
    try stateDurability()
    try log.locked { log throws(VaultError) in try log.writeLastHead() }
    var closing = LogTransaction()
    closing.isLast = true
    try commit(closing)
    try sync()
    let last = log.locked { log in (segment: log.tail.current, end: log.tail.end) }
    guard let segment = last.segment else { return }
    do throws(Errno) {
      try padSegment(segment.writer, from: last.end, size: segmentSize)
      try segment.writer.flush()
    } catch .noSpace, .diskQuotaExceeded {
      // The file stays short. A later mount fills it.
      try? segment.writer.releaseHold()
    } catch {
      throw .system(error, "completing the last segment")
    }
  }
}

extension Space {
  /// Writes a commit that only states that everything before it is durable, if the epoch has several segments. If one
  /// of these is lost together with the head that follows, the last of them then shows that this is damage and not the
  /// end of the log.
  private func stateDurability() throws(VaultError) {
    guard log.locked({ $0.tail.segment.index > 0 && $0.tail.recordsSinceHead > 0 }) else { return }
    do throws(VaultError) {
      try commit(LogTransaction())
    } catch .noSpace {
      // On a full disk, the space closes without this commit.
    }
  }
}

extension LockedLog {
  /// Writes a head at the end, so that the next mount has nothing to replay. If that head is damaged, the log before it
  /// leads to the same state.
  fileprivate mutating func writeLastHead() throws(VaultError) {
    while tail.isBeginningEpoch || tail.isCommitting { wait() }
    if tail.recordsSinceHead == 0 { return }
    // On a full disk, cleaning needs the segment more than the next mount needs a head.
    guard measureRoom().segments(for: .cleaning) > 0 else { return }
    do throws(VaultError) {
      try beginEpoch()
    } catch .noSpace {
      // The next mount replays the log instead.
    }
  }

  /// Ends the snapshots, and releases the leases, the reserve and the open files.
  fileprivate mutating func letGo() {
    gate.shut(because: "the space is closed")
    let ended = snapshots.close()
    leases.removeAll()
    tail.current = nil
    room.end()
    finish(ended)
    cache.removeAll()
  }
}
