// The file system of one space, without FUSE, and the lock that guards its state.
//
// Invariants
// 1. An operation waits before it changes anything, never after. So whoever holds the lock and finds no operation in
//    its critical part sees the state after a whole number of operations.
// 2. A commit stores such a state. From when `commits.isCritical` is set until the index has committed no operation
//    changes anything, and all data that was written by then is in the log and named by the index.
// 3. The inodes in memory are newer than the index: what is in `inodes` counts, and their rows may be out of
//    date.
// 4. Data waits, is in flight, then is named by extents (WriteBuffer.swift). Memory that holds data in the first two
//    states is at most `dirtyLimit`, and one write more.
// 5. Memory does not grow with the number of files that the kernel knows: inodes are kept as InodeSet.swift says.
// 6. After a failure of the log or of the index the space's gate is shut: nothing changes any more (`EROFS`), and
//    reading goes on.
// 7. A segment with data is given up by a commit only, and only when no data is in flight as its state is taken: what
//    is in flight may have gone to any segment.
//
// Lock rule: what the lock guards, the index included, is reached through `LockedFileSystem` only, and one exists
// only while the lock is held. A method of it that is `mutating` may give the lock back meanwhile; the others keep
// it. Data, intents and commits are sealed, opened, read and written without it, and so are the files of this machine,
// such as the table of towns and those of time zones. Who reads much of the index takes a moment of it, and gives the lock
// back (FileSystem+Moment.swift). Nobody waits with it held for a decoder or another thread. A debug
// build traps where that is broken (`Waiting`). Messages to the system log are sent with it held, and two things do I/O.
// The index does: SQLite needs a page in the middle of a statement, and one that no cache has is read and opened then.
// Whatever asks the space for room does: `Space.answer` asks the disk from time to time how much is free, and `promise`,
// `notePromised` and `renewPromises` also resize the file that holds the reserve. The space has a lock of its own, taken
// after this one.

package import Index
package import System
package import SystemPackage
package import Vault

/// The file system of one space, without FUSE: inodes, names, file data. Safe to call from any thread.
package final class FileSystem: @unchecked Sendable {
  /// The log.
  package let space: Space
  let options: FileSystemOptions
  /// Whether nothing may be changed from the start.
  let startedReadOnly: Bool
  /// Memory for data on its way.
  package let pool = BufferPool(Chunk.blockSizes)
  /// When requests of programs came. The mount notes them.
  package let recentUse = RecentUse()
  /// What is told of changes.
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

  /// Opens the file system of a space and starts its background threads. Leftovers of unlinked files are deleted in the
  /// background.
  ///
  /// - Parameter changeSink: is told of changes of this file system, and of no other.
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
      // The tables of a large index are large, and part of a commit. On a nearly full disk they wait for another mount.
      let room = index.hasCatalog ? 0 : index.inodeCount * 96 + 1 << 20
      if space.admit(room, waiting: 0) { try? index.catalog.addCatalog() }
      locked { $0.data.renewPromises() }
    }
    locked { files in files.committer.redoIntents() }
    if !startedReadOnly { try startThreads() }
    incoming.removeOldPartials()
  }

  /// Gives dead segments up, and copies sparse ones forward.
  package var cleaner: Cleaner { Cleaner(fileSystem: self) }
  /// Where files lie until they are whole.
  package var incoming: IncomingDirectory { IncomingDirectory(fileSystem: self) }

  /// Calls `body` with the lock held. It waits for nothing but what the lock rule names; a debug build traps if it does.
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

  /// How often something was changed: while this stays, an answer stays.
  package var changes: UInt64 { locked { $0.commits.changes } }

  /// Whether changes are refused: asked for, or after a failure to write.
  package var isReadOnly: Bool { !space.gate.isOpen }
}

/// Proof that the calling thread holds a file system's lock, and the only way to what the lock guards. It exists only
/// in the body of `FileSystem.locked(_:)`.
package struct LockedFileSystem: ~Copyable {
  private let fileSystem: FileSystem

  fileprivate init(of fileSystem: FileSystem) { self.fileSystem = fileSystem }

  var space: Space { fileSystem.space }
  var options: FileSystemOptions { fileSystem.options }
  var pool: BufferPool { fileSystem.pool }
  /// What is told of changes.
  package var changeSink: any ChangeSink { fileSystem.changeSink }
  /// The rows as of now, but for inodes that are newer in memory.
  package var index: Index { fileSystem.index }
  /// When requests of programs came.
  package var recentUse: RecentUse { fileSystem.recentUse }
  /// What threads wait for.
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

  /// What is to be done with files' bytes, names aside, and so on: each of these holds the lock, too.
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
  /// Who may search and read what: it holds the lock, too.
  package var rights: AccessRights {
    _read { yield AccessRights(files: LockedFileSystem(of: fileSystem)) }
  }

  /// The same proof for another such part. It must not be kept: it holds as long as this one.
  package func sameProof() -> LockedFileSystem { LockedFileSystem(of: fileSystem) }

  /// Gives the lock back until something is signalled, or the time has come (monotonic, in nanoseconds). May return
  /// without reason.
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

// Parts of what is done with the lock held, each with its own concern.

/// Reads and writes what files hold.
struct FileData: ~Copyable { var files: LockedFileSystem }
/// Writes into the log what waits in memory.
struct Flusher: ~Copyable { var files: LockedFileSystem }
/// Commits what was changed.
struct Committer: ~Copyable { var files: LockedFileSystem }
/// Deletes inodes that have no name and are not open.
struct Reaper: ~Copyable { var files: LockedFileSystem }
/// Tells who may search and read what.
package struct AccessRights: ~Copyable {
  /// The proof that the lock is held.
  package let files: LockedFileSystem
}
