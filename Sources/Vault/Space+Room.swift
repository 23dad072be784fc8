internal import Storage
internal import System
internal import SystemPackage

/// The reserve: room that is held on the disk so that a delete always commits.
extension Space {
  /// Bytes of the reserve: what may wait in memory, the largest commit, a head, and a segment for cleaning; less on a small disk, but never less
  /// than a commit and the two heads take after which what a deletion gave up can go: a segment each.
  var reserveBytes: Int {
    let total = Int(clamping: storage.capacity().total)
    return max(3 * segmentSize, min(48 << 20, total / 16))
  }

  /// Holds room beyond the end of the segment that is being written: for the segment itself and the reserve. `old` is the segment before a new one,
  /// in which nothing is yet. Call with the lock held.
  func holdRoom(_ writer: any SegmentWriter, replacing old: OpenSegment?) {
    let wanted = segmentSize + reserveBytes
    if hold(writer, wanted) {
      reserveHeld = true
      return
    }
    // Giving room back cuts a file at its present end, so nothing may be on its way into it; otherwise it is given back when that file is complete.
    let isQuiet = writtenTicket == nextTicket
    // What could not be held in whole may be held in part (ext4 does so): all that is left, with nothing for whoever needs a little.
    if old != nil || isQuiet { try? writer.releaseHold() }
    // The segment before holds a reserve as well; only on a nearly full disk is there not room for both.
    if let old, isQuiet {
      giveReserveBack(old)
      if hold(writer, wanted) {
        reserveHeld = true
        return
      }
      try? writer.releaseHold()
    }
    reserveHeld = false
    _ = hold(writer, segmentSize)
  }

  /// Gives back what a segment holds, but for the room that it needs itself to become complete: whatever comes after it waits for that. Nothing may
  /// be on its way into it.
  func giveReserveBack(_ segment: OpenSegment) {
    try? segment.writer.releaseHold()
    _ = hold(segment.writer, segmentSize)
  }

  private func hold(_ writer: any SegmentWriter, _ size: Int) -> Bool {
    do throws(Errno) {
      try writer.hold(upTo: size)
      return true
    } catch .notSupported {
      holdsRoom = false
      return storage.capacity().free >= Int64(size)
    } catch {
      return false
    }
  }

  /// Whether a new segment for file data leaves the reserve untouched; commits and heads may take from it. Call with the lock held.
  var hasRoomForData: Bool {
    let free = storage.capacity().free
    let reserveIsApart = current != nil && reserveHeld && holdsRoom
    return free >= Int64(segmentSize + (reserveIsApart ? 0 : reserveBytes))
  }

  /// The same for a commit of intents, of `length` bytes. The disk is asked for many of them at once, as long as they stay in this segment, whose
  /// room is held. Call with the lock held.
  func hasRoom(forIntents length: Int) -> Bool {
    if length > roomForIntents || end + length > segmentSize {
      guard hasRoomForData else { return false }
      roomForIntents = max(length, 64 << 10)
    }
    roomForIntents -= length
    return true
  }

  /// Whether the room that deleting needs at worst is held; false means that new data must be refused.
  package var reserveIsHeld: Bool {
    lock.withLock {
      if unwrittenPageCount != nil || !stalled.isEmpty { return false }
      guard let current else {
        return storage.capacity().free >= Int64(segmentSize + reserveBytes)
      }
      if !reserveHeld { holdRoom(current.writer, replacing: nil) }
      return reserveHeld
    }
  }

  /// Whether the disk is so full that the copy window is given up for room.
  package var isShortOfRoom: Bool {
    !reserveIsHeld || isTight
  }

  /// Whether little is free beside the reserve: an eighth of the disk, or 256 MiB. Safe with or without the lock.
  var isTight: Bool {
    let host = storage.capacity()
    return host.free < Int64(reserveBytes) + min(host.total / 8, 256 << 20)
  }

  /// Room in and around the space.
  package func capacity() -> SpaceCapacity {
    let host = storage.capacity()
    let reserve = Int64(reserveBytes)
    return lock.withLock {
      let used = epochs.values.reduce(0) { $0 + Int64($1.present.nonzeroBitCount) } * Int64(segmentSize)
      let held = current != nil && reserveHeld
      let rest = current == nil ? 0 : Int64(segmentSize - end)
      let available = max(0, host.free + (held ? rest : -reserve))
      return SpaceCapacity(
        totalBytes: host.total, freeBytes: max(host.free, available), availableBytes: available, usedBytes: used)
    }
  }
}
