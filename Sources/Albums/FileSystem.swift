// The file system of one space, without FUSE, and the lock that guards its state.
//
// Invariants
// 1. An operation waits before it changes anything, never after. So a thread that holds the lock and finds no operation
//    in its critical part sees the state after a whole number of operations.
// 2. A commit stores such a state. From the moment `commits.isCritical` is set until the index has committed, no
//    operation changes anything, and all data that was written before is in the log and named by the index.
// 3. The inodes in memory are newer than the index: `inodes` counts, and their rows may be out of date.
// 4. Data waits, is in flight, then is named by extents (WriteBuffer.swift). Memory that holds data in the first two
//    states is at most `dirtyLimit`, and one write more.
// 5. Memory does not grow with the number of files that the kernel knows: InodeSet.swift says which inodes are kept.
// 6. After a failure of the log or of the index the space's gate is shut: nothing changes any more (`EROFS`), and
//    reading continues.
// 7. Only a commit gives up a segment with data, and only when no data is in flight as its state is taken: data in
//    flight may have been written to any segment.
//
// Lock rule: the guarded state, the index included, is reached only through `LockedFileSystem`, which exists only while
// the lock is held. A `mutating` method of it may release the lock for a while; the others keep it. Data, intents and
// commits are sealed, opened, read and written without the lock, and so are the files of this machine, such as the
// table of towns and those of time zones. A long read of the index takes a moment of it, and releases the lock
// (FileSystem+Moment.swift). No thread waits for a decoder or for another thread while it holds the lock. A debug build
// traps if this is broken (`Waiting`). Messages to the system log are sent with the lock held, and two things do I/O.
// The first is the index: SQLite needs a page in the middle of a statement, and a page that no cache has is read and
// opened then. The second is a question to the space for room: `Space.answer` sometimes asks the disk how much is free,
// and `promise`, `notePromised` and `renewPromises` also resize the file that holds the reserve. The space has a
// separate lock, taken after this one.

package import Index
package import System
package import SystemPackage
package import Vault

/// The file system of one space, without FUSE: inodes, names, file data. Safe to call from any thread.
package final class FileSystem: @unchecked Sendable {
  /// The log.
  package let space: Space
  let options: FileSystemOptions
  /// Whether changes were impossible from the start.
  let startedReadOnly: Bool
  /// Memory for data that is being read or written.
  package let pool = BufferPool(Chunk.blockSizes)
  /// The times of requests by programs. The mount notes them.
  package let recentUse = RecentUse()
  /// Receives reports of changes.
  package let changeSink: any ChangeSink
  /// The lock rule at the top of this file is its rule.
  private let monitor = Lock(excluding: .waiting)

  fileprivate let index: Index
  fileprivate let signals: Signals
  fileprivate var inodes: InodeSet
  fileprivate var writeBack = WriteBack()
  fileprivate var commits = CommitState()
  fileprivate var intents = IntentState()
  fileprivate var cleaning = CleaningState()
  fileprivate var life = Life()

  /// Opens the file system of a space and starts its background threads. Remains of unlinked files are deleted in the
  /// background.
  ///
  /// - Parameter changeSink: receives the changes of this file system, and of no other.
  /// - Throws: `.damaged` when there is no index in the space, or none that can be read; `.noSpace`; `.readOnly`;
  ///   `.indexFailed`; `.system` when a thread cannot be started.
  package init(
    space: Space, options: FileSystemOptions, changeSink: any ChangeSink
  ) throws(VaultError) {
    self.space = space
    self.options = options
    self.changeSink = changeSink
    index = try VaultError.ofIndex { () throws(IndexError) in try Index(space: space) }
    signals = Signals(of: monitor)
    inodes = InodeSet(limit: options.cachedInodes)
    if options.isReadOnly { space.gate.shut(because: "it was opened for reading only") }
    startedReadOnly = !space.gate.isOpen
    changeSink.begin(self)
    if !startedReadOnly {
      // The tables of a large index are large, and part of a commit. On a nearly full disk another mount creates them.
      let room = index.hasCatalog ? 0 : index.inodeCount * 96 + 1 << 20
      if space.admit(room, waiting: 0) { try? index.catalog.addCatalog() }
      locked { $0.data.renewPromises() }
    }
    locked { files in files.committer.redoIntents() }
    if !startedReadOnly { try startThreads() }
    incoming.removeOldPartials()
  }

  /// Gives up dead segments, and copies sparse ones forward.
  package var cleaner: Cleaner { Cleaner(fileSystem: self) }
  /// The directory of files that are not complete yet.
  package var incoming: IncomingDirectory { IncomingDirectory(fileSystem: self) }

  /// Calls `body` with the lock held. It may wait only for the things that the lock rule names; a debug build traps
  /// otherwise.
  @inline(__always)
  package func locked<Result, Failure: Error>(
    _ body: (inout LockedFileSystem) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    monitor.lock()
    defer { monitor.unlock() }
    var files = LockedFileSystem(of: self)
    return try body(&files)
  }

  @inline(__always)
  fileprivate func unlocked<Result, Failure: Error>(
    _ body: (FileSystem) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    monitor.unlock()
    defer { monitor.lock() }
    return try body(self)
  }

  /// How many opens have not been released.
  package var openFileCount: Int { locked { $0.inodes.opens } }

  /// The record of an inode that is in memory. The caller holds the lock.
  package func recordInMemory(_ number: InodeNumber) -> InodeRecord? {
    monitor.assertHeld()
    return inodes[number]?.record
  }

  /// The number of changes so far. As long as it stays the same, answers stay the same.
  package var changes: UInt64 { locked { $0.commits.changes } }

  /// Whether changes are refused, on request or after a failure to write.
  package var isReadOnly: Bool { !space.gate.isOpen }
}

/// Proof that the calling thread holds a file system's lock, and the only way to the guarded state. It exists only in
/// the body of `FileSystem.locked(_:)`.
package struct LockedFileSystem: ~Copyable {
  private let fileSystem: FileSystem

  fileprivate init(of fileSystem: FileSystem) { self.fileSystem = fileSystem }

  var space: Space { fileSystem.space }
  var options: FileSystemOptions { fileSystem.options }
  var pool: BufferPool { fileSystem.pool }
  /// Receives reports of changes.
  package var changeSink: any ChangeSink { fileSystem.changeSink }
  /// The current rows, except those of inodes that are newer in memory.
  package var index: Index { fileSystem.index }
  /// The times of requests by programs.
  package var recentUse: RecentUse { fileSystem.recentUse }
  /// The events that threads wait for.
  package var signals: Signals { fileSystem.signals }

  /// The error of a change that is refused; nil while changes may be made.
  package var refusal: Errno? { space.gate.isOpen ? nil : .readOnlyFileSystem }

  var inodes: InodeSet {
    _read { yield fileSystem.inodes }
    nonmutating _modify { yield &fileSystem.inodes }
  }
  var writeBack: WriteBack {
    _read { yield fileSystem.writeBack }
    nonmutating _modify { yield &fileSystem.writeBack }
  }
  var commits: CommitState {
    _read { yield fileSystem.commits }
    nonmutating _modify { yield &fileSystem.commits }
  }
  var intents: IntentState {
    _read { yield fileSystem.intents }
    nonmutating _modify { yield &fileSystem.intents }
  }
  var cleaning: CleaningState {
    _read { yield fileSystem.cleaning }
    nonmutating _modify { yield &fileSystem.cleaning }
  }
  var life: Life {
    _read { yield fileSystem.life }
    nonmutating _modify { yield &fileSystem.life }
  }

  /// The operations on the bytes of files. Like the following parts, it holds the lock, too.
  var data: FileData {
    _read { yield FileData(files: LockedFileSystem(of: fileSystem)) }
    _modify {
      var part = FileData(files: LockedFileSystem(of: fileSystem))
      yield &part
    }
  }
  var flusher: Flusher {
    _read { yield Flusher(files: LockedFileSystem(of: fileSystem)) }
    _modify {
      var part = Flusher(files: LockedFileSystem(of: fileSystem))
      yield &part
    }
  }
  var committer: Committer {
    _read { yield Committer(files: LockedFileSystem(of: fileSystem)) }
    _modify {
      var part = Committer(files: LockedFileSystem(of: fileSystem))
      yield &part
    }
  }
  var reaper: Reaper {
    _read { yield Reaper(files: LockedFileSystem(of: fileSystem)) }
    _modify {
      var part = Reaper(files: LockedFileSystem(of: fileSystem))
      yield &part
    }
  }
  /// The rights to search and read; it holds the lock, too.
  package var rights: AccessRights {
    _read { yield AccessRights(files: LockedFileSystem(of: fileSystem)) }
  }

  /// The same proof, for another such part. Do not keep it: it is valid only as long as this one.
  package func sameProof() -> LockedFileSystem { LockedFileSystem(of: fileSystem) }

  /// Releases the lock until something is signalled, or the time has come (monotonic, in nanoseconds). Wakeups may be
  /// spurious.
  package mutating func wait(for signal: Signal, until time: UInt64? = nil) {
    if let time { signals[signal].wait(until: time) } else { signals[signal].wait() }
  }

  /// Calls `body` without the lock.
  @inline(__always)
  package mutating func unlocked<Result, Failure: Error>(
    _ body: (FileSystem) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try fileSystem.unlocked(body)
  }
}

// Groups of operations with the lock held, one for each concern.

/// Reads and writes the content of files.
struct FileData: ~Copyable { var files: LockedFileSystem }
/// Writes waiting data from memory into the log.
struct Flusher: ~Copyable { var files: LockedFileSystem }
/// Commits changes.
struct Committer: ~Copyable { var files: LockedFileSystem }
/// Deletes inodes without a name that are not open.
struct Reaper: ~Copyable { var files: LockedFileSystem }
/// Decides the rights to search and read.
package struct AccessRights: ~Copyable {
  /// The proof that the lock is held.
  package let files: LockedFileSystem
}
