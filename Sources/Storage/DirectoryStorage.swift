// Invariants
// 1. All 256 folders exist from the creation of the vault, so no folder's birth time reveals anything. In a copy some
//    may be missing, because programs leave out empty folders: a missing folder counts as empty, and is made before a
//    file in it.
// 2. `putIfAbsent` gives a file its name when the file is whole and durable, in a way that replaces nothing. Until then
//    the file has none, so that a crash leaves no file. If the host lacks such files (`O_TMPFILE`), it has a random
//    name of the same form, so that a crash leaves a file that looks like cover.
// 3. Complete files and all directories have the access and modification time `completeTime`. Directories get it back
//    after every change. Writing begins by restoring it where it is missing after a crash.

internal import CPlatform
internal import Glibc
internal import Synchronization
internal import System
package import SystemPackage

/// A directory on the host: the parameters, and the folder `segments` with 256 folders of segment files.
package final class DirectoryStorage: Storage {
  /// Time of everything complete: 2000-01-01 00:00 UTC, in seconds since 1970.
  package static let completeTime = 946_684_800

  /// The whole directory, opened only as a starting point for paths.
  let directory: Descriptor
  /// The folder of segment files.
  var root: Descriptor { currentRoot.withLock { $0 } }
  private let currentRoot: Mutex<Descriptor>
  /// The owner of new files.
  let owner: VaultOwner
  /// What the host can do, as far as it was tried.
  let abilities = HostAbilities()
  /// Whether nothing can be written here.
  package let isReadOnly: Bool

  /// Opens the directory at a path. It must have parameters and segment folders.
  package convenience init(path: FilePath) throws(DirectoryStorageError) {
    let directory: Descriptor
    do throws(Errno) {
      directory = try Descriptor.open(path, agonyfs_path_flag() | O_DIRECTORY)
    } catch .noSuchFileOrDirectory {
      throw .missing
    } catch .notDirectory {
      throw .incomplete("it is not a directory")
    } catch {
      throw .system(error, "opening \(path)")
    }
    do throws(Errno) {
      try systemCall { unsafe faccessat(directory.number, StorageNames.parameters, F_OK, AT_EACCESS) }
    } catch .noSuchFileOrDirectory {
      throw .incomplete("it has no \(StorageNames.parameters)")
    } catch {
      throw .system(error, "reading \(path)/\(StorageNames.parameters)")
    }
    let others: [[UInt8]]
    do throws(Errno) {
      try self.init(directory: directory)
      others = try Directory.namesOfOthers(in: ".", of: root)
    } catch .noSuchFileOrDirectory, .notDirectory {
      throw .incomplete("it has no directory \(StorageNames.segments)")
    } catch {
      throw .system(error, "opening \(path)/\(StorageNames.segments)")
    }
    for name in others where Hexadecimal.bytes(of: name)?.count == 1 {
      throw .blocked("\(StorageNames.segments)/\(String(decoding: name, as: UTF8.self))")
    }
  }

  /// Opens the folder of segments in an open directory.
  init(directory: Descriptor) throws(Errno) {
    self.directory = directory
    let root = try Self.openTree(in: directory)
    currentRoot = Mutex(root)
    owner = try VaultOwner(of: root, in: directory)
    // A process that cannot open the parameters for writing cannot keep other writers out (`ParametersLock`).
    isReadOnly =
      !Self.mayWrite(folderName(0), in: root, W_OK | X_OK, orElse: ".")
      || !Self.mayWrite(StorageNames.parameters, in: directory, W_OK, orElse: ".")
  }

  /// Whether a path can be accessed; if nothing is there yet, whether another path can be.
  private static func mayWrite(
    _ path: String, in directory: Descriptor, _ access: CInt, orElse other: String
  ) -> Bool {
    if unsafe faccessat(directory.number, path, access, AT_EACCESS) == 0 { return true }
    return unsafe errno == ENOENT && faccessat(directory.number, other, access, AT_EACCESS) == 0
  }

  package var machineStarted: Int64? {
    guard agonyfs_is_on_local_file_system(root.number) else { return nil }
    var sinceStart = timespec()
    guard unsafe clock_gettime(CLOCK_BOOTTIME, &sinceStart) == 0 else { return nil }
    return timeOfDay().seconds - Int64(sinceStart.tv_sec) - 1
  }

  /// Reads the parameters, at most `limit` bytes.
  package func readParameters(limit: Int) throws(Errno) -> [UInt8] {
    DiskAccess.assertAllowed()
    return try VaultFile.open(StorageNames.parameters, in: directory, O_RDONLY).readToEnd(limit: limit)
  }

  /// Writes the parameters, or replaces them. A crash leaves the old ones or the new ones. Durable on return.
  package func replaceParameters(with content: [UInt8]) throws(Errno) {
    DiskAccess.assertAllowed()
    let directory = try VaultFile.openDirectory(".", in: directory)
    try WholeFile.replace(StorageNames.parameters, in: directory, with: content, dated: Self.completeTime) {
      owner.give($0)
    }
  }

  /// Creates an empty segment file.
  package func create(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    let file = try createFile(identifier)
    return SegmentFile(file, at: try SegmentPlace(of: file, in: self, path: identifier.path))
  }

  private func createFile(_ identifier: SegmentIdentifier) throws(Errno) -> Descriptor {
    try changeNames(in: identifier.folder) { () throws(Errno) in
      try owner.create(identifier.path, in: root)
    }
  }

  /// Writes a whole file, then gives the file its name. Durable on return.
  package func putIfAbsent(_ identifier: SegmentIdentifier, content: UnsafeRawBufferPointer) throws(Errno) {
    DiskAccess.assertAllowed()
    if try exists(identifier) { throw .fileExists }
    if try unsafe !putUnnamed(identifier, content) { try unsafe putRenamed(identifier, content) }
    try flushNames(of: [identifier])
  }

  /// Writes a file without a name until it is whole; false if the host cannot do that.
  private func putUnnamed(_ identifier: SegmentIdentifier, _ content: UnsafeRawBufferPointer) throws(Errno) -> Bool {
    var made: Descriptor?
    _ = try? abilities.use(.unnamedFiles) { () throws(Errno) in
      made = try owner.createUnnamed(besides: identifier.path, in: root)
    }
    guard let unnamed = made else { return false }
    try unsafe write(content, to: unnamed)
    return try changeNames(in: identifier.folder) { () throws(Errno) in
      try owner.name(unnamed, identifier.path, in: root)
    }
  }

  /// Writes a file under a random name, then renames it.
  private func putRenamed(_ identifier: SegmentIdentifier, _ content: UnsafeRawBufferPointer) throws(Errno) {
    var random = [UInt8](repeating: 0, count: SegmentIdentifier.size)
    try systemCall { unsafe getrandom(&random, random.count, 0) }
    random[0] = UInt8(identifier.folder)
    let temporary = SegmentIdentifier(bytes: random)
    do {
      try unsafe write(content, to: try createFile(temporary))
      _ = try changeNames(in: identifier.folder) { () throws(Errno) in
        try giveName(of: identifier, to: temporary)
      }
    } catch {
      try? delete(temporary)
      throw error
    }
  }

  private func write(_ content: UnsafeRawBufferPointer, to new: Descriptor) throws(Errno) {
    let file = SegmentFile(new)
    try unsafe file.write(content, at: 0)
    try file.finish()
    try file.flush()
  }

  /// Opens a segment file for reading.
  package func open(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader {
    DiskAccess.assertAllowed()
    return try inTree { () throws(Errno) in SegmentFile(try VaultFile.open(identifier.path, in: root, O_RDONLY)) }
  }

  /// Opens a segment file for reading with direct I/O, if the host's file system supports it.
  package func openPastMemory(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentReader {
    DiskAccess.assertAllowed()
    do throws(Errno) {
      return UncachedFile(try VaultFile.open(identifier.path, in: root, O_RDONLY | agonyfs_direct_flag()))
    } catch .invalidArgument {
      evict([identifier])
      return try open(identifier)
    }
  }

  /// Whether a segment file of this name exists.
  package func exists(_ identifier: SegmentIdentifier) throws(Errno) -> Bool {
    DiskAccess.assertAllowed()
    let found = try ifThere { () throws(Errno) in
      try inTree { () throws(Errno) in try root.status(of: identifier.path) }
    }
    return found != nil
  }

  /// Overwrites all of a segment file in place with random bytes, if it exists, and also the remains of it that a
  /// killed refresh left. Durable on return.
  package func wipe(_ identifier: SegmentIdentifier) throws(Errno) {
    DiskAccess.assertAllowed()
    try forgetLink(identifier)
    if let left = try leftFolder(of: identifier) { try wipe(identifier.description, in: left) }
    do throws(Errno) {
      try wipe(identifier.description, in: VaultFile.openDirectory(folderName(identifier.folder), in: root))
    } catch .noSuchFileOrDirectory, .notDirectory {
      return
    }
  }

  private func wipe(_ name: String, in folder: Descriptor) throws(Errno) {
    let file: SegmentFile
    do throws(Errno) {
      file = SegmentFile(try openToWrite(name, in: folder))
    } catch .noSuchFileOrDirectory, .notRegularFile, .notDirectory {
      return
    }
    let size = try file.size()
    var block = [UInt8](repeating: 0, count: 1 << 20)
    var offset = 0
    while offset < size {
      let wanted = min(block.count, size - offset)
      offset += try unsafe block.withUnsafeMutableBufferPointer { (block) throws(Errno) in
        let bytes = UnsafeMutableRawBufferPointer(block)
        let count = Int(try systemCall { unsafe getrandom(bytes.baseAddress, wanted, 0) })
        try unsafe file.write(UnsafeRawBufferPointer(rebasing: bytes[..<count]), at: offset)
        return count
      }
    }
    try file.finish()
    try file.flush()
  }

  /// Deletes a segment file, if it exists, and also the remains of it that a killed refresh left.
  package func delete(_ identifier: SegmentIdentifier) throws(Errno) {
    do throws(Errno) {
      if let left = try leftFolder(of: identifier) {
        // Otherwise the file would come back with the remains.
        _ = try ifThere { () throws(Errno) in
          try systemCall { unsafe unlinkat(left.number, identifier.description, 0) }
        }
      }
      // A path would follow a link in the place of the folder.
      let folder = try VaultFile.openDirectory(folderName(identifier.folder), in: root)
      try systemCall { unsafe unlinkat(folder.number, identifier.description, 0) }
    } catch .noSuchFileOrDirectory {
      return
    }
    try? owner.setTimes(of: folderName(identifier.folder), in: root)
  }

  /// Calls `body` for every segment file. Files with other names are skipped.
  package func list(
    _ body: (_ identifier: SegmentIdentifier, _ size: Int, _ modified: Int64) -> Void,
    unlisted: (_ path: String, _ error: Errno) -> Void
  ) throws(Errno) {
    DiskAccess.assertAllowed()
    var failure: Errno?
    for folder in 0..<256 {
      var found: [[UInt8]] = []
      do throws(Errno) {
        found = try names(in: folder)
      } catch {
        unlisted(folderName(folder), error)
        guard error.isDamageOfMedium else { throw error }
        failure = failure ?? error
      }
      for name in found {
        guard let identifier = SegmentIdentifier(name: name), identifier.folder == folder else { continue }
        do throws(Errno) {
          // A file that was deleted since is not there.
          let examined = try ifThere { () throws(Errno) in try root.status(of: identifier.path) }
          guard let status = examined, status.st_mode & S_IFMT == S_IFREG else { continue }
          body(identifier, Int(status.st_size), Int64(status.st_mtim.tv_sec))
        } catch {
          unlisted(identifier.path, error)
          guard error.isDamageOfMedium else { throw error }
          failure = failure ?? error
        }
      }
    }
    // The vault is larger than the list.
    if let failure { throw failure }
  }

  /// How often a lease is taken again because the parameters were replaced in between. Some network file systems give a
  /// file another inode number each time it is examined.
  private static let leaseAttempts = 5

  /// Takes a lease by a lock on a byte of the parameters, without waiting.
  package func lease(_ token: LeaseToken, exclusive: Bool) throws(Errno) -> any Lease {
    var attempt = 1
    while true {
      let lease = ParametersLock(token, of: try openForLease(token, exclusive: exclusive), in: directory)
      try lease.take(exclusive: exclusive)
      if try lease.isOfNamedFile() || attempt == Self.leaseAttempts {
        try followRefresh()
        return lease
      }
      attempt += 1
    }
  }

  /// Opens the folder of segment files again, if a refresh has replaced it since. Only a process with a lease on the
  /// vault knows that no refresh does so.
  func followRefresh() throws(Errno) {
    let opened = try ifThere { () throws(Errno) in try Self.openTree(in: directory) }
    // This would mean that the vault does not exist yet, so that a lease is pointless.
    guard let found = opened else { throw .ioError }
    let (new, old) = (try found.status(), try root.status())
    if (new.st_dev, new.st_ino) == (old.st_dev, old.st_ino) { return }
    guard owner.mayUse(new) else { throw .notPermitted }
    use(found)
  }

  /// Takes another open directory as the folder of segment files.
  func use(_ opened: Descriptor) { currentRoot.withLock { $0 = opened } }

  /// Opens the parameters, for writing if the lease is or may become exclusive.
  private func openForLease(_ token: LeaseToken, exclusive: Bool) throws(Errno) -> Descriptor {
    if exclusive || token == .vault {
      do throws(Errno) {
        return try VaultFile.open(StorageNames.parameters, in: directory, O_RDWR)
      } catch {
        guard !exclusive, [.readOnlyFileSystem, .permissionDenied, .notPermitted].contains(error) else { throw error }
      }
    }
    return try VaultFile.open(StorageNames.parameters, in: directory, O_RDONLY)
  }

  /// Whether a holder of a lease has announced its end.
  package func leaseEndIsAnnounced(_ token: LeaseToken) -> Bool {
    guard let file = try? VaultFile.open(StorageNames.parameters, in: directory, O_RDONLY) else { return false }
    return ParametersLock.endIsAnnounced(token, in: file)
  }

  /// Calls `body`. Calls it again if it misses a file because a refresh has ended since, so that the open tree is gone.
  /// A process that asks for a password has no lease yet.
  @discardableResult
  private func inTree<Result>(_ body: () throws(Errno) -> Result) throws(Errno) -> Result {
    do throws(Errno) {
      return try body()
    } catch .noSuchFileOrDirectory {
      // Some hosts do not even say what a deleted directory is.
      let links = (try? root.status().st_nlink) ?? 0
      guard links == 0 else { throw .noSuchFileOrDirectory }
      try followRefresh()
      return try body()
    }
  }

  /// Opens a file that a crash left short, to fill it up.
  package func openToFill(_ identifier: SegmentIdentifier) throws(Errno) -> any SegmentWriter {
    DiskAccess.assertAllowed()
    let folder = try VaultFile.openDirectory(folderName(identifier.folder), in: root)
    let file = try openToWrite(identifier.description, in: folder)
    return SegmentFile(file, at: try SegmentPlace(of: file, in: self, path: identifier.path))
  }

  /// Opens a file in an open folder to overwrite it. A path with a folder would follow a link in the place of the
  /// folder.
  ///
  /// - Throws: `.notPermitted`, as root, when it is not the owner's.
  private func openToWrite(_ name: String, in folder: Descriptor) throws(Errno) -> Descriptor {
    let file = try VaultFile.open(name, in: folder, O_RDWR)
    guard try owner.mayErase(file.status()) else { throw .notPermitted }
    return file
  }

  /// Makes creations and deletions of these names durable.
  package func flushNames(of identifiers: [SegmentIdentifier]) throws(Errno) {
    DiskAccess.assertAllowed()
    for folder in Set(identifiers.map(\.folder)).sorted() {
      do throws(Errno) {
        let directory = try VaultFile.openDirectory(folderName(folder), in: root)
        try systemCall { fsync(directory.number) }
      } catch .noSuchFileOrDirectory {
        // Nothing was created in it, or another program has deleted it with its files.
        continue
      }
    }
  }

  /// Flushes the whole file system with one system call. Flushing each new file would cost a flush of the disk each.
  package func flushAll() throws(Errno) {
    DiskAccess.assertAllowed()
    try systemCall { agonyfs_flush_file_system(root.number) }
  }

  /// Writes files out and removes them from the page cache. Deleting a file that is in the cache takes milliseconds for
  /// its pages.
  package func evict(_ identifiers: [SegmentIdentifier]) {
    DiskAccess.assertAllowed()
    for identifier in identifiers {
      guard let file = try? VaultFile.open(identifier.path, in: root, O_RDONLY) else { continue }
      agonyfs_wait_for_flush(file.number)
      posix_fadvise(file.number, 0, 0, POSIX_FADV_DONTNEED)
    }
  }

  /// Holds room in a file without a name, which the kernel deletes when it is closed, and the host file system after a
  /// crash.
  package func holdRoom() throws(Errno) -> any HeldRoom {
    UnnamedFile(try Descriptor.open(".", in: root, O_RDWR | agonyfs_unnamed_file_flag()))
  }
}
