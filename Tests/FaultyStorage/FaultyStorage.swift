// A storage in memory that fails on purpose.
//
// It keeps what was written and what was flushed apart. What can go wrong, and where that is:
//
// - the process ends at operation n, which tears that operation's own write at any byte (`Fault.cut`),
// - the power fails: what was not flushed is there, is lost, or is there in part (`PowerCut.swift`); with a tape
//   (`Tape.swift`) after every operation of one run,
// - an operation fails with any error, once or from then on, or is carried out and reported as failed (`Fault`), or the
//   disk is full (`setLimit`),
// - the host lacks abilities, as one of a network does (`lack`),
// - reads of a file fail with any error (`failReads`), and lists at a file (`failLists`),
// - bytes are changed, files go, come back, are exchanged or cut short (`tamper`).
//
// Everything that chance decides comes from a seed, and files are always taken in the order of their creation, since
// names are random.

package import Storage
internal import Synchronization
internal import System
package import SystemPackage
internal import TestSupport
internal import Vault

/// A small generator with a seed, so that a failure can be repeated.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var numbers: SplitMix64
  /// Begins with a seed.
  package init(seed: UInt64) { numbers = SplitMix64(seed: seed) }
  /// The next number.
  package mutating func next() -> UInt64 { numbers.next() }

  /// The next bytes, 8 in a step; quick in a debug build, too.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: (count + 7) & ~7) { buffer, filled in
      let words = UnsafeMutableRawBufferPointer(buffer)
      // A loop over a range takes ten times as long in a debug build.
      var place = 0
      while place < count {
        unsafe words.storeBytes(of: next(), toByteOffset: place, as: UInt64.self)
        place += 8
      }
      filled = count
    }
  }
}

/// `count` bytes that depend on a seed.
package func randomBytes(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
  var generator = SeededGenerator(seed: seed)
  return generator.bytes(count)
}

/// What goes wrong, and when. Operations that change something are counted from 1.
package enum Fault: Sendable {
  /// From operation n on nothing works any more, as when the process is killed there; the operation's own write is
  /// torn.
  case cut(at: Int)
  /// Operation n fails with this error, once.
  case error(Errno, at: Int)
  /// Operation n is carried out and fails with this error, as when a reply of a server is lost.
  case lostReply(Errno, at: Int)
  /// Every operation from n on fails with this error.
  case errors(Errno, from: Int)
  /// Before operation n the disk becomes full: what takes more room than there was then is refused, until something is
  /// deleted.
  case full(from: Int)
}

/// Segment files in memory.
package final class FaultyStorage: Storage, @unchecked Sendable {
  final class File: @unchecked Sendable {
    var content: [UInt8] = []
    /// How many bytes from the front are flushed.
    var flushedCount = 0
    var nameIsFlushed = false
    /// Seconds since 1970 of the last write.
    var modified: Int64 = 0
    var held = 0
    let birth: FileBirth
    init(birth: FileBirth) { self.birth = birth }
    /// The same bytes in the same place.
    init(_ other: File) {
      content = other.content
      flushedCount = other.flushedCount
      nameIsFlushed = other.nameIsFlushed
      modified = other.modified
      birth = other.birth
    }

    func markComplete() { modified = Int64(DirectoryStorage.completeTime) }

    /// What is on the disk for certain.
    var durable: [UInt8] { Array(content.prefix(flushedCount)) }

    /// Writes bytes; those that were written before are the same.
    func write(_ bytes: ArraySlice<UInt8>, at offset: Int) {
      let end = offset + bytes.count
      if end > content.count { content += [UInt8](repeating: 0, count: end - content.count) }
      content.replaceSubrange(offset..<end, with: bytes)
    }

    /// Has all that is there be on the disk.
    func settle() {
      flushedCount = content.count
      nameIsFlushed = true
    }
  }

  let lock = Lock()
  let changed: Condition
  var parameters: [UInt8]?
  var files: [SegmentIdentifier: File] = [:]
  var deleted: [SegmentIdentifier: File] = [:]
  /// Who holds which lease, whether alone, and whether its end is announced.
  var leases: [ObjectIdentifier: (token: LeaseToken, isExclusive: Bool, isEnding: Bool)] = [:]
  var operations = 0
  var fault: Fault?
  var isCut = false
  var limit = Int.max
  /// Bytes that are held for no file.
  var reserved = 0
  /// Bytes that were held beyond the ends of files when the disk became full.
  package private(set) var heldWhenFull = 0
  /// The operation at which it did; 0 when it did not.
  package private(set) var filledAt = 0
  /// How often a file was looked for, to read it.
  package internal(set) var openCount = 0
  /// So many deletions fail.
  var failingDeletions = 0
  /// Files that cannot be read beyond an offset, and why.
  var unreadable: [SegmentIdentifier: (from: Int, error: Errno)] = [:]
  /// Files that cannot be listed, and why.
  var unlistable: [SegmentIdentifier: Errno] = [:]
  /// The files that the host was told to keep nothing of in memory.
  package internal(set) var evicted: Set<SegmentIdentifier> = []
  /// How many files were deleted.
  package internal(set) var deletionCount = 0
  var births: UInt64 = 0
  var flushes = 0
  var flushesAreHeld = false
  /// What the host cannot do.
  var lacking: Set<HostAbility> = []
  /// The error of the present operation, which is carried out all the same.
  var lostReply: Errno?
  /// Bytes that others have.
  var foreign = 0
  /// Whether others take at once what a deletion frees.
  var othersTakeRoom = false
  /// Bytes that are said to be free; nil for what is.
  var claimedRoom: Int64?
  /// A test that does not let go of flushes fails.
  static let longestHold = Duration.seconds(300)
  var refusal: (@Sendable () -> Void)?
  var writing: (@Sendable () -> Void)?
  var tape: Tape?
  /// Whether the storage is read-only.
  package let isReadOnly: Bool
  /// When the machine was started, as tests have it.
  package var machineStarted: Int64? { lock.withLock { started } }
  private var started: Int64?
  /// The time of day for modification times, in seconds since 1970.
  let clock: @Sendable () -> Int64

  /// An empty storage. Its clock stands still in 1970, so that every file that is short looks abandoned, unless there
  /// is another.
  package init(isReadOnly: Bool = false, clock: @escaping @Sendable () -> Int64 = { 0 }) {
    self.isReadOnly = isReadOnly
    self.clock = clock
    changed = Condition(of: lock)
  }

  /// Operations that changed something, or tried to, so far.
  package var operationCount: Int { lock.withLock { operations } }
  /// Sets what goes wrong; operations are counted from the storage's creation.
  package func inject(_ fault: Fault?) { lock.withLock { self.fault = fault } }
  /// Flushes of files, and of all, that began so far, those that are held among them.
  package var flushCount: Int { lock.withLock { flushes } }
  /// Holds all flushes, but those of names, until this is taken back, as a slow disk does.
  package func holdFlushes(_ hold: Bool) {
    lock.withLock { flushesAreHeld = hold }
    changed.broadcast()
  }
  /// Has the next deletions fail.
  package func failDeletions(_ count: Int = 1) { lock.withLock { failingDeletions = count } }
  /// Has reads of a file that reach beyond an offset fail with an error, or no more.
  package func failReads(of identifier: SegmentIdentifier, from offset: Int = 0, _ error: Errno?) {
    lock.withLock { unreadable[identifier] = error.map { (from: offset, error: $0) } }
  }
  /// Has lists fail at a file with an error, or no more.
  package func failLists(at identifier: SegmentIdentifier, _ error: Errno?) {
    lock.withLock { unlistable[identifier] = error }
  }
  /// Limits the size of the storage, in bytes.
  package func setLimit(_ bytes: Int) { lock.withLock { limit = bytes } }
  /// Limits the storage to what it holds now, and so many bytes more.
  package func fill(leaving left: Int = 0) { lock.withLock { limit = used + left } }
  /// Has others take all that is free, or gives that back.
  package func fillByOthers(_ fill: Bool = true) {
    lock.withLock {
      foreign = 0
      if fill { foreign = max(0, limit - used) }
    }
  }
  /// Has others take at once what a deletion frees, or no more.
  package func letOthersTakeRoom(_ take: Bool = true) { lock.withLock { othersTakeRoom = take } }
  /// Has so many bytes be said to be free, or what is.
  package func claimRoom(_ bytes: Int64?) { lock.withLock { claimedRoom = bytes } }
  /// Bytes that are held for no file.
  package var reservedBytes: Int { lock.withLock { reserved } }
  /// All names, in the order in which the files were made.
  package var names: [SegmentIdentifier] { lock.withLock { sorted(files).map(\.key) } }
  /// The bytes of a file.
  package func content(_ identifier: SegmentIdentifier) -> [UInt8] {
    lock.withLock { files[identifier]?.content ?? [] }
  }
  /// Changes the bytes of a file, or removes it when `change` gives nil.
  package func tamper(_ identifier: SegmentIdentifier, _ change: ([UInt8]) -> [UInt8]?) {
    lock.withLock {
      guard let file = files[identifier] else { return }
      if let content = change(file.content) { file.content = content } else { files[identifier] = nil }
    }
  }
  /// Flips a bit of a file, if it is that long.
  package func flip(_ identifier: SegmentIdentifier, at offset: Int) {
    lock.lock()
    defer { lock.unlock() }
    if let file = files[identifier], offset < file.content.count { file.content[offset] ^= 1 }
  }
  /// Replaces a file by another one, as a rename does; open handles keep the old one.
  package func replace(_ identifier: SegmentIdentifier, by content: [UInt8]) {
    lock.withLock { files[identifier] = nil }
    place(content, as: identifier)
  }
  /// Puts a file there, or other bytes into one that is there.
  package func place(_ content: [UInt8], as identifier: SegmentIdentifier, modified: Int64 = 0) {
    lock.withLock {
      let file = files[identifier] ?? newFile()
      file.modified = modified
      file.content = content
      file.settle()
      files[identifier] = file
    }
  }

  /// Calls `body` whenever a lease is refused, and what it does may let the lease go.
  package func whenRefused(_ body: (@Sendable () -> Void)?) { lock.withLock { refusal = body } }

  /// Calls `body` after every write of a segment.
  package func whenWritten(_ body: (@Sendable () -> Void)?) { lock.withLock { writing = body } }

  /// Has the machine be started at a time, in seconds since 1970, or has other machines write as well.
  package func setMachineStarted(_ time: Int64?) { lock.withLock { started = time } }

  /// Leases that are held.
  package var leaseCount: Int { lock.withLock { leases.count } }

  /// Ends all leases, as the end of a process does.
  package func killProcess() { lock.withLock { leases = [:] } }

  /// A copy with other inodes and without what `isLeftOut` names, as a file-by-file backup makes.
  package func copy(
    isReadOnly: Bool = false, leavingOut isLeftOut: (SegmentIdentifier) -> Bool = { _ in false }
  ) -> FaultyStorage {
    let copy = FaultyStorage(isReadOnly: isReadOnly)
    copy.parameters = lock.withLock { parameters }
    for name in names where !isLeftOut(name) { copy.place(content(name), as: name) }
    return copy
  }

  /// Counts an operation; call with the lock held. True when this is the operation at which the process ends.
  func begin() throws(Errno) -> Bool {
    if isCut { throw .ioError }
    if isReadOnly { throw .readOnlyFileSystem }
    operations += 1
    lostReply = nil
    switch fault {
    case .cut(at: operations):
      isCut = true
      return true
    case .error(let error, at: operations): throw error
    case .lostReply(let error, at: operations): lostReply = error
    case .errors(let error, let first) where operations >= first: throw error
    case .full(from: operations):
      limit = used
      filledAt = operations
      heldWhenFull = files.values.reduce(0) { $0 + max(0, $1.held - $1.content.count) } + reserved
    default: break
    }
    return false
  }

  /// Ends an operation that was carried out as far as it is; call with the lock held. Throws if the process ends there,
  /// or if its reply is lost.
  func end(isCut: Bool = false) throws(Errno) {
    if isCut { throw .ioError }
    guard let error = lostReply else { return }
    lostReply = nil
    throw error
  }

  /// Counts a flush, and waits while flushes are held; call with the lock held.
  func waitForFlush() throws(Errno) {
    flushes += 1
    let deadline = monotonicTime() + Self.longestHold.nanoseconds
    while flushesAreHeld {
      guard changed.wait(until: deadline) else { throw .timedOut }
    }
  }

  /// Call with the lock held.
  func newFile() -> File {
    births += 1
    // No two storages have the same births, so that a copy is recognized.
    return File(birth: FileBirth(seconds: Int64(number), nanoseconds: UInt32(births)))
  }

  /// The storage's own number; a tape that is played takes that of the storage which was recorded.
  var number = nextNumber.withLock { next in
    next += 1
    return next
  }

  func sorted(_ files: [SegmentIdentifier: File]) -> [(key: SegmentIdentifier, value: File)] {
    files.sorted {
      ($0.value.birth.nanoseconds, $0.value.birth.seconds) < ($1.value.birth.nanoseconds, $1.value.birth.seconds)
    }
  }

  var used: Int {
    files.values.reduce(reserved + foreign + files.count * Self.roomOfFile) { $0 + max($1.content.count, $1.held) }
  }
  /// What a file takes beside its content.
  static let roomOfFile = 4096
}

private let nextNumber = Mutex(0)
