// How operations begin and end: the lock, waiting for commits, failures.

package import Index
package import Logging
internal import System
package import SystemPackage
package import Vault

extension FileSystem {
  /// Runs an operation that changes nothing.
  @inline(__always)
  package func reading<Result>(_ body: (inout LockedFileSystem) throws(Errno) -> Result) throws(Errno) -> Result {
    try locked { files throws(Errno) in
      defer { files.endOperation() }
      return try body(&files)
    }
  }

  /// Runs an operation that changes something, outside the critical part of commits. If it is refused for lack of room,
  /// before it changed anything, it waits and runs again.
  @inline(__always)
  package func changing<Result, Failure: ChangeFailure>(
    _ body: (inout LockedFileSystem) throws(Failure) -> Result
  ) throws(Errno) -> Result {
    try locked { files throws(Errno) in
      defer { files.endOperation() }
      while true {
        try files.waitToChange()
        do throws(Failure) {
          defer { files.committer.noteChange() }
          return try body(&files)
        } catch {
          switch error.changeError {
          case .failed(let errno): throw errno
          case .waits(let wait): guard files.wait(for: wait) else { throw .noSpace }
          }
        }
      }
    }
  }
}

extension FileSystem {
  /// Receives warnings.
  package var logger: Logger { options.logger }

  /// Returns the result of a call of the log, made without the lock, and maps its errors to those of an operation.
  func result<Result>(of call: @autoclosure () throws(VaultError) -> Result) throws(Errno) -> Result {
    do throws(VaultError) {
      return try call()
    } catch {
      throw locked { $0.failed(error) }
    }
  }
}

extension LockedFileSystem {
  /// Evicts inodes. This happens only here and at a commit, so that an inode stays the same object during an operation
  /// that does not wait.
  fileprivate func endOperation() { inodes.shrink(steps: 8) }

  /// Receives warnings.
  package var logger: Logger { options.logger }

  /// Whether the threads of the file system must end.
  package var isStopping: Bool { life.isStopping }

  /// Whether a commit is in its critical part, so that nothing may be changed now.
  package var isInCriticalPart: Bool { commits.isCritical }

  /// Notes that something may have been changed, so that a commit stores it.
  package func noteChange() { committer.noteChange() }

  /// Whether there is room for `bytes` more when no caller waits for any.
  package func admits(_ bytes: Int64) -> Bool { space.admit(bytes, waiting: Int64(writeBack.bytes)) }

  /// Waits until no commit is in its critical part.
  package mutating func waitForCriticalPart() {
    while commits.isCritical { wait(for: .progress) }
  }

  /// Waits for the room that an operation needs; false when the operation must end without it.
  fileprivate mutating func wait(for room: RoomWait) -> Bool {
    switch room {
    case .room: return waitForRoom()
    case .cleaningRound:
      _ = waitForRoom()
      return true
    case .deletion:
      if !inodes.pendingDeletion.isEmpty, refusal == nil { wait(for: .progress) }
      return !life.isStopping
    }
  }

  /// Waits like `waitForCriticalPart()`, before an operation that changes something.
  ///
  /// - Throws: `EROFS` when nothing may be changed.
  package mutating func waitToChange() throws(Errno) {
    waitForCriticalPart()
    if let refusal { throw refusal }
  }

  /// The regular file, once nothing is in flight in the windows that `range` touches. Waits, so inodes that were looked
  /// up before may be evicted.
  mutating func settledFile(_ number: InodeNumber, in range: Range<Int64>) throws(Errno) -> Inode {
    while true {
      try waitToChange()
      let inode = try regularFile(number)
      if !inode.buffer.hasInFlight(in: range) { return inode }
      wait(for: .progress)
    }
  }

  /// Returns the result of a call of the index, and maps its errors to those of an operation.
  @inline(__always)
  package func result<Result>(of call: @autoclosure () throws(IndexError) -> Result) throws(Errno) -> Result {
    do throws(IndexError) {
      return try call()
    } catch {
      throw failed(error)
    }
  }

  /// Returns the result of several calls of the index, and maps their errors to those of an operation.
  @inline(__always)
  package func withIndex<Result>(_ body: (Index) throws(IndexError) -> Result) throws(Errno) -> Result {
    try result(of: body(index))
  }

  /// Like `withIndex`, but either all the calls have an effect or none.
  @inline(__always)
  package func withSavepoint<Result>(_ body: (Index) throws(IndexError) -> Result) throws(Errno) -> Result {
    try result(of: index.withSavepoint { () throws(IndexError) in try body(index) })
  }

  /// Handles a failure of the index; returns the error for the caller.
  package func failed(_ error: IndexError) -> Errno {
    if index.isReadOnly { stopChanging("the index lost a transaction: \(error)") }
    let errno = Errno(error)
    if errno == .ioError {
      options.logger.error(
        "the index failed: \(error); the log says: \(index.lastStoreError.map { "\($0)" } ?? "nothing")")
    }
    return errno
  }

  /// Refuses changes from now on.
  func stopChanging(_ reason: String) {
    space.gate.shut(because: reason)
    announceFailure()
    if index.isReadOnly, !life.wentBack {
      life.wentBack = true
      forgetChanges()
      committer.redoIntents()
    }
  }

  /// Logs once that changes are no longer possible, and wakes all threads.
  private func announceFailure() {
    if !life.announcedFailure {
      life.announcedFailure = true
      options.logger.critical("the space is read-only from now on: \(space.gate.reason ?? "")")
    }
    signals.wakeAll()
  }

  /// Forgets everything newer than the index, after the index went back to its last commit. Data in flight is dropped
  /// when its flight ends.
  private func forgetChanges() {
    intents = IntentState()
    let old = inodes.removeAll()
    for inode in old {
      writeBack.discardAll(of: inode)
      guard inode.opens > 0 else { continue }
      var record = inode.record
      do throws(IndexError) {
        if let stored = try index.inode(inode.number) { record = stored } else { record.size = 0 }
      } catch {
        record.size = 0
      }
      let replacement = Inode(record)
      replacement.opens = inode.opens
      inodes.insert(replacement)
    }
  }

  /// Handles a failure of the log; returns the error for the caller.
  func failed(_ error: VaultError) -> Errno {
    switch error {
    case .noSpace: return .noSpace
    case .damaged: return .ioError
    case .snapshotEnded: return .canceled
    default:
      stopChanging("\(error)")
      return .ioError
    }
  }

  // MARK: Inodes

  /// The inode, from memory or the index.
  ///
  /// - Throws: `ESTALE` when there is none.
  package func inode(_ number: InodeNumber) throws(Errno) -> Inode {
    if let known = inodes[number], !known.record.isDistorted { return known }
    guard let record = try result(of: index.inode(number)) else {
      throw .staleNFSFileHandle
    }
    return try usable(record)
  }

  /// The inode of a row that was just read, like `keep(_:)`.
  ///
  /// - Throws: `EIO` when the row has impossible values.
  func usable(_ record: InodeRecord) throws(Errno) -> Inode {
    let inode = keep(record)
    if inode.record.isDistorted { throw failed(IndexError.damaged) }
    return inode
  }

  /// The inode of a row that was just read: the one in memory if there is one, otherwise one with this row.
  func keep(_ record: InodeRecord) -> Inode {
    if let known = inodes[record.number] { return known }
    let inode = Inode(record)
    inodes.insert(inode)
    return inode
  }

  /// The directory.
  ///
  /// - Throws: `ENOTDIR`; as `inode(_:)`.
  func directory(_ number: InodeNumber) throws(Errno) -> Inode {
    let inode = try inode(number)
    guard inode.isDirectory else { throw .notDirectory }
    return inode
  }

  /// The regular file.
  ///
  /// - Throws: `EISDIR`, `EINVAL`; as `inode(_:)`.
  func regularFile(_ number: InodeNumber) throws(Errno) -> Inode {
    let inode = try inode(number)
    if inode.isDirectory { throw .isDirectory }
    guard inode.isRegular else { throw .invalidArgument }
    return inode
  }

  /// Notes that an inode's record was changed in a way that no intent can state.
  package func markChanged(_ inode: Inode) {
    intents.noteOther()
    inodes.noteStale(inode)
  }

  /// - Throws: `ENOSPC` when there is no room for a new name or attribute, or the event to wait for.
  package func requireRoom() throws(ChangeError) { try requireRoom(for: Self.nameSize) }

  /// The room, in bytes, that a new name requires.
  private static let nameSize: Int64 = 1024

  /// - Throws: `ENOSPC` when there is no room for `count` more bytes of data, or the event to wait for.
  package func requireRoom(for count: Int64) throws(ChangeError) {
    try require(space.answer(to: RoomRequest(count, waiting: Int64(writeBack.bytes))))
  }

  /// - Throws: `ENOSPC`, or the event after which the operation may ask again.
  func require(_ answer: RoomAnswer) throws(ChangeError) {
    switch answer {
    case .granted: return
    case .wait(let wait): throw .waits(wait)
    case .full: throw .failed(.noSpace)
    }
  }

  /// The attributes of an inode.
  func attributes(_ inode: Inode) -> Attributes { Attributes(inode.record, waiting: data.unallocatedBytes(inode)) }
}

extension Errno: SavepointFailure {
  /// The error that an operation reports for a failure of the index.
  package init(_ error: IndexError) {
    switch error {
    case .full: self = .noSpace
    case .readOnly: self = .readOnlyFileSystem
    case .ended: self = .canceled
    case .damaged, .transactionLost, .sqlite: self = .ioError
    }
  }
}
