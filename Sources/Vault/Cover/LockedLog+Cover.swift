internal import Storage
internal import SystemPackage

/// Creates the files of a space, and deletes others for them (FilePool.swift).
extension LockedLog {
  /// Creates the file of a segment, with its room. In a space that owns cover, `deleteReplaced` then deletes another
  /// file.
  ///
  /// - Throws: `.fileExists`; `.noSpace`, without any change.
  func makeFile(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    guard pool.ownsCover else { return try createFile(identifier) }
    guard pool.availableCount(dead: catalog.deletable.count) > 0 else { throw .noSpace }
    let writer = try createFile(identifier)
    pool.noteMade()
    return writer
  }

  /// Creates a file and holds its room, or deletes it again if there is no room. If too many files are open, closes
  /// cached ones and tries again.
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

  /// Deletes files that nothing needs, one for each file that was created. Stops when the space is closed for writing;
  /// the next mount then restores the number. Works without the lock, because deleting a file takes milliseconds.
  mutating func deleteReplaced() {
    while pool.missingCount < 0, deleteNext() != nil {}
  }

  /// How many files that cannot be deleted are skipped in favour of others.
  private static let mostFailures = 3

  /// Deletes the next file, without the lock, and returns whether it existed; nil if there is none, or if it cannot be
  /// deleted.
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

  /// Calls `body`, which creates the files of a head. On a full host, makes room and calls it again.
  ///
  /// - Throws: the errors of `body`; `.noSpace` when no room can be made.
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

  /// Makes room for a file on a full host: deletes the first file that nothing needs, durably and without the lock. A
  /// file that no longer existed frees nothing, so the next one is deleted. Threads make room one after the other.
  ///
  /// - Parameters:
  ///   - times: the value of `timesRoomWasMade` before the caller found the host full.
  ///   - isOfEpoch: whether the beginning of an epoch waits for the caller. Other callers wait for the epoch.
  /// - Returns: whether room was made since; false also if room was made before and did not help.
  mutating func makeHostRoom(since times: Int, isOfEpoch: Bool = false) -> Bool {
    while pool.isMakingRoom || (tail.isBeginningEpoch && !isOfEpoch) { wait() }
    if pool.timesRoomWasMade != times { return true }
    if pool.hasRoom || !gate.isOpen { return false }
    pool.beginMakingRoom()
    var wasThere = deleteNext()
    while wasThere == false { wasThere = deleteNext() }
    if wasThere != nil {
      let storage = context.storage
      // btrfs frees the room of deleted files only after the whole file system is flushed.
      unlocked { try? storage.flushAll() }
    }
    pool.endMakingRoom(isMade: wasThere != nil)
    announce()
    return wasThere != nil
  }

  /// Deletes the files of a head that was not completed, without the lock. Its number becomes free again, and the
  /// number of files stays the same.
  mutating func withdrawHead(of epoch: EpochNumber) {
    guard pool.ownsCover, let entry = catalog.epochs[epoch] else { return }
    let context = context
    for number in entry.segments(of: epoch).reversed() where gate.isOpen {
      cache.remove(number)
      let name = context.keys.identifier(number, branch: entry.branch)
      let isDeleted = unlocked {
        // Another machine may have put its own file there.
        (try? context.isOfAnotherBranch(name, than: entry.branch)) == false
          && (try? context.storage.delete(name)) != nil
      }
      if !isDeleted { return }
      pool.noteDeleted()
      catalog.withdraw(number)
    }
  }
}
