// What a question reads: files and their rows as of a moment, or as they are.
//
// Invariants
// 1. One of a moment never changes, and is read without the lock of the file system, by one thread at a time. Its records
//    are those of the index but for those that were newer in memory.
// 2. One of the files as they are exists only while the calling thread holds the lock.

internal import Albums
internal import Index
internal import Logging
internal import SystemPackage
internal import Vault

/// The catalog as of a moment.
final class CatalogMoment: Sendable {
  let files: FilesMoment
  /// The name of the home zone of the space.
  let homeZone: String?

  init(_ files: FilesMoment, homeZone: String?) {
    self.files = files
    self.homeZone = homeZone
  }
}

/// Files and their rows.
final class CatalogFiles {
  let index: Index
  /// What they are of; nil if they are as they are.
  let moment: CatalogMoment?
  /// The name of the home zone of the space.
  let homeZone: String?
  private let fileSystem: FileSystem
  /// Records that are newer than those of the index; nil where the inodes in memory are.
  private let newer: [InodeNumber: InodeRecord]?

  /// The files as of a moment, whose index was opened.
  init(_ moment: CatalogMoment, _ index: Index, of fileSystem: FileSystem) {
    self.index = index
    self.moment = moment
    self.fileSystem = fileSystem
    homeZone = moment.homeZone
    newer = moment.files.newer
  }

  /// The files as they are while the lock is held.
  init(present files: borrowing LockedFileSystem, of fileSystem: FileSystem) {
    index = files.index
    moment = nil
    self.fileSystem = fileSystem
    homeZone = files.catalog.homeZone
    newer = nil
  }

  /// The record of an inode that is newer than its row.
  func newerRecord(_ number: InodeNumber) -> InodeRecord? {
    if let newer { newer[number] } else { fileSystem.recordInMemory(number) }
  }

  /// The record of an inode; nil if there is none.
  func record(_ number: InodeNumber) throws(Errno) -> InodeRecord? {
    if let newer = newerRecord(number) { return newer }
    return try result(of: index.inode(number))
  }

  /// Whether somebody has a permission for an inode.
  func may(_ opener: Opener, _ wanted: Permission, _ record: InodeRecord) throws(Errno) -> Bool {
    try result(of: opener.may(wanted, record, in: index))
  }

  /// Gives what a call of the index gives, and maps its errors.
  @inline(__always)
  func result<Result>(of call: @autoclosure () throws(IndexError) -> Result) throws(Errno) -> Result {
    do throws(IndexError) {
      return try call()
    } catch {
      throw failed(error)
    }
  }

  /// The same for several calls.
  @inline(__always)
  func withIndex<Result>(_ body: (Index) throws(IndexError) -> Result) throws(Errno) -> Result {
    try result(of: body(index))
  }

  /// The error of an operation for one of the index. `ECANCELED` says that the moment has ended.
  func failed(_ error: IndexError) -> Errno {
    let errno = Errno(error)
    if errno == .ioError {
      fileSystem.logger.error(
        "the index failed: \(error); the log says: \(index.lastStoreError.map { "\($0)" } ?? "nothing")")
    }
    return errno
  }
}
