// Invariants
// 1. A directory that receives a new copy has no `agonyfs.json` before all files are durable under their names. Until
//    then it has the file `copying`, from before everything else, with the parameters of the vault that is copied. So
//    no other vault is mixed with it, and an incomplete copy never opens.
// 2. A file is written under a temporary name and takes its own name when it is durable. So a crash leaves the old
//    bytes or the new ones, and never a part of a file that passes for a whole one.
// 3. One process copies into a directory at a time: it holds a lock on `copying`, or the lease on the vault exclusively.
//    It examines what is there after it has the lock.
// 4. Nothing is deleted except temporary files of interrupted copies and `copying`.
// 5. Files are written, never linked or cloned: shared extents would show how the source was written (`FileCopy`).

internal import CPlatform
internal import Glibc
internal import Synchronization
internal import System
package import SystemPackage

/// Why a directory cannot receive a copy.
package enum DirectoryCopyError: Error, Equatable, Sendable {
  /// The directory cannot be used, for the reason inside.
  case storage(DirectoryStorageError)
  /// A space of the vault there is mounted, or another process copies into it.
  case inUse
  /// It has another vault, or an incomplete copy of one.
  case otherVault
}

/// A directory that receives a copy of a vault. The lock on it ends with the object.
package final class DirectoryCopyTarget: Sendable {
  /// The most bytes that are read of parameters.
  package static let parametersLimit = 64 << 10
  /// The end of temporary names, which begin with a dot.
  private static let temporaryEnd = ".copying"
  private static let leaseAttempts = 100

  /// The files that are there.
  package let storage: DirectoryStorage
  /// The parameters of the vault that was there; nil if the copy is new or was never completed.
  package let parametersThere: [UInt8]?
  private let directory: Descriptor
  /// The leases on the vault: one for each file of parameters that it had.
  private let leases: Mutex<[any Lease]>
  private let marker: Descriptor?

  /// Takes a directory: a vault, an incomplete copy, an empty directory, or a new one in an existing directory.
  ///
  /// - Parameters:
  ///   - parameters: those of the vault that will be copied.
  ///   - accepts: whether parameters that are there are those of the same vault.
  package convenience init(
    at path: FilePath, parameters: [UInt8], accepts: ([UInt8]) -> Bool
  ) throws(DirectoryCopyError) {
    try self.init(at: path, parameters: parameters, accepts: accepts, willLock: {})
  }

  /// The initializer above.
  ///
  /// - Parameter willLock: called before the lock on `copying` is taken.
  init(
    at path: FilePath, parameters: [UInt8], accepts: ([UInt8]) -> Bool, willLock: () -> Void
  ) throws(DirectoryCopyError) {
    let opened = try Self.attempt("opening \(path)", path) { () throws(Errno) in try Self.openDirectory(path) }
    directory = opened
    let isVault = try Self.attempt("reading \(path)", path) { () throws(Errno) in
      try CreatedNames.haveParameters(in: opened)
    }
    if isVault {
      let vault: DirectoryStorage
      do throws(DirectoryStorageError) {
        vault = try DirectoryStorage(path: path)
      } catch {
        throw .storage(error)
      }
      leases = Mutex([try Self.takeLease(vault, path)])
      marker = nil
      let there = try Self.attempt("reading \(path)/\(StorageNames.parameters)", path) { () throws(Errno) in
        try vault.readParameters(limit: Self.parametersLimit)
      }
      guard accepts(there) else { throw .otherVault }
      parametersThere = there
      vault.removeInterruptedRefresh()
      vault.prepareForWriting()
      storage = vault
    } else {
      let file = try Self.takeMarker(in: opened, path, parameters: parameters, accepts: accepts, willLock: willLock)
      marker = file
      leases = Mutex([])
      parametersThere = nil
      storage = try Self.attempt("creating the copy", path) { () throws(Errno) in try Self.openSegments(in: opened) }
    }
    removeTemporaryFiles()
  }

  /// Writes a segment file, or replaces it. Its bytes are durable on return, its name after `complete`.
  ///
  /// - Parameter isComplete: whether it has the size of a complete file, and gets the time that these have. The age of
  ///   a short file must show that it was just written.
  package func put(_ identifier: SegmentIdentifier, _ bytes: [UInt8], isComplete: Bool) throws(Errno) {
    DiskAccess.assertAllowed()
    let (name, temporary) = (identifier.description, Self.temporary(identifier))
    try storage.changeNames(in: identifier.folder) { () throws(Errno) in
      let folder = try storage.owner.openFolder(folderName(identifier.folder), in: storage.root)
      do throws(Errno) {
        let file = try storage.owner.create(temporary, in: folder)
        // The directory may hand an access list down to it.
        unsafe fremovexattr(file.number, "system.posix_acl_access")
        let segment = SegmentFile(file)
        try unsafe bytes.span.bytes.withUnsafeBytes { (bytes) throws(Errno) in try unsafe segment.write(bytes, at: 0) }
        if isComplete { try segment.finish() }
        try segment.flush()
        posix_fadvise(file.number, 0, 0, POSIX_FADV_DONTNEED)
        try systemCall { unsafe renameat(folder.number, temporary, folder.number, name) }
      } catch {
        unsafe unlinkat(folder.number, temporary, 0)
        throw error
      }
    }
  }

  /// Replaces the parameters of the vault that is there, durably.
  ///
  /// - Throws: `.wouldBlock` if another process uses the vault between this and the lease on the new file.
  package func replaceParameters(_ parameters: [UInt8]) throws(Errno) {
    try storage.replaceParameters(with: parameters)
    let lease = try Self.exclusiveLease(of: storage)
    leases.withLock { $0.append(lease) }
  }

  /// Makes all files durable, then writes the parameters, if they are others than before. The copy is a vault then.
  package func complete(parameters: [UInt8]) throws(Errno) {
    try storage.flushAll()
    let there = try ifThere { () throws(Errno) in try storage.readParameters(limit: Self.parametersLimit) }
    if there != parameters { try storage.replaceParameters(with: parameters) }
    unsafe unlinkat(directory.number, StorageNames.copyMarker, 0)
    try? storage.owner.setTimes(of: ".", in: directory)
    try Self.flush(".", in: directory)
  }

  /// Whether the directory at a path has an incomplete copy.
  package static func isUnfinished(at path: FilePath) -> Bool {
    guard let directory = try? Descriptor.open(path, agonyfs_path_flag() | O_DIRECTORY),
      (try? CreatedNames.haveParameters(in: directory)) == false
    else { return false }
    return (try? directory.status(of: StorageNames.copyMarker)) != nil
  }

  private static func temporary(_ identifier: SegmentIdentifier) -> String {
    "." + identifier.description + temporaryEnd
  }

  private func removeTemporaryFiles() {
    for number in 0..<256 {
      guard let folder = try? storage.owner.folder(folderName(number), in: storage.root),
        let names = try? Directory.names(in: ".", of: folder)
      else { continue }
      let end = Array(Self.temporaryEnd.utf8)
      let left = names.filter { name in
        name.first == UInt8(ascii: ".") && name.suffix(end.count).elementsEqual(end)
          && SegmentIdentifier(name: name.dropFirst().dropLast(end.count)) != nil
      }
      if left.isEmpty { continue }
      for name in left { unsafe unlinkat(folder.number, String(decoding: name, as: UTF8.self), 0) }
      try? storage.owner.setTimes(of: folderName(number), in: storage.root)
    }
  }

  /// Opens a directory; makes it, durably, if nothing is there.
  private static func openDirectory(_ path: FilePath) throws(Errno) -> Descriptor {
    var isNew = true
    do throws(Errno) {
      try unsafe path.call { unsafe mkdir($0, 0o700) }
    } catch .fileExists {
      isNew = false
    }
    let directory = try Descriptor.open(path, agonyfs_path_flag() | O_DIRECTORY)
    if isNew { try? flush("..", in: directory) }
    return directory
  }

  private static func takeLease(_ storage: DirectoryStorage, _ path: FilePath) throws(DirectoryCopyError) -> any Lease {
    do throws(Errno) {
      return try exclusiveLease(of: storage)
    } catch .wouldBlock {
      throw .inUse
    } catch {
      throw .storage(.system(error, "locking \(path)/\(StorageNames.parameters)"))
    }
  }

  private static func exclusiveLease(of storage: DirectoryStorage) throws(Errno) -> any Lease {
    // A mount that ends holds it for moments.
    for _ in 1..<leaseAttempts {
      do throws(Errno) {
        return try storage.lease(.vault, exclusive: true)
      } catch .wouldBlock {
        usleep(10_000)
      }
    }
    return try storage.lease(.vault, exclusive: true)
  }

  /// Makes `copying` in an empty directory, or takes the one that an interrupted copy left.
  private static func takeMarker(
    in directory: Descriptor, _ path: FilePath, parameters: [UInt8], accepts: ([UInt8]) -> Bool, willLock: () -> Void
  ) throws(DirectoryCopyError) -> Descriptor {
    let name = StorageNames.copyMarker
    let (file, isNew) = try attempt("creating the copy", path) { () throws(Errno) in try openMarker(in: directory) }
    willLock()
    do throws(Errno) {
      try systemCall { flock(file.number, LOCK_EX | LOCK_NB) }
      // The process that had the lock may have completed the copy.
      if try CreatedNames.haveParameters(in: directory) { throw Errno.wouldBlock }
      if try !leads(to: file, in: directory) { throw Errno.wouldBlock }
    } catch .wouldBlock {
      throw .inUse
    } catch {
      throw .storage(.system(error, "locking \(path)/\(name)"))
    }
    let isBegun = try attempt("creating the copy", path) { () throws(Errno) -> Bool in
      let names = try Directory.names(in: ".", of: directory)
      if names.contains(Array(StorageNames.segments.utf8)) { return true }
      // Only what a crash left while the file was written: another file of this name belongs to the user.
      let content = try VaultFile.open(name, in: directory, O_RDONLY).readToEnd(limit: parametersLimit)
      if names.count == 1, parameters.starts(with: content) { return false }
      if isNew { unsafe unlinkat(directory.number, name, 0) }
      throw .fileExists
    }
    let there = try attempt("writing \(path)/\(name)", path) { () throws(Errno) -> [UInt8] in
      if isBegun { return try file.readToEnd(limit: parametersLimit) }
      // A crash may have left a part of it.
      try systemCall { ftruncate(file.number, 0) }
      try file.writeAll(parameters)
      try VaultOwner(ofNew: directory).give(file)
      try systemCall { fsync(file.number) }
      try flush(".", in: directory)
      return parameters
    }
    guard accepts(there) else { throw .otherVault }
    return file
  }

  /// Opens `copying`; makes it if the directory is empty.
  ///
  /// - Throws: `.fileExists` when there is something else.
  private static func openMarker(in directory: Descriptor) throws(Errno) -> (Descriptor, isNew: Bool) {
    let name = StorageNames.copyMarker
    if try Directory.names(in: ".", of: directory).isEmpty {
      do throws(Errno) {
        return (try Descriptor.open(name, in: directory, O_RDWR | O_CREAT | O_EXCL), true)
      } catch .fileExists {
        // Another process was faster.
      }
    }
    do throws(Errno) {
      return (try VaultFile.open(name, in: directory, O_RDWR), false)
    } catch .noSuchFileOrDirectory, .notRegularFile {
      throw .fileExists
    }
  }

  /// Whether the name `copying` is that of this file.
  private static func leads(to file: Descriptor, in directory: Descriptor) throws(Errno) -> Bool {
    let held = try file.status()
    let named = try ifThere { () throws(Errno) in try directory.status(of: StorageNames.copyMarker) }
    return held.st_ino == named?.st_ino && held.st_dev == named?.st_dev
  }

  /// Opens the folders of an incomplete copy; makes those that are missing.
  private static func openSegments(in directory: Descriptor) throws(Errno) -> DirectoryStorage {
    let found = try ifThere { () throws(Errno) in try directory.status(of: StorageNames.segments) }
    if found == nil {
      let owner = try VaultOwner(ofNew: directory)
      try owner.makeFolder(StorageNames.segments, in: directory)
      try DirectoryStorage.createFolders(in: directory, of: owner)
      try flush(".", in: directory)
      return try DirectoryStorage(directory: directory)
    }
    let storage = try DirectoryStorage(directory: directory)
    storage.prepareForWriting()
    return storage
  }

  private static func flush(_ path: String, in directory: Descriptor) throws(Errno) {
    let opened = try Descriptor.open(path, in: directory, O_RDONLY | O_DIRECTORY)
    try systemCall { fsync(opened.number) }
  }

  private static func attempt<Value>(
    _ action: String, _ path: FilePath, _ body: () throws(Errno) -> Value
  ) throws(DirectoryCopyError) -> Value {
    do throws(Errno) {
      return try body()
    } catch .fileExists {
      throw .storage(.exists)
    } catch .noSuchFileOrDirectory {
      throw .storage(.parentMissing(path.removingLastComponent()))
    } catch {
      throw .storage(.system(error, action))
    }
  }
}
