internal import Glibc
internal import System
internal import SystemPackage

/// The file that marks a creation in progress, and the lock on it.
struct CreationMarker {
  private let file: Descriptor

  /// Makes the marker in an empty directory, or takes over an abandoned one, and deletes the files of its creator.
  ///
  /// - Throws: `.fileExists` when there is anything else; `.wouldBlock` when another process creates a storage there.
  init(in directory: Descriptor) throws(Errno) {
    while true {
      let isEmpty = try Directory.names(in: ".", of: directory).isEmpty
      let file: Descriptor
      do throws(Errno) {
        file =
          isEmpty
          ? try Descriptor.open(StorageNames.creationMarker, in: directory, O_RDWR | O_CREAT | O_EXCL)
          : try Self.open(in: directory, O_RDWR)
      } catch {
        // Another process was faster.
        if isEmpty, error == .fileExists { continue }
        throw error
      }
      try systemCall { flock(file.number, LOCK_EX | LOCK_NB) }
      if isEmpty { try VaultOwner(ofNew: directory).give(file) }
      // Its creator may have ended since.
      guard try Self.leads(to: file, in: directory) else { continue }
      self.file = file
      if isEmpty { return }
      guard try CreatedNames.areAll(in: directory) else {
        // The vault is complete. Only the marker is left.
        if try CreatedNames.haveParameters(in: directory) { remove(from: directory) }
        throw .fileExists
      }
      guard CreatedNames.remove(from: directory) else { throw .fileExists }
      return
    }
  }

  /// Whether a directory has a marker that no process has locked, and no parameters.
  ///
  /// - Throws: `.wouldBlock` when another process has locked it.
  static func isAbandoned(in directory: Descriptor) throws(Errno) -> Bool {
    if try CreatedNames.haveParameters(in: directory) { return false }
    let file = try open(in: directory, O_RDONLY)
    try systemCall { flock(file.number, LOCK_SH | LOCK_NB) }
    return true
  }

  func remove(from directory: Descriptor) {
    unsafe unlinkat(directory.number, StorageNames.creationMarker, 0)
  }

  /// Throws `.fileExists` for anything except a regular file.
  private static func open(in directory: Descriptor, _ flags: CInt) throws(Errno) -> Descriptor {
    let file: Descriptor
    do throws(Errno) {
      file = try Descriptor.open(StorageNames.creationMarker, in: directory, flags | O_NOFOLLOW | O_NONBLOCK)
    } catch .noSuchFileOrDirectory, .tooManySymbolicLinkLevels, .isDirectory, .permissionDenied {
      throw .fileExists
    }
    guard try file.status().st_mode & S_IFMT == S_IFREG else { throw .fileExists }
    return file
  }

  /// Whether the marker in a directory is this file.
  private static func leads(to file: Descriptor, in directory: Descriptor) throws(Errno) -> Bool {
    let held = try file.status()
    let found = try ifThere { () throws(Errno) in try directory.status(of: StorageNames.creationMarker) }
    guard let named = found else { return false }
    return held.st_ino == named.st_ino && held.st_dev == named.st_dev
  }
}

/// The names that a creation puts into a directory: the folders of segments, files in them, and the parameters.
enum CreatedNames {
  static func haveParameters(in directory: Descriptor) throws(Errno) -> Bool {
    let access = try ifThere { () throws(Errno) in
      try systemCall { unsafe faccessat(directory.number, StorageNames.parameters, F_OK, AT_EACCESS) }
    }
    return access != nil
  }

  /// Whether a directory holds only names of a creation that is not complete.
  static func areAll(in directory: Descriptor) throws(Errno) -> Bool {
    let known = [StorageNames.creationMarker, StorageNames.segments, WholeFile.temporary(StorageNames.parameters)]
    guard try Directory.names(in: ".", of: directory).allSatisfy({ known.contains(text($0)) }) else { return false }
    do throws(Errno) {
      let root = try folder(StorageNames.segments, in: directory)
      for name in try Directory.names(in: ".", of: root) {
        guard name.count == 2, Hexadecimal.bytes(of: name) != nil else { return false }
        let files = try Directory.names(in: ".", of: try folder(text(name), in: root))
        guard files.allSatisfy({ SegmentIdentifier(name: $0) != nil }) else { return false }
      }
      return true
    } catch .noSuchFileOrDirectory {
      return true
    } catch .notDirectory, .tooManySymbolicLinkLevels {
      return false
    }
  }

  /// Deletes everything that a creation makes, except the marker; everything else stays.
  ///
  /// - Returns: whether all of it is deleted.
  @discardableResult
  static func remove(from directory: Descriptor) -> Bool {
    unsafe unlinkat(directory.number, WholeFile.temporary(StorageNames.parameters), 0)
    unsafe unlinkat(directory.number, StorageNames.parameters, 0)
    guard let root = try? folder(StorageNames.segments, in: directory) else {
      return Errno.current == .noSuchFileOrDirectory
    }
    for name in (try? Directory.names(in: ".", of: root)) ?? [] {
      guard let folder = try? folder(text(name), in: root) else { continue }
      for file in (try? Directory.names(in: ".", of: folder)) ?? [] where SegmentIdentifier(name: file) != nil {
        unsafe unlinkat(folder.number, text(file), 0)
      }
      unsafe unlinkat(root.number, text(name), AT_REMOVEDIR)
    }
    return unsafe unlinkat(directory.number, StorageNames.segments, AT_REMOVEDIR) == 0
  }

  private static func folder(_ name: String, in directory: Descriptor) throws(Errno) -> Descriptor {
    try Descriptor.open(name, in: directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  }

  private static func text(_ name: [UInt8]) -> String { String(decoding: name, as: UTF8.self) }
}
