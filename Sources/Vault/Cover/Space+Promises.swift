internal import Storage

/// Why room cannot be promised.
package enum PromiseFailure: Error {
  /// There is not enough.
  case noSpace
  /// The storage cannot hold room, so other programs may take it.
  case cannotHold
}

/// Room that is promised to files before they are written (`fallocate`). It is held together with the reserve, so that
/// neither new data of this space nor other programs take it.
extension Space {
  /// Holds room for `bytes` of files, which is the total that is allocated but not written, in addition to the
  /// `waiting` bytes that were admitted before. Either all of the room is held, or the promise stays unchanged.
  package func promise(_ bytes: Int64, waiting: Int64) throws(PromiseFailure) {
    try log.locked { log throws(PromiseFailure) in
      let measure = log.measureRoom()
      try log.room.promise(bytes, waiting: waiting, isStalled: !log.tail.stalled.isEmpty, in: measure)
    }
  }

  /// Notes how many promised bytes are left after a write or after a promise is given up.
  package func notePromised(_ bytes: Int64) { log.locked { $0.room.notePromised(bytes) } }

  /// Holds the room that was promised before this mount, or as much of it as the disk has.
  package func renewPromises(_ bytes: Int64) {
    log.locked { log in
      log.room.notePromised(bytes)
      log.room.holdReserve()
    }
  }
}
