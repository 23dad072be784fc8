// Makes small writes durable without a commit of the index: the log states them (WriteIntent.swift), and the index
// follows later.
//
// Invariants
// 1. While `coverEverything` is true, the index as of its last commit, the intents that count, those that are being
//    written and `unstated` have every change between them.
// 2. Intents matter only to the next mount: the data also waits, is in flight or is named by the index, as usual.
// 3. A commit of the index replaces the intents. If a full disk keeps some of their data waiting, the commit states
//    that data again: durable data stays durable.
// 4. Intents are written one statement at a time, and never during a commit (`CommitState.underway`). So the log has
//    them in the order of the writes, and a commit comes after all intents that it replaces.

internal import Index
internal import Logging
internal import System
internal import SystemPackage
internal import Vault

extension Committer {
  /// States recent writes in the log, if they are small and the index lacks no other change. False when the index must
  /// be committed instead.
  mutating func logIntents() throws(Errno) -> Bool {
    while files.commits.underway == .intents { files.wait(for: .progress) }
    guard files.intents.coverEverything, files.refusal == nil, files.commits.underway == nil, !files.index.hasChanges,
      files.index.unlogged == nil,
      files.inodes.newOrphans.isEmpty
    else {
      return false
    }
    if files.intents.unstated.isEmpty { return true }
    guard let new = unstatedIntents() else { return false }
    let writes = files.intents.takeUnstated()
    files.commits.beginIntents()
    defer {
      files.commits.endIntents()
      files.signals[.progress].broadcast()
    }
    do throws(VaultError) {
      try files.unlocked { files throws(VaultError) in try files.space.commit(LogTransaction(stating: new)) }
    } catch {
      // The log lacks the taken writes, so only a commit of the index makes them durable.
      files.intents.noteOther()
      if error == .noSpace { return false }
      throw files.failed(error)
    }
    files.intents.noteStated(writes)
    noteLogged()
    return true
  }

  /// The unstated writes as intents; nil when some of them have left memory, or cannot be stated.
  private func unstatedIntents() -> [WriteIntent]? {
    let unstated = files.intents.unstated
    var new: [WriteIntent] = []
    var place = 0
    while place < unstated.count {
      let inode = unstated[place].inode
      var writes: [WriteIntent.Write] = []
      while place < unstated.count, unstated[place].inode === inode {
        let found = bufferedWrites(of: inode, in: unstated[place].range)
        guard found.isWhole else { return nil }
        writes += found.writes
        place += 1
      }
      // An open file without a name ends with the mount, and recovery refuses intents for such a file.
      guard inode.record.links > 0 else { return nil }
      new.append(intent(inode, size: inode.record.size, writes))
    }
    return new
  }

  /// The intents that the next commit of the index does not replace, because their data waits for room.
  func remainingIntents() -> [WriteIntent] {
    var remaining = files.intents.misplaced
    for (_, stated) in files.intents.stated where !stated.inode.buffer.isEmpty {
      let inode = stated.inode
      guard inode.record.links > 0, let end = stated.ranges.ranges.last?.upperBound else { continue }
      let writes = stated.ranges.ranges.flatMap { bufferedWrites(of: inode, in: $0).writes }
      // The row may end the file before these writes (`storable`), where older data waits.
      remaining.append(intent(inode, size: min(inode.record.size, Int64(end)), writes))
    }
    return remaining
  }

  /// The parts of a range that wait or are in flight, and whether they cover the whole range.
  private func bufferedWrites(
    of inode: Inode, in range: Range<Int>
  ) -> (writes: [WriteIntent.Write], isWhole: Bool) {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let rest = unsafe bytes.withUnsafeMutableBytes {
      unsafe inode.buffer.copy(Int64(range.lowerBound)..<Int64(range.upperBound), into: $0)
    }
    if rest.isEmpty { return ([WriteIntent.Write(offset: FileOffset(range.lowerBound), bytes: bytes)], true) }
    var missing = RangeList()
    for gap in rest { missing.insert(Int(gap.lowerBound)..<Int(gap.upperBound)) }
    let writes = missing.gaps(in: range).map { part in
      WriteIntent.Write(
        offset: FileOffset(part.lowerBound),
        bytes: Array(bytes[part.lowerBound - range.lowerBound..<part.upperBound - range.lowerBound]))
    }
    return (writes, false)
  }

  private func intent(_ inode: Inode, size: Int64, _ writes: [WriteIntent.Write]) -> WriteIntent {
    WriteIntent(
      inode: inode.number, size: size, modifiedSeconds: inode.record.modified.seconds,
      modifiedNanoseconds: inode.record.modified.nanoseconds, writes: writes)
  }

  /// Repeats the writes that the log states, after the index was opened or went back to its last commit.
  func redoIntents() {
    let logged: [WriteIntent]
    do throws(VaultError) {
      logged = try files.space.writeIntents()
    } catch {
      return files.stopChanging("the last writes cannot be read: \(error)")
    }
    for intent in logged {
      guard let inode = try? files.regularFile(intent.inode), inode.record.links > 0 else {
        files.intents.misplaced.append(intent)
        continue
      }
      if intent.size > inode.record.size { try? files.data.removeDataBeyondEnd(of: inode) }
      for write in intent.writes {
        let start = Int(write.offset.rawValue)
        unsafe write.bytes.withUnsafeBytes { unsafe files.data.put($0, at: write.offset.rawValue, in: inode) }
        let size = WriteIntent.encodedSize(write.bytes.count)
        files.intents.noteStated(inode, start..<start + write.bytes.count, size: size)
      }
      let time = Timestamp(seconds: intent.modifiedSeconds, nanoseconds: intent.modifiedNanoseconds)
      inode.record.size = max(inode.record.size, intent.size)
      inode.record.modified = time
      inode.record.changed = time
      files.inodes.noteStale(inode)
    }
    if !files.intents.misplaced.isEmpty {
      files.options.logger.error(
        "writes to \(files.intents.misplaced.count.counted("file")) cannot be applied, because the index is damaged")
    }
    if !files.inodes.stale.isEmpty { noteChange() }
  }
}
