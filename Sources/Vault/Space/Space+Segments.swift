package import Storage
internal import System
internal import SystemPackage

/// Segments and room, for the cleaner and for callers that report them.
extension Space {
  /// All segments of the space that are not retired, in the order of the log.
  package func segments() -> [SegmentState] {
    log.locked { log in
      let open = Set(log.durability.unflushed.map(\.number) + [log.tail.current?.number].compactMap(\.self))
      return log.catalog.needed.map { number in
        SegmentState(number: number, isOpen: open.contains(number), databasePages: log.database.map.count(in: number))
      }
    }
  }

  /// The segment in which the log ends.
  package var lastSegment: SegmentNumber { log.locked { $0.tail.segment } }

  /// Bytes of one segment.
  package var segmentBytes: Int { segmentSize }

  /// The number of retired segments that still exist, because a kept head needs them.
  package var retiredSegments: Int { log.locked { $0.catalog.retiredCount } }

  /// How many of them two epochs free on a full disk or by `deleteRetired`, when no head is kept for copies.
  package var segmentsFreedByTwoEpochs: Int { log.locked { $0.catalog.countDeletableAfterTwoHeads } }

  /// The number of segments that are retired, but that no head states as retired yet.
  package var segmentsWithoutDate: Int { log.locked { $0.catalog.retiring.count } }

  /// The current pages of the database in a segment.
  package func databasePages(in segment: SegmentNumber) -> [PageNumber] {
    log.locked { $0.database.map.pages(in: segment) }
  }

  /// Flushes the log, writes a new head, and deletes segments that no kept head needs any more. Does nothing if the
  /// space was not written since it was opened, unless its key is being replaced.
  ///
  /// - Throws: `.noSpace`; `.readOnly`; `.system`.
  package func advanceEpoch() throws(VaultError) {
    Waiting.assertAllowed()
    let isRekeying = isRekeying
    try log.locked { log throws(VaultError) in
      while log.tail.isBeginningEpoch || log.tail.isCommitting { log.wait() }
      if log.tail.current == nil, !isRekeying { return }
      try log.beginEpoch()
    }
  }

  /// Deletes all retired segments, including those that are kept for copies of the vault in progress. Such a copy may
  /// then have lost the space's older states and lack the newer ones. Writes two heads.
  ///
  /// - Throws: as `advanceEpoch`.
  package func deleteRetired() throws(VaultError) {
    Waiting.assertAllowed()
    try log.locked { log throws(VaultError) in
      for _ in 0..<2 {
        while log.tail.isBeginningEpoch || log.tail.isCommitting { log.wait() }
        try log.beginEpoch(keepsForCopies: false)
      }
    }
  }

  /// When all copies of the vault that need retired segments will be older than the copy window, in seconds since 1970.
  /// Nil if no segments are retired, or if no head states yet that some of them are.
  package var retiredUntil: Int64? {
    log.locked { log in
      guard !log.catalog.retired.isEmpty, log.catalog.retiring.isEmpty, let newest = log.catalog.heads.last?.time else {
        return nil
      }
      return newest + log.context.copyWindow
    }
  }

  /// The current state of the room. Measures the disk, and tries to hold the part of the reserve that could not be held
  /// before.
  package var roomState: RoomState {
    log.locked { log in
      if !log.tail.stalled.isEmpty { return .none }
      if log.tail.current != nil { log.room.holdReserve() }
      return log.measureRoom().state
    }
  }

  /// Bytes that cleaning may copy before it must delete something.
  package var roomForCleaning: Int64 {
    log.locked { log in
      let measure = log.measureRoom()
      return measure.rest + measure.segments(for: .cleaning) * Int64(segmentSize)
    }
  }

  /// Bytes of the space's files, minus the file data that was appended since the space was opened, but including the
  /// copies that cleaning makes. So cleaning reduces it by what it gains, no matter which files are written at the same
  /// time. Commits, pages of the database and heads count.
  package var bytesWithoutNewData: Int64 {
    log.locked { log in Int64(log.catalog.keptCount * segmentSize - log.rest) - log.tail.dataBytes }
  }

  /// The room in the space and on the disk.
  package func capacity() -> SpaceCapacity {
    log.locked { log in
      let measure = log.measureRoom()
      let available = max(0, measure.rest + measure.pool - measure.reserve)
      return SpaceCapacity(
        totalBytes: measure.host.total, freeBytes: max(measure.host.free, available) + measure.host.kept,
        availableBytes: available,
        usedBytes: Int64(log.catalog.keptCount * segmentSize), ownBytes: log.ownBytes)
    }
  }

  /// The names of all segment files of the space that may exist.
  package func segmentIdentifiers() -> [SegmentIdentifier] { segmentFiles().map(\.identifier) }

  /// All segment files of the space that may exist.
  func segmentFiles() -> [(number: SegmentNumber, identifier: SegmentIdentifier)] {
    log.locked { log in
      log.catalog.segments.map { ($0, keys.identifier($0, branch: log.catalog.branch(of: $0.epoch) ?? [])) }
    }
  }
}
