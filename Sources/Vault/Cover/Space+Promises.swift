internal import Storage

/// Why room cannot be promised.
package enum PromiseFailure: Error {
  /// There is not enough.
  case noSpace
  /// The storage cannot hold room, so that others may take it.
  case cannotHold
}

/// Room that is promised to files before they are written (`fallocate`). It is held with the reserve, so that neither
/// new data of this space nor other programs take it.
extension Space {
  /// Has room held for `bytes` of files, which are all that are allocated and not written, more than the `waiting`
  /// bytes that were admitted before. Either all of the room is held, or the promise stays what it was.
  package func promise(_ bytes: Int64, waiting: Int64) throws(PromiseFailure) {
    try log.locked { log throws(PromiseFailure) in try log.promise(bytes, waiting: waiting) }
  }

  /// Notes what is left of the promises, after something was written or given up.
  package func notePromised(_ bytes: Int64) { log.locked { $0.notePromised(bytes) } }

  /// Holds the room that was promised before this mount, or as much of it as there is.
  package func renewPromises(_ bytes: Int64) {
    log.locked { log in
      log.notePromised(bytes)
      log.holdReserve()
    }
  }

  /// Bytes that are missing of the room that is promised, since what was written took more than its share: garbage that
  /// cleaning gives back; 0 or less when none are.
  package var missingForPromises: Int64 {
    log.locked { log in
      let measure = log.measureRoom()
      return measure.reserve - measure.pool - measure.rest
    }
  }

  /// Whether `count` bytes can be written into promised room, behind the `waiting` ones that were admitted before.
  package func admitAllocated(_ count: Int64, waiting: Int64) -> Bool {
    log.locked { log in
      let sum = count + waiting
      return log.tail.stalled.isEmpty && log.measureRoom().fits(Int(sum + sum / 64), for: .allocated)
    }
  }
}

extension LockedLog {
  fileprivate func promise(_ bytes: Int64, waiting: Int64) throws(PromiseFailure) {
    let old = room.promised
    let new = RoomBudget.room(forAllocated: bytes, segmentSize: context.segmentSize)
    if new <= old { return notePromised(bytes) }
    guard room.canHold || ownsCover else { throw .cannotHold }
    let measure = measureRoom()
    guard tail.stalled.isEmpty, new - old <= measure.pool - measure.reserve - waiting - waiting / 64 else {
      throw .noSpace
    }
    room.promised = new
    // What was granted was measured without this.
    room.grant(0)
    if ownsCover { return }
    holdReserve()
    // Room is held in steps of a segment.
    if room.canHold, Int64(room.held + context.segmentSize) > measure.reserve + new - old { return }
    room.promised = old
    holdReserve()
    if room.canHold { throw .noSpace } else { throw .cannotHold }
  }

  fileprivate func notePromised(_ bytes: Int64) {
    let old = room.promised
    room.promised = RoomBudget.room(forAllocated: bytes, segmentSize: context.segmentSize)
    // Others may have what is not needed any more; each segment of it is soon enough.
    let segment = Int64(context.segmentSize)
    if room.held > 0, room.promised / segment < old / segment { holdReserve() }
  }
}
