// The file system of one space, without FUSE.
//
// Invariants
// 1. An operation waits before it changes anything, never after. So whoever holds the lock and finds no operation in its critical part
//    sees the state after a whole number of operations.
// 2. A commit stores such a state. From when `commits.isCritical` is set until the index has committed no operation changes anything, and all
//    data that was written by then is in the log and named by the index.
// 3. The inodes.table in memory is newer than the index: what is in `inodes.table` counts, and rows of inodes in it may be out of date.
// 4. Data waits, then flies, then is named by extents (WriteBuffer.swift). Memory that holds data in the first two states is at most
//    `dirtyLimit`, and one write more.
// 5. Memory does not grow with the number of files that the kernel knows: inodes are kept as InodeTable.swift says.
// 6. After a failure of the log or of the index the space's gate is shut: nothing changes any more (`EROFS`), and reading
//    goes on.
// 7. A segment is given up by a commit only, and only when no data is in flight as its state is taken: what is in flight
//    may have landed in any segment.
//
// Locks: `monitor` guards every `var` below and every object reached through them, and every call of `index`. It is not
// held while data or a commit is sealed, opened, read or written. The space has a lock of its own, taken after it.

internal import Index
internal import Logging
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

  let monitor = Lock()
  let signals: Signals

  var inodes: InodeSet
  var writeBack = WriteBack()
  var commits = CommitState()
  /// What the log says instead of the index.
  var intents = IntentState()
  var cleaning = CleaningState()
  var thumbnails = ThumbnailState()
  var life = Life()

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
    signals = Signals(of: monitor)
    inodes = InodeSet(limit: options.cachedInodes)
    if options.isReadOnly { space.gate.shut(because: "it was opened for reading only") }
    startedReadOnly = !space.gate.isOpen
    redoIntents()
    if !startedReadOnly { try start() }
  }

  /// Builds an empty file system in a space that has none: the index, and a root directory with the given owner and group.
  ///
  /// - Throws: `.damaged` when the space has an index; `.noSpace`; `.failed`.
  package static func create(in space: Space, owner: UInt32, group: UInt32) throws(FileSystemError) {
    do throws(IndexError) {
      let index = try Index(space: space, creating: RootOwner(owner: owner, group: group))
      try index.commit(to: space)
    } catch {
      throw FileSystemError(error)
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
        life.threads.append(try Thread(body))
      } catch {
        stopThreads()
        throw .failed("the system refuses to start a thread: \(error)")
      }
    }
  }

  /// Ends the background threads; call without the lock.
  func stopThreads() {
    monitor.lock()
    life.isStopping = true
    signals.wakeAll()
    let threads = life.threads
    life.threads = []
    monitor.unlock()
    for thread in threads { thread.join() }
  }

  /// How many opens have not been released.
  package var openFileCount: Int {
    monitor.lock()
    defer { monitor.unlock() }
    return inodes.opens
  }

  /// Whether changes are refused: asked for, or after a failure to write.
  package var isReadOnly: Bool { !space.gate.isOpen }

  /// The error of a change that is refused; nil while changes may be made.
  var refusal: Errno? { space.gate.isOpen ? nil : .readOnlyFileSystem }
}

/// The threads of a file system, and how far it is from its end.
struct Life {
  var threads: [Thread] = []
  /// Whether the threads are to end.
  var isStopping = false
  var isClosed = false
  /// Whether it was said that nothing can be changed any more.
  var announcedFailure = false
  /// Whether the index lost a transaction, and memory went back to what it has.
  var wentBack = false
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
