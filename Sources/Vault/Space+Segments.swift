internal import Storage
internal import SystemPackage

/// What cleaning needs to know and do, and how much room there is.
extension Space {
  /// All segments of the space that were not given up, in the order of the log.
  package func segments() -> [SegmentState] {
    log.locked { log in
      let open = Set(log.durability.unflushed.map(\.number) + [log.tail.current?.number].compactMap(\.self))
      return log.catalog.needed.map { number in
        SegmentState(
          number: number, isOpen: open.contains(number), databasePages: log.database.map.count(in: number))
      }
    }
  }

  /// Bytes of one segment.
  package var segmentBytes: Int { segmentSize }

  /// How many segments were given up and wait until no kept head needs them.
  package var retiredSegments: Int { log.locked { $0.catalog.retiredCount } }

  /// The pages of the database's current state that a segment holds.
  package func databasePages(in segment: SegmentNumber) -> [PageNumber] {
    log.locked { $0.database.map.pages(in: segment) }
  }

  /// Flushes, writes a new head, and deletes what no kept head needs any more. Nothing happens in a space that was not
  /// written to since it was opened.
  ///
  /// - Throws: `.noSpace`; `.readOnly`; `.system`.
  package func advanceEpoch() throws(VaultError) {
    try log.locked { log throws(VaultError) in
      while log.tail.isBeginningEpoch || log.tail.isCommitting { log.wait() }
      if log.tail.current == nil { return }
      try log.beginEpoch()
    }
  }

  /// Whether there is room for `count` bytes of data more than the `waiting` ones that were admitted before and are not
  /// in the log yet. This is where new data is refused for want of room.
  package func admit(_ count: Int64, waiting: Int64) -> Bool {
    log.locked { $0.admit(count, waiting: waiting) }
  }

  /// How much room there is; the disk is asked, and the reserve is held again where that was not possible before.
  package var roomState: RoomState {
    log.locked { log in
      if !log.tail.stalled.isEmpty { return .none }
      if log.tail.current != nil { log.holdReserve() }
      return log.measureRoom().state
    }
  }

  /// Bytes that cleaning may copy before something has to be deleted.
  package var roomForCleaning: Int64 {
    log.locked { log in
      let measure = log.measureRoom()
      return measure.rest + measure.segments(for: .cleaning) * Int64(segmentSize)
    }
  }

  /// Bytes that the space could still write, the reserve included.
  package var roomLeft: Int64 {
    log.locked { log in
      let measure = log.measureRoom()
      return measure.rest + measure.pool
    }
  }

  /// Room in and around the space.
  package func capacity() -> SpaceCapacity {
    log.locked { log in
      let measure = log.measureRoom()
      let available = max(0, measure.rest + measure.pool - measure.reserve)
      return SpaceCapacity(
        totalBytes: measure.host.total, freeBytes: max(measure.host.free, available), availableBytes: available,
        usedBytes: Int64(log.catalog.count * segmentSize))
    }
  }

  /// Names of all segment files of the space that may exist.
  func segmentIdentifiers() -> [SegmentIdentifier] {
    log.locked { log in
      log.catalog.segments.map { keys.identifier($0, branch: log.catalog.branch(of: $0.epoch) ?? []) }
    }
  }
}
