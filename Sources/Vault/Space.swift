// One space: an encrypted log with file data, and in it the pages of one database.
//
// Invariants
// 1. Log order is the order of reservations. Bytes of a segment are written in that order, front to back, each offset once; a run that
//    could not be written is kept, as ciphertext, and nothing after it is written before it.
// 2. A commit's records are reserved in one go, in one epoch; the page map changes after they were handed to the storage.
// 3. The order across files is always: data, flush, head, flush, delete. Nothing is deleted that a kept head needs.
// 4. Nothing is appended to what an earlier mount wrote: the first write of a mount begins an epoch.
// 5. After a failed write (other than a full disk) or a failed flush the space is read-only.
// 6. `epochs` names every segment file of this space that may exist; only those are ever deleted, and of those no head that another machine wrote.
//
// Locks: `lock` guards every property below it. It is never held while sealing, or during I/O other than creating a segment.

package import Crypto
internal import Glibc
internal import Storage
internal import Synchronization
internal import System
internal import SystemPackage

/// One space of a vault: an encrypted log that holds file data and the pages of one database.
package final class Space: @unchecked Sendable {
  /// Longest plaintext of one `ExtentWrite`, in bytes.
  package static let maximumExtentLength = 1 << 20
  /// Size of a database page, in bytes.
  package static let databasePageSize = 4096
  /// How long a copy of the vault may take and still be complete, in seconds.
  package static let defaultCopyWindow: Int64 = 24 * 3600

  let storage: any Storage
  /// The time of day, in seconds since 1970.
  let clock: @Sendable () -> Int64
  let keys: SpaceKeys
  let segmentSize: Int
  let copyWindow: Int64
  let cache = SegmentCache()

  let lock = Lock()
  /// Something that threads wait for has changed.
  let changed: Condition
  /// What recovery found wrong; nil when it found the newest state.
  package let recoveryWarning: String?
  /// Whether a head that leads to the state that this space was opened at is lost. The next head gets a number to which another way leads.
  package let isMissedBySearch: Bool
  /// Whether it was opened in a copy of the vault that nobody has written to.
  package let isCopy: Bool
  /// Whether this is a copy that was made while the space was written to, and lacks something of what it has of the newest state: the state that
  /// is shown is whole, and `recoveryWarning` says that it is an older one.
  package let isUnfinishedCopy: Bool
  var failure: String?
  var closed = false

  // The state that a head states.
  var epochs: [EpochNumber: EpochEntry]
  var map: PageMap
  var heads: [KeptHead]
  var retired: [SegmentNumber: EpochNumber]
  var sequence: UInt64
  /// Writes that are in the log's commits and not in the database, encoded.
  var intents: [UInt8]
  /// Given up since the newest head.
  var pendingRetired: Set<SegmentNumber>
  /// The highest epoch number that was ever used, torn heads included.
  var highestEpoch: EpochNumber

  // Where the log goes on.
  var current: OpenSegment?
  var end: Int
  var endSegment: SegmentNumber
  var chain: [UInt8]
  var nextTicket: UInt64 = 0
  var writtenTicket: UInt64 = 0
  var writtenEnd: LogPosition
  var switching = false
  var commitPending = false
  /// What recovery has to make durable and complete before the first write.
  var recovered: [SegmentIdentifier]
  /// Heads without use, which are completed once there is a newer one: until then a complete head that cannot be read is damage.
  var torn: [SegmentIdentifier]

  // What waits for room.
  var stalled: [StalledWrite] = []
  var unwrittenPages: [PageNumber: [UInt8]] = [:]
  var unwrittenPageCount: UInt32?
  /// What the next commit of pages makes of the intents.
  var nextIntents = IntentChange.none
  var rewriteQueue: Set<PageNumber> = []
  var reserveHeld = true
  /// Bytes of commits of intents for which there was room when the disk was asked.
  var roomForIntents = 0
  /// Whether the storage can hold room at all.
  var holdsRoom = true

  // What waits for a flush.
  var unflushed: [OpenSegment] = []
  var unflushedCount = 0
  var flushedThrough: LogPosition
  var flushing = false
  var recordsSinceHead = 0
  /// When the next look for another writer's head is due, on the monotonic clock.
  var nextLookForOthers: UInt64 = 0

  /// Leases on the newest heads: they keep other processes out of the space.
  var leases: [any SegmentLease]
  /// Whether others were told that the leases end soon.
  var endIsAnnounced = false

  init(
    storage: any Storage, keys: SpaceKeys, segmentSize: Int, copyWindow: Int64, state: RecoveredState,
    leases: [any SegmentLease], clock: @escaping @Sendable () -> Int64, readOnlyReason: String?
  ) {
    changed = Condition(of: lock)
    self.storage = storage
    self.clock = clock
    self.keys = keys
    self.segmentSize = segmentSize
    self.copyWindow = copyWindow
    self.leases = leases
    epochs = state.epochs
    map = PageMap(positions: state.pages)
    heads = state.heads
    retired = state.retired
    sequence = state.sequence
    intents = state.intents
    pendingRetired = state.leftover
    highestEpoch = state.highestEpoch
    end = state.end.offset
    endSegment = state.end.segment
    chain = state.chain
    writtenEnd = state.end
    flushedThrough = state.end
    recovered = state.tail
    torn = state.torn
    recoveryWarning = state.warning
    isMissedBySearch = state.isMissedBySearch
    isCopy = state.isCopy
    isUnfinishedCopy = state.isUnfinishedCopy
    failure = readOnlyReason
  }

  /// Begins a keyed hash, 32 bytes long, of the content of a file: equal contents of one space have equal hashes.
  package func contentHasher() -> KeyedHasher { KeyedHasher(key: keys.contentKey, count: 32) }

  /// Whether the space refuses writes.
  package var isReadOnly: Bool { lock.withLock { failure != nil } }

  /// Why it does, for messages.
  package var readOnlyReason: String? { lock.withLock { failure } }

  /// Refuses writes from now on.
  package func makeReadOnly(_ reason: String) {
    lock.withLock { if failure == nil { failure = reason } }
  }

  /// Whether a commit, or data that was appended, waits in memory for room on the disk.
  package var hasUnwrittenCommit: Bool { lock.withLock { unwrittenPageCount != nil || !stalled.isEmpty } }

  /// Bytes appended and not flushed.
  package var unflushedBytes: Int { lock.withLock { unflushedCount } }

  /// Call with the lock held.
  func checkWritable() throws(VaultError) {
    if let failure { throw .readOnly(failure) }
    if closed { throw .readOnly("the space is closed") }
  }

  /// Turns the space read-only for good; call with the lock held.
  func fail(_ error: Errno, _ doing: String) -> VaultError {
    if failure == nil { failure = error == .changedByOthers ? Self.changedElsewhere : "\(doing) failed: \(error)" }
    changed.broadcast()
    return .system(error, doing)
  }

  func branch(of epoch: EpochNumber) -> [UInt8]? { epochs[epoch]?.branch }

  /// Opens the segment for reading, or finds it open.
  func handle(_ number: SegmentNumber) throws(VaultError) -> SegmentHandle {
    if let handle = cache[number] { return handle }
    guard let branch = lock.withLock({ branch(of: number.epoch) }) else {
      throw .damaged("a segment of an epoch that the head does not name is asked for")
    }
    let identifier = keys.identifier(number, branch: branch)
    do {
      guard let opened = try SegmentHandle.open(try openFile(identifier), keys: keys) else {
        let recovery = Recovery(storage: storage, keys: keys, segmentSize: segmentSize)
        guard number.index == 0, let head = try recovery.head(number.epoch) else {
          throw VaultError.damaged("segment \(identifier) does not open")
        }
        cache.insert(head.reader.handle)
        return head.reader.handle
      }
      guard opened.header.number == number, opened.header.branch == branch else {
        throw VaultError.damaged("segment \(identifier) is another segment")
      }
      cache.insert(opened.handle)
      return opened.handle
    } catch let error as VaultError {
      throw error
    } catch Errno.noSuchFileOrDirectory {
      throw .damaged("segment \(identifier) is missing")
    } catch {
      throw .system((error as? Errno) ?? .ioError, "reading segment \(identifier)")
    }
  }
}

extension Space {
  /// Opens a file for reading, also when as many files are open as may be.
  private func openFile(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader {
    do throws(Errno) {
      return try storage.open(identifier)
    } catch .tooManyOpenFiles, .tooManyOpenFilesInSystem {
      cache.removeAll()
      return try storage.open(identifier)
    } catch {
      throw error
    }
  }
}

/// A segment that is being written, or waits for its flush.
final class OpenSegment: Sendable {
  private let durableName = Atomic(false)
  let number: SegmentNumber
  let identifier: SegmentIdentifier
  let writer: any SegmentWriter
  let key: SealingKey
  /// Salt and sealed header, which the first run of the segment carries.
  let start: [UInt8]

  init(
    number: SegmentNumber, identifier: SegmentIdentifier, writer: any SegmentWriter, key: SealingKey, start: [UInt8]
  ) {
    self.number = number
    self.identifier = identifier
    self.writer = writer
    self.key = key
    self.start = start
  }

  /// Whether the file's name survives a loss of power.
  var nameIsDurable: Bool {
    get { durableName.load(ordering: .acquiring) }
    set { durableName.store(newValue, ordering: .releasing) }
  }
}

/// Sealed bytes that did not get onto the disk yet because it was full.
struct StalledWrite {
  let segment: OpenSegment
  let offset: Int
  let bytes: [UInt8]
  /// Whether the segment is complete with these bytes.
  let completes: Bool
}
