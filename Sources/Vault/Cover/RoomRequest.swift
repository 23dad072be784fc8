/// Room that an operation asks for.
package struct RoomRequest: Sendable {
  /// Bytes to be written.
  package var count: Int64
  /// Bytes that were admitted before and are not in the log yet.
  package var waiting: Int64
  /// Bytes by which files grow.
  package var growth: Int64 = 0
  /// Bytes that files have.
  package var live: Int64 = 0
  /// Whether some of them are of files that are being deleted.
  package var isDeleting = false

  /// Asks for room for `count` bytes that make no file grow.
  package init(_ count: Int64, waiting: Int64) { (self.count, self.waiting) = (count, waiting) }
}

/// The answer to a request for room.
package enum RoomAnswer: Equatable, Sendable {
  /// It may be written.
  case granted
  /// There may be room later.
  case wait(RoomWait)
  /// There is none.
  case full
}

/// What an operation waits for that found no room, before it changed anything, to ask again.
package enum RoomWait: Sendable {
  /// A round of cleaning that made room.
  case room
  /// A round of cleaning, whether it made room or not.
  case cleaningRound
  /// The deletion of an inode without a name, whose bytes still count. A round would be much work for that.
  case deletion
}

extension Space {
  /// Decides whether what was asked for may be written. This is where new data is refused for want of room.
  ///
  /// The files of a space that owns cover hold more than it can store, since cleaning has a share of them. So its files
  /// grow no more when they have what it can store, and overwriting and deleting go on. What waits in memory does not
  /// count, since some of it may overwrite: that much more can be stored.
  ///
  /// - Parameter isAllocated: whether room was promised for all of it. Called without the lock, if nothing else helps.
  package func answer(to request: RoomRequest, isAllocated: () -> Bool = { false }) -> RoomAnswer {
    let answer = log.locked { log -> RoomAnswer in
      if request.growth > 0, let own = log.ownBytes, request.growth > own - request.live {
        // What was deleted a moment ago still counts.
        return request.isDeleting ? .wait(.deletion) : .full
      }
      return log.admit(request.count, waiting: request.waiting) ? .granted : .wait(.room)
    }
    guard answer == .wait(.room), isAllocated() else { return answer }
    return log.locked { log in
      if !log.tail.stalled.isEmpty { return .wait(.room) }
      return log.room.answerAllocated(request.count, waiting: request.waiting, in: log.measureRoom())
    }
  }

  /// Whether there is room for `count` more bytes of data. `waiting` bytes were admitted before and are not in the log
  /// yet.
  package func admit(_ count: Int64, waiting: Int64) -> Bool {
    answer(to: RoomRequest(count, waiting: waiting)) == .granted
  }
}
