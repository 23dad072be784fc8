// The files and rows that a question reads: as of a moment, or as they are now.
//
// Invariants
// 1. Files of a moment never change, and are read without the lock of the file system, by one thread at a time. Their
//    records are those of the index, except where memory held newer ones.
// 2. An object for the present files exists only while the calling thread holds the lock.

internal import Albums
internal import Index
internal import Logging
internal import SystemPackage
internal import Vault

/// The catalog as of a moment.
final class CatalogMoment: Sendable {
  let files: FilesMoment
  /// The name of the space's home zone.
  let homeZone: String?

  init(_ files: FilesMoment, homeZone: String?) {
    self.files = files
    self.homeZone = homeZone
  }
}

/// Files and their rows.
final class CatalogFiles {
  let index: Index
  /// The moment that the files belong to; nil for the present files.
  let moment: CatalogMoment?
  /// The name of the space's home zone.
  let homeZone: String?
  private let fileSystem: FileSystem
  /// Records newer than those in the index; nil for the present files, for which the inodes in memory serve.
  private let newer: [InodeNumber: InodeRecord]?

  /// The files of a moment, with an index opened for it.
  init(_ moment: CatalogMoment, _ index: Index, of fileSystem: FileSystem) {
    self.index = index
    self.moment = moment
    self.fileSystem = fileSystem
    homeZone = moment.homeZone
    newer = moment.files.newer
  }

  /// The present files. The lock must be held as long as the object exists.
  init(present files: borrowing LockedFileSystem, of fileSystem: FileSystem) {
    index = files.index
    moment = nil
    self.fileSystem = fileSystem
    homeZone = files.catalog.homeZone
    newer = nil
  }

  /// The record of an inode, if it is newer than its row.
  func newerRecord(_ number: InodeNumber) -> InodeRecord? {
    if let newer { newer[number] } else { fileSystem.recordInMemory(number) }
  }

  /// The record of an inode; nil if the inode does not exist.
  func record(_ number: InodeNumber) throws(Errno) -> InodeRecord? {
    if let newer = newerRecord(number) { return newer }
    return try result(of: index.inode(number))
  }

  /// Whether a user has a permission for an inode.
  func may(_ opener: Opener, _ wanted: Permission, _ record: InodeRecord) throws(Errno) -> Bool {
    try result(of: opener.may(wanted, record, in: index))
  }

  /// Returns the result of a call of the index, and maps its errors.
  @inline(__always)
  func result<Result>(of call: @autoclosure () throws(IndexError) -> Result) throws(Errno) -> Result {
    do throws(IndexError) {
      return try call()
    } catch {
      throw failed(error)
    }
  }

  /// As above, for several calls.
  @inline(__always)
  func withIndex<Result>(_ body: (Index) throws(IndexError) -> Result) throws(Errno) -> Result {
    try result(of: body(index))
  }

  /// Maps an error of the index. `ECANCELED` means that the moment has ended.
  func failed(_ error: IndexError) -> Errno {
    let errno = Errno(error)
    if errno == .ioError {
      fileSystem.logger.error(
        "the index failed: \(error); the log says: \(index.lastStoreError.map { "\($0)" } ?? "nothing")")
    }
    return errno
  }
}
