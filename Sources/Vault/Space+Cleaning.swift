internal import Storage
internal import System

/// What cleaning needs to know and do.
extension Space {
  /// All segments of the space that were not given up.
  package func segments() -> [SegmentState] {
    lock.withLock {
      var states: [SegmentState] = []
      for (epoch, entry) in epochs {
        for index in 0..<SegmentNumber.perEpoch where entry.present >> UInt64(index) & 1 == 1 {
          let number = SegmentNumber(epoch: epoch, index: index)
          guard retired[number] == nil, !pendingRetired.contains(number) else { continue }
          let isOpen = number == current?.number || unflushed.contains { $0.number == number }
          states.append(SegmentState(number: number, isOpen: isOpen, databasePages: map.count(in: number)))
        }
      }
      return states.sorted { $0.number < $1.number }
    }
  }

  /// Bytes of one segment.
  package var segmentBytes: Int { segmentSize }

  /// How many segments were given up and wait until no kept head needs them.
  package var retiredSegments: Int { lock.withLock { retired.count + pendingRetired.count } }

  /// The pages of the database's current state that a segment holds.
  package func databasePages(in segment: SegmentNumber) -> [PageNumber] {
    lock.withLock { map.pages(in: segment) }
  }

  /// Gives up segments. The caller vows that the committed state of the database names no extent in them; segments that are open or
  /// hold current database pages are passed over. They are deleted once no kept head needs them.
  package func retire(_ segments: [SegmentNumber]) {
    lock.withLock {
      for segment in segments
      where segment != current?.number && map.count(in: segment) == 0 && retired[segment] == nil
        && !unflushed.contains(where: { $0.number == segment })
      {
        guard let entry = epochs[segment.epoch], entry.present >> UInt64(segment.index) & 1 == 1 else { continue }
        pendingRetired.insert(segment)
      }
    }
  }
}

extension Space {
  /// Names of all segment files of the space that may exist.
  func segmentIdentifiers() -> [SegmentIdentifier] {
    lock.withLock {
      epochs.flatMap { epoch, entry in
        (0..<SegmentNumber.perEpoch).filter { entry.present >> UInt64($0) & 1 == 1 }
          .map { keys.identifier(SegmentNumber(epoch: epoch, index: $0), branch: entry.branch) }
      }
    }
  }
}
