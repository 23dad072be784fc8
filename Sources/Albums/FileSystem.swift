// The file system of one space, without FUSE.
//
// Invariants
// 1. An operation waits before it changes anything, never after. So whoever holds the lock and finds no operation in its critical part
//    sees the state after a whole number of operations.
// 2. A commit stores such a state. From when `isCommitting` is set until the index has committed no operation changes anything, and all
//    data that was written by then is in the log and named by the index.
// 3. The table in memory is newer than the index: what is in `table` counts, and rows of inodes in it may be out of date.
// 4. Data waits, then flies, then is named by extents (WriteBuffer.swift). Memory that holds data in the first two states is at most
//    `dirtyLimit`, and one write more.
// 5. Memory does not grow with the number of files that the kernel knows: inodes are kept as InodeTable.swift says.
// 6. After a failure of the log or of the index nothing changes any more (`EROFS`), and reading goes on.
// 7. A segment is given up only just after a commit, when no data is in flight: what flies may have landed in any segment.
//
// Locks: `monitor` guards every `var` below and every object reached through them, and every call of `index`. It is not held while
// data is sealed, opened, read or written; only a commit's pages are.

internal import Index
internal import Logging
internal import Synchronization
internal import System
internal import SystemPackage
package import Vault

/// The file system of one space, without FUSE: inodes, names, file data. Safe to call from any thread.
package final class FileSystem: @unchecked Sendable {
  /// The log.
  package let space: Space
  let index: Index
  let options: FileSystemOptions
  /// Whether nothing may be changed from the start.
  let startedReadOnly: Bool
  let pool = BufferPool(Chunk.blockSizes)
  private let activity = Atomic<UInt64>(0)

  let monitor = Lock()
  /// A commit ended its critical part, data landed, or memory became free.
  let progress: Condition
  /// There is data to write.
  let flushWork: Condition
  /// There is something to commit, or to make durable.
  let commitWork: Condition
  /// There are inodes to delete.
  let reapWork: Condition
  /// There may be something to clean.
  let cleanWork: Condition

  /// There may be thumbnails to make.
  let thumbnailWork: Condition
  /// Something that somebody waits for may have been made.
  let thumbnailDone: Condition
  /// There may be a mark to keep.
  let markWork: Condition

  var table: InodeTable
  /// Why nothing can be changed; nil while it can.
  var refusal: Errno?
  /// Whether the index lost a transaction, and with it the memory what the log does not have.
  var wentBack = false
  var isStopping = false
  var isClosed = false
  var threads: [Thread] = []

  /// Whether a commit is in its critical part: nothing may be changed meanwhile.
  var isCommitting = false
  var commits = CommitState()

  /// Inodes whose row is out of date.
  var unstored: [Inode] = []
  /// Inodes that lost their last name since the last commit.
  var newOrphans: [Inode] = []
  /// What the log says instead of the index.
  var intents = IntentState()

  var readyChunks = Queue<ChunkPlace>()
  var waitingChunks = Queue<ChunkPlace>()
  /// Some of those that wait: their files were closed, so that nothing more is likely to come.
  var closedChunks = Queue<ChunkPlace>()
  /// Whether the thread that cleans waits for the next commit, whoever asks for that, without a time at which it looks by itself.
  var cleanerWaitsForCommit = false
  /// Whether somebody was refused for want of room since the cleaner looked last, or there was little then: it looks again after each commit.
  var roomIsShort = false
  /// Memory of the chunks that wait or fly.
  var bufferedBytes = 0
  /// Chunks in flight, of whatever inode.
  var flyingChunks = 0
  /// Chunks that wait, in whatever state.
  var waitingCount = 0
  /// Whether the last attempt to write data found no room.
  var logIsFull = false
  /// Appends by the cleaner whose rows are not in the index yet.
  var movesUnderway = 0
  /// What may be written before room is looked at again.
  var roomEstimate: Int64 = 0

  var dying = Queue<InodeNumber>()
  var opens = 0
  var retirable: [SegmentNumber] = []
  var thumbnails = ThumbnailState()
  /// Whether the thread that tells marks waits for a commit.
  var marksAreAwaited = false

  /// Opens the file system of a space and starts its background threads. Leftovers of unlinked files are deleted in the background.
  ///
  /// - Throws: `.damaged` when there is no index in the space, or none that can be read.
  package init(space: Space, options: FileSystemOptions) throws(FileSystemError) {
    self.space = space
    self.options = options
    do throws(IndexError) {
      index = try Index(space: space)
    } catch {
      throw FileSystemError(error)
    }
    progress = Condition(of: monitor)
    flushWork = Condition(of: monitor)
    commitWork = Condition(of: monitor)
    reapWork = Condition(of: monitor)
    cleanWork = Condition(of: monitor)
    thumbnailWork = Condition(of: monitor)
    thumbnailDone = Condition(of: monitor)
    markWork = Condition(of: monitor)
    table = InodeTable(limit: options.cachedInodes)
    startedReadOnly = options.isReadOnly || space.isReadOnly
    refusal = startedReadOnly ? .readOnlyFileSystem : nil
    noteActivity()
    redoIntents()
    if !startedReadOnly { try start() }
  }

  /// Builds an empty file system in a space that has none: the index, and a root directory with the given owner and group.
  ///
  /// - Throws: `.damaged` when the space has an index; `.noSpace`; `.failed`.
  package static func create(in space: Space, owner: UInt32, group: UInt32) throws(FileSystemError) {
    do throws(IndexError) {
      _ = try Index(space: space, creating: RootOwner(owner: owner, group: group))
    } catch {
      throw FileSystemError(error)
    }
    do throws(VaultError) {
      try space.barrier()
    } catch {
      throw error == .noSpace ? .noSpace : .failed("\(error)")
    }
  }

  private func start() throws(FileSystemError) {
    var bodies: [@Sendable () -> Void] = [
      { self.runCommitter() }, { self.runReaper() }, { self.runCleaner() }, { self.runThumbnailer() },
    ]
    if let keepMark = options.keepMark { bodies.append { self.runMarker(keepMark) } }
    for _ in 0..<options.writers { bodies.append { self.runFlusher() } }
    for body in bodies {
      do throws(Errno) {
        threads.append(try Thread(body))
      } catch {
        stopThreads()
        throw .failed("the system refuses to start a thread: \(error)")
      }
    }
  }

  /// Ends the background threads; call without the lock.
  func stopThreads() {
    monitor.lock()
    isStopping = true
    for condition in [progress, flushWork, commitWork, reapWork, cleanWork, thumbnailWork, markWork] {
      condition.broadcast()
    }
    let threads = threads
    self.threads = []
    monitor.unlock()
    for thread in threads { thread.join() }
  }

  /// How many opens have not been released.
  package var openFileCount: Int {
    monitor.lock()
    defer { monitor.unlock() }
    return opens
  }

  /// When the last operation was asked for: nanoseconds of the monotonic clock, to a few milliseconds.
  package var lastActivity: UInt64 { activity.load(ordering: .relaxed) }

  func noteActivity() { activity.store(monotonicTime(), ordering: .relaxed) }

  /// Whether changes are refused: asked for, or after a failure to write.
  package var isReadOnly: Bool {
    monitor.lock()
    defer { monitor.unlock() }
    return refusal != nil
  }
}

extension FileSystemError {
  init(_ error: IndexError) {
    switch error {
    case .damaged: self = .damaged("the index of the space cannot be read")
    case .full: self = .noSpace
    case .readOnly, .transactionLost: self = .failed("the index of the space could not be written")
    case .sqlite(let code): self = .failed("the index of the space gives SQLite's error \(code)")
    }
  }
}
