internal import Storage
internal import SystemPackage

/// Making the files of a space, and deleting others for them (FilePool.swift).
extension LockedLog {
  /// Makes the file of a segment, with its room. In a space that owns cover another one goes when `deleteReplaced` is
  /// called.
  ///
  /// - Throws: `.fileExists`; `.noSpace`, with nothing changed.
  func makeFile(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    guard pool.ownsCover else { return try createFile(identifier) }
    guard pool.availableCount(dead: catalog.deletable.count) > 0 else { throw .noSpace }
    let writer = try createFile(identifier)
    pool.noteMade()
    return writer
  }

  /// Creates a file and holds its room; leaves none if there is no room. Called again after files that can be opened again
  /// were closed, if too many are open.
  private func createFile(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    let writer: any SegmentWriter
    do throws(Errno) {
      writer = try context.storage.create(identifier)
    } catch .tooManyOpenFiles, .tooManyOpenFilesInSystem {
      cache.removeAll()
      writer = try context.storage.create(identifier)
    }
    do throws(Errno) {
      try room.holdRoom(of: writer)
    } catch {
      try context.storage.delete(identifier)
      throw error
    }
    return writer
  }

  /// Deletes files that nothing needs, for as many that were made, unless the space was closed for writing; the next mount
  /// puts that right. It does so without the lock, since deleting one takes milliseconds.
  mutating func deleteReplaced() {
    while pool.missingCount < 0, deleteNext() != nil {}
  }

  /// How many files that cannot be deleted are passed over for others.
  private static let mostFailures = 3

  /// Deletes the file that goes next, without the lock, and says whether it was there; nil if there is none, or it cannot
  /// be deleted.
  private mutating func deleteNext() -> Bool? {
    for _ in 0..<Self.mostFailures {
      guard gate.isOpen, let file = pool.beginDeletion(&catalog, context.keys) else { return nil }
      if let segment = file.segment { release([segment.number]) }
      let context = context
      let wasThere = unlocked { try? context.delete(file) }
      pool.endDeletion(of: file, isGone: wasThere != nil, &catalog)
      announce()
      if let wasThere {
        durability.newNames.append(file.name)
        return wasThere
      }
    }
    return nil
  }

  /// Calls `body`, which makes the files of a head, again when room was made for it on a full host.
  ///
  /// - Throws: what `body` does; `.noSpace` when no room can be made.
  mutating func makingHostRoom<Result>(
    _ body: (inout LockedLog) throws(VaultError) -> Result
  ) throws(VaultError) -> Result {
    while true {
      do throws(VaultError) {
        return try body(&self)
      } catch {
        guard error == .hostFull else { throw error }
      }
      let hasRoom = makeHostRoom(since: pool.timesRoomWasMade, isOfEpoch: true)
      try gate.requireOpen()
      if !hasRoom { throw room.refusal() }
    }
  }

  /// Makes room for a file on a host that is full: deletes the first file that nothing needs, durably and without the
  /// lock. What is missing makes no room. Several threads make it one after the other.
  ///
  /// - Parameters:
  ///   - times: `timesRoomWasMade` when what found the host full had not found it so yet.
  ///   - isOfEpoch: whether the beginning of an epoch waits for the caller. Others wait for it.
  /// - Returns: whether room was made since; false also if it was made before in vain.
  mutating func makeHostRoom(since times: Int, isOfEpoch: Bool = false) -> Bool {
    while pool.isMakingRoom || (tail.isBeginningEpoch && !isOfEpoch) { wait() }
    if pool.timesRoomWasMade != times { return true }
    if pool.hasRoom || !gate.isOpen { return false }
    pool.beginMakingRoom()
    var wasThere = deleteNext()
    while wasThere == false { wasThere = deleteNext() }
    if wasThere != nil {
      let storage = context.storage
      // btrfs gives the room of what is deleted when all of it is durable.
      unlocked { try? storage.flushAll() }
    }
    pool.endMakingRoom(isMade: wasThere != nil)
    announce()
    return wasThere != nil
  }

  /// Deletes the files of a head that was not completed, without the lock: its number is free again, and the number of
  /// files stays.
  mutating func withdrawHead(of epoch: EpochNumber) {
    guard pool.ownsCover, let entry = catalog.epochs[epoch] else { return }
    let context = context
    for number in entry.segments(of: epoch).reversed() where gate.isOpen {
      cache.remove(number)
      let name = context.keys.identifier(number, branch: entry.branch)
      let isDeleted = unlocked {
        // Another machine may have put its own there.
        !context.isOfAnotherBranch(name, than: entry.branch) && (try? context.storage.delete(name)) != nil
      }
      if !isDeleted { return }
      pool.noteDeleted()
      catalog.withdraw(number)
    }
  }
}
