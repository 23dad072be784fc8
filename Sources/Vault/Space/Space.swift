// One space: an encrypted log with file data, and the pages of one database.
//
// Invariants
// 1. The records of a commit are reserved together, in one epoch. The page map changes after they are written.
// 2. The order across files is always: data, flush, head, flush, delete. No segment that a kept head needs is deleted.
// 3. After a failed flush, or a failed write unless the disk was full, the gate is shut: the space is read-only.
//
// Where to look: Log.swift has the lock and its rule, LogTail the order of writing, SegmentCatalog the files,
// Durability the flushes, RoomBudget the room, LoggedDatabase the pages, Snapshots the reads of a state during later
// writes.

package import Crypto
internal import Storage
internal import System
internal import SystemPackage

/// The findings of recovery about the open state.
package struct SpaceOrigin: Sendable {
  /// The damage that recovery found; nil when it found the newest state.
  package internal(set) var warning: String?
  /// Whether a head that leads to this state is lost. The next head gets a number that the search finds without it.
  package internal(set) var isMissedBySearch = false
  /// Whether the log was closed at this state. Any later write has begun another epoch.
  package internal(set) var isClosed = false
  /// Whether the vault is a copy that was not written since.
  package internal(set) var isCopy = false
  /// Whether the host stores no birth times, so that the vault always counts as a copy.
  package internal(set) var isBirthUnknown = false
  /// Whether the copy was made while the space was written to, and lacks a part of the newest state. The open state is
  /// complete, and `warning` says that it is older.
  package internal(set) var isUnfinishedCopy = false
}

/// One space of a vault: an encrypted log that holds file data and the pages of one database. Safe from any thread.
package final class Space: Sendable {
  /// The longest plaintext of one `ExtentWrite`, in bytes.
  package static let maximumExtentLength = 1 << 20
  /// The greatest size of a file, in bytes. With it, no offset rounded up to a window of writing (as long as the
  /// longest extent) exceeds 63 bits.
  package static let maximumFileSize = Int64.max - 2 * Int64(maximumExtentLength)
  /// The most pages of the database. A table of their positions, 8 bytes each, then takes at most a quarter of an
  /// epoch, and 256 MiB of memory.
  static func mostDatabasePages(segmentSize: Int) -> UInt32 {
    UInt32(min(1 << 25, SegmentNumber.perEpoch * segmentSize / 32))
  }
  /// Size of a database page, in bytes.
  package static let databasePageSize = 4096
  /// The longest time, in seconds, that a copy of the vault may take and still be complete.
  package static let defaultCopyWindow: Int64 = 24 * 3600

  /// The findings of recovery about the open state.
  package let origin: SpaceOrigin
  /// Whether the space may be written.
  package let gate: WriteGate
  /// The content of the slots of its passwords, as of when it was opened.
  package let body: SlotBody
  let log: Log

  init(
    _ context: LogContext, body: SlotBody, state: RecoveredState, leases: Leases, readOnlyReason: String?
  ) {
    self.body = body
    gate = WriteGate(shutBecause: readOnlyReason)
    log = Log(context, state: state, leases: leases, gate: gate)
    origin = state.origin
  }

  /// The files of a space that owns cover.
  package var cover: OwnCover { OwnCover(space: self) }
  /// Replaces the key of the space.
  package var keyChange: KeyChange { KeyChange(space: self) }

  var storage: any Storage { log.context.storage }
  var keys: SpaceKeys { log.context.keys }
  var segmentSize: Int { log.context.segmentSize }

  /// Begins a keyed hash of a file's content, 32 bytes. Within a space, equal contents have equal hashes.
  package func contentHasher() -> KeyedHasher { KeyedHasher(key: keys.contentKey, count: 32) }

  /// A proof, 32 bytes, that this space is open. Another process that has opened the same space can check it with the
  /// same challenge. To all others it reveals nothing.
  package func proof(of challenge: [UInt8]) -> [UInt8] {
    KeyedHash.identifier(of: keys.contentKey, context: "agonyfs mount", data: challenge, count: 32)
  }

  /// Bytes appended but not flushed.
  package var unflushedBytes: Int { log.locked { $0.durability.unflushedBytes } }

  /// Opens a segment for reading, or returns the cached handle.
  func handle(_ number: SegmentNumber) throws(VaultError) -> SegmentHandle {
    if let handle = log.cache[number] { return handle }
    guard let branch = log.locked({ $0.catalog.branch(of: number.epoch) }) else {
      throw .damaged("an epoch is not in the head's list")
    }
    let identifier = keys.identifier(number, branch: branch)
    var opened: SegmentHandle?
    do throws(Errno) {
      opened = try SegmentHandle.open(try openFile(identifier), keys: keys)
    } catch .noSuchFileOrDirectory {
      throw .damaged("a segment is missing")
    } catch .notRegularFile {
      throw .damaged("a segment is not a regular file")
    } catch {
      throw .system(error, "reading a segment")
    }
    if opened == nil, number.index == 0 { opened = try Recovery(context: log.context).head(number.epoch)?.handle }
    guard let opened else { throw .damaged("a segment does not open") }
    guard opened.number == number, opened.header.branch == branch else {
      throw .damaged("a segment is another one")
    }
    log.cache.insert(opened)
    return opened
  }

  /// Opens a file for reading. If too many files are open, closes the cached ones first.
  private func openFile(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader {
    do throws(Errno) {
      return try storage.open(identifier)
    } catch .tooManyOpenFiles, .tooManyOpenFilesInSystem {
      log.cache.removeAll()
      return try storage.open(identifier)
    }
  }
}

extension LockedLog {
  /// Calls the storage without the lock. A full disk does not count as a failure.
  ///
  /// - Throws: `.noSpace`; `.system` after shutting the gate.
  mutating func store(_ doing: String, _ body: () throws(Errno) -> Void) throws(VaultError) {
    do throws(Errno) {
      try unlocked(body)
    } catch .noSpace, .diskQuotaExceeded {
      throw .noSpace
    } catch {
      throw fail(error, doing)
    }
  }

  /// Shuts the gate after a failure, and returns the error to throw.
  func fail(_ error: Errno, _ doing: String) -> VaultError {
    gate.shut(because: error == .changedByOthers ? Self.changedElsewhere : "\(doing) failed: \(error)")
    announce()
    return .system(error, doing)
  }
}
