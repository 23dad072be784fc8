internal import Storage
internal import SystemPackage

/// Ending the use of a space.
extension Space {
  /// Tells whoever opens the space meanwhile that it is about to be closed, and worth waiting for.
  package func announceEnd() { log.locked { $0.leases.announceEnd() } }

  /// Flushes, states the end of the log in a last head, completes the last segment, and lets the space go. Does nothing
  /// the second time.
  ///
  /// - Throws: `.noSpace` when something still waits for room, and is lost now; `.readOnly`; `.system`.
  package func close() throws(VaultError) {
    announceEnd()
    defer { log.locked { $0.letGo() } }
    if log.locked({ $0.tail.current == nil }) { return }
    try sync()
    try log.locked { log throws(VaultError) in try log.writeLastHead() }
    try commit(LogTransaction(), flags: RecordHeader.closedFlag)
    try sync()
    let last = log.locked { log in (segment: log.tail.current, end: log.tail.end) }
    guard let segment = last.segment else { return }
    do throws(Errno) {
      try padSegment(segment.writer, from: last.end, size: segmentSize)
      try segment.writer.flush()
    } catch .noSpace, .diskQuotaExceeded {
      // The file stays short; a later mount fills it up.
      try? segment.writer.releaseHold()
    } catch {
      throw .system(error, "completing the last segment")
    }
  }
}

extension LockedLog {
  /// Writes a head at the end, so that the next mount has nothing to replay, and two ways to the same state should one
  /// be damaged.
  fileprivate mutating func writeLastHead() throws(VaultError) {
    while tail.isBeginningEpoch || tail.isCommitting { wait() }
    if tail.recordsSinceHead == 0 { return }
    // On a full disk the segment that another head takes is worth more.
    guard measureRoom().segments(for: .cleaning) > 0 else { return }
    do throws(VaultError) {
      try beginEpoch()
    } catch .noSpace {
      // The log says the same; the next mount replays it.
    } catch {
      throw error
    }
  }

  /// Gives up the leases, the reserve and the open files.
  fileprivate func letGo() {
    gate.shut(because: "the space is closed")
    leases.removeAll()
    tail.current = nil
    room.end()
    cache.removeAll()
  }
}
