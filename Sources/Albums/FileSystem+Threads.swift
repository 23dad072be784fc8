// Starts the file system's threads, closes it, and keeps checkpoint records.

internal import Index
internal import Logging
internal import System
package import SystemPackage
package import Vault

/// The threads of a file system, and how far it is closed, under its lock.
struct Life {
  var threads: [Thread] = []
  /// Whether the threads must end.
  var isStopping = false
  var isClosed = false
  /// Whether the room of deleted files is freed at the end.
  var givesBack = false
  /// Whether the space's files are taken out of the host's memory at the end.
  var evicts = false
  /// Whether it was logged that changes are no longer possible.
  var announcedFailure = false
  /// Whether the index lost a transaction, and memory went back to the index.
  var wentBack = false
}

extension FileSystem {
  /// Builds an empty file system in a space that has none: the index, and a root directory with the given owner and
  /// group.
  ///
  /// - Throws: `.damaged` when the space has an index; `.noSpace`; `.readOnly`; `.indexFailed`.
  package static func create(in space: Space, owner: UInt32, group: UInt32) throws(VaultError) {
    try VaultError.ofIndex { () throws(IndexError) in
      let index = try Index(space: space, creating: RootOwner(owner: owner, group: group))
      try index.commit(to: space)
    }
  }

  /// Starts the background threads.
  func startThreads() throws(VaultError) {
    var bodies: [@Sendable () -> Void] = [
      { self.locked { $0.committer.runCommitter() } }, { self.locked { $0.reaper.runReaper() } },
    ]
    bodies += changeSink.work(in: self)
    if options.cleans {
      // Before the thread exists, because a writer may be refused at once.
      locked { $0.cleaning.start() }
      bodies.append { self.cleaner.run() }
    }
    if let keep = options.keepCheckpoint { bodies.append { self.locked { $0.committer.runCheckpointKeeper(keep) } } }
    for _ in 0..<options.writers { bodies.append { self.locked { $0.flusher.runFlusher() } } }
    for body in bodies {
      do throws(Errno) {
        let thread = try Thread(body)
        locked { $0.life.threads.append(thread) }
      } catch {
        // Work in progress would delay the end.
        changeSink.endWork(in: self)
        stopThreads()
        throw .system(error, "starting a thread")
      }
    }
  }

  /// Ends the background threads.
  func stopThreads() {
    let threads = locked { files in
      files.life.isStopping = true
      files.signals.wakeAll()
      defer { files.life.threads = [] }
      return files.life.threads
    }
    for thread in threads { thread.join() }
  }

  /// Requests that the space's files are taken out of the host's memory when the mount has ended.
  package func evictAtClose() { locked { $0.life.evicts = true } }

  /// Whether `evictAtClose` was called.
  package var evictsAtClose: Bool { locked { $0.life.evicts } }

  /// Commits, stops the threads and closes the space. Files that are still open count as released. A second call does
  /// nothing.
  ///
  /// - Throws: when something could not be stored.
  package func close() throws(Errno) {
    let wasClosed = locked { files in
      defer { files.life.isClosed = true }
      return files.life.isClosed
    }
    if wasClosed { return }
    space.announceEnd()
    changeSink.endWork(in: self)
    var failure: Errno?
    if !startedReadOnly {
      changeSink.settle(self)
      locked { $0.reaper.deleteOrphans() }
      let givesBack = locked { $0.life.givesBack }
      if givesBack { locked { $0.reaper.waitForReaper() } }
      do throws(Errno) { try synchronize(intoIndex: true) } catch { failure = error }
      stopThreads()
      if givesBack, failure == nil {
        do throws(Errno) {
          try cleaner.giveBack()
        } catch {
          options.logger.warning("freeing the room of deleted files failed: \(error)")
        }
      }
    }
    do throws(VaultError) {
      let isWritten = space.gate.isOpen
      try space.close()
      if isWritten { options.keepCheckpoint?(space.checkpoint) }
    } catch {
      options.logger.error("closing the space failed: \(error)")
      failure = failure ?? (error == .noSpace ? .noSpace : .ioError)
    }
    pool.trim()
    if let failure { throw failure }
  }
}

extension VaultError {
  /// Calls `body`, and converts an error of an index into one of the vault.
  static func ofIndex<Result>(_ body: () throws(IndexError) -> Result) throws(VaultError) -> Result {
    do throws(IndexError) {
      return try body()
    } catch {
      switch error {
      case .damaged: throw .damaged("the index of the space cannot be read")
      case .ended: throw .snapshotEnded
      case .full: throw .noSpace
      case .readOnly, .transactionLost: throw .readOnly("the index of the space could not be written")
      case .sqlite(let code): throw .indexFailed(code)
      }
    }
  }
}

/// Checkpoint records: how far the space has come. A later mount uses them to detect a rollback.
extension Committer {
  /// Nanoseconds between two records.
  private static let checkpointInterval: UInt64 = 30_000_000_000

  /// The work of the thread that keeps checkpoint records.
  mutating func runCheckpointKeeper(_ keepCheckpoint: @Sendable (CheckpointRecord) -> Void) {
    var told = files.commits.logged
    var next: UInt64 = 0
    while !files.life.isStopping, files.refusal == nil {
      if files.commits.logged == told {
        files.commits.isCheckpointKeeperWaiting = true
        files.wait(for: .checkpointWork)
        files.commits.isCheckpointKeeperWaiting = false
      } else if monotonicTime() < next {
        files.wait(for: .checkpointWork, until: next)
      } else {
        told = files.commits.logged
        files.unlocked { $0.recordCheckpoint(keepCheckpoint) }
        next = monotonicTime() + Self.checkpointInterval
      }
    }
  }

  /// Counts a commit or a statement of intents, and wakes the thread that keeps checkpoint records.
  func noteLogged() {
    files.commits.noteLogged()
    if files.commits.isCheckpointKeeperWaiting { files.signals[.checkpointWork].signal() }
  }
}

extension FileSystem {
  /// Makes the logged changes durable, and passes a record of them on. A failure ends writing, and waiting callers get
  /// the error.
  func recordCheckpoint(_ keepCheckpoint: (CheckpointRecord) -> Void) {
    do throws(VaultError) {
      keepCheckpoint(try space.durableCheckpoint())
    } catch {
      locked { _ = $0.failed(error) }
    }
  }
}
