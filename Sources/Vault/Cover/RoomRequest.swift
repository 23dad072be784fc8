/// Room that an operation asks for.
package struct RoomRequest: Sendable {
  /// Bytes that the operation writes.
  package var count: Int64
  /// Bytes that were admitted before and are not in the log yet.
  package var waiting: Int64
  /// Bytes by which files grow.
  package var growth: Int64 = 0
  /// Bytes of all files now.
  package var live: Int64 = 0
  /// Whether some of them belong to files that are being deleted.
  package var isDeleting = false

  /// Asks for room for `count` bytes that make no file grow.
  package init(_ count: Int64, waiting: Int64) { (self.count, self.waiting) = (count, waiting) }
}

/// The answer to a request for room.
package enum RoomAnswer: Equatable, Sendable {
  /// The operation may write.
  case granted
  /// There may be room later.
  case wait(RoomWait)
  /// There is no room.
  case full
}

/// The event for which an operation without room waits before it asks again. It has changed nothing yet.
package enum RoomWait: Sendable {
  /// A round of cleaning that made room.
  case room
  /// A round of cleaning, whether it made room or not.
  case cleaningRound
  /// The deletion of an inode without a name, whose bytes still count. A round of cleaning would be too much work for
  /// that.
  case deletion
}

extension Space {
  /// Decides whether a request may be written. This is where new data is refused for lack of room.
  ///
  /// The files of a space that owns cover hold more than the space can store, because cleaning needs a share of them.
  /// So its files stop growing when they reach what the space can store, while overwriting and deleting continue. Data
  /// that waits in memory does not count, because some of it may overwrite; the space can exceed the limit by that
  /// amount.
  ///
  /// - Parameter isAllocated: whether room was promised for all of it. Called without the lock, and only if no other
  ///   room is left.
  package func answer(to request: RoomRequest, isAllocated: () -> Bool = { false }) -> RoomAnswer {
    let answer = log.locked { log -> RoomAnswer in
      if request.growth > 0, let own = log.ownBytes, request.growth > own - request.live {
        // Files that were deleted a moment ago still count.
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
