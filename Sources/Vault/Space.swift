// One space: an encrypted log with file data, and in it the pages of one database.
//
// Invariants
// 1. A commit's records are placed in one go, in one epoch; the page map changes after they were handed to the storage.
// 2. The order across files is always: data, flush, head, flush, delete. Nothing is deleted that a kept head needs.
// 3. After a failed write (other than a full disk) or a failed flush the gate is shut: the space is read-only.
//
// Where to look: Log.swift has the lock and its rule, LogTail the order of writing, SegmentCatalog the files,
// Durability what is flushed, RoomBudget who gets room, LoggedDatabase the pages.

package import Crypto
internal import Storage
internal import System
internal import SystemPackage

/// How the state was found at which a space was opened.
package struct SpaceOrigin: Sendable {
  /// What recovery found wrong; nil when it found the newest state.
  package let warning: String?
  /// Whether a head is lost that leads to this state. The next head gets a number to which another way leads.
  package let isMissedBySearch: Bool
  /// Whether it was opened in a copy of the vault that nobody has written to.
  package let isCopy: Bool
  /// Whether this is a copy that was made while the space was written to, and lacks a part of the newest state. What is
  /// shown is whole, and `warning` says that it is older.
  package let isUnfinishedCopy: Bool
}

/// One space of a vault: an encrypted log that holds file data and the pages of one database. Safe from any thread.
package final class Space: Sendable {
  /// Longest plaintext of one `ExtentWrite`, in bytes.
  package static let maximumExtentLength = 1 << 20
  /// Size of a database page, in bytes.
  package static let databasePageSize = 4096
  /// How long a copy of the vault may take and still be complete, in seconds.
  package static let defaultCopyWindow: Int64 = 24 * 3600

  /// How the state was found.
  package let origin: SpaceOrigin
  /// Whether the space may be written.
  package let gate: WriteGate
  let log: Log

  init(_ context: LogContext, state: RecoveredState, leases: [any SegmentLease], readOnlyReason: String?) {
    gate = WriteGate(shutBecause: readOnlyReason)
    log = Log(context, state: state, leases: leases, gate: gate)
    origin = SpaceOrigin(
      warning: state.warning, isMissedBySearch: state.isMissedBySearch, isCopy: state.isCopy,
      isUnfinishedCopy: state.isUnfinishedCopy)
  }

  var storage: any Storage { log.context.storage }
  var keys: SpaceKeys { log.context.keys }
  var segmentSize: Int { log.context.segmentSize }

  /// Begins a keyed hash, 32 bytes long, of the content of a file: equal contents of one space have equal hashes.
  package func contentHasher() -> KeyedHasher { KeyedHasher(key: keys.contentKey, count: 32) }

  /// Bytes appended and not flushed.
  package var unflushedBytes: Int { log.locked { $0.durability.unflushedBytes } }

  /// Opens the segment for reading, or finds it open.
  func handle(_ number: SegmentNumber) throws(VaultError) -> SegmentHandle {
    if let handle = log.cache[number] { return handle }
    guard let branch = log.locked({ $0.catalog.branch(of: number.epoch) }) else {
      throw .damaged("a segment of an epoch that the head does not name is asked for")
    }
    let identifier = keys.identifier(number, branch: branch)
    do {
      guard let opened = try SegmentHandle.open(try openFile(identifier), keys: keys) else {
        let recovery = Recovery(storage: storage, keys: keys, segmentSize: segmentSize)
        guard number.index == 0, let head = try recovery.head(number.epoch) else {
          throw VaultError.damaged("segment \(identifier) does not open")
        }
        log.cache.insert(head.reader.handle)
        return head.reader.handle
      }
      guard opened.header.number == number, opened.header.branch == branch else {
        throw VaultError.damaged("segment \(identifier) is another segment")
      }
      log.cache.insert(opened.handle)
      return opened.handle
    } catch let error as VaultError {
      throw error
    } catch Errno.noSuchFileOrDirectory {
      throw .damaged("segment \(identifier) is missing")
    } catch {
      throw .system((error as? Errno) ?? .ioError, "reading segment \(identifier)")
    }
  }

  /// Opens a file for reading, also when as many files are open as may be.
  private func openFile(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader {
    do throws(Errno) {
      return try storage.open(identifier)
    } catch .tooManyOpenFiles, .tooManyOpenFilesInSystem {
      log.cache.removeAll()
      return try storage.open(identifier)
    } catch {
      throw error
    }
  }
}

extension LockedLog {
  /// Shuts the gate after a failure; gives the error to throw.
  func fail(_ error: Errno, _ doing: String) -> VaultError {
    gate.shut(because: error == .changedByOthers ? Self.changedElsewhere : "\(doing) failed: \(error)")
    announce()
    return .system(error, doing)
  }
}
