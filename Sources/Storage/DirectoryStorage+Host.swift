internal import CPlatform
internal import Glibc
internal import System
package import SystemPackage

/// Tries what the host of a vault can do.
extension DirectoryStorage {
  /// A folder in the vault's directory in which abilities are tried. It exists only for a moment.
  private static let trial = ".agonyfs-trial"
  /// The names in it.
  private static let trialNames = ["one", "other"]

  /// Whether only this machine can write to the file system at a path, as far as is known. True also if there is nothing
  /// at the path.
  package static func isOnLocalHost(_ path: FilePath) -> Bool {
    guard let opened = try? Descriptor.open(path, agonyfs_path_flag()) else { return true }
    return agonyfs_is_on_local_file_system(opened.number)
  }

  /// Whether only this machine can write here, as far as is known.
  package var isOnLocalHost: Bool { agonyfs_is_on_local_file_system(root.number) }

  /// Whether the host changes the change time of each file that is written, and gives a file one inode number: only this
  /// machine can write there, as far as is known, and it is no FAT.
  package static func keepsChangeTimes(_ path: FilePath) -> Bool {
    guard let opened = try? Descriptor.open(path, agonyfs_path_flag()) else { return false }
    return agonyfs_is_on_local_file_system(opened.number) && !agonyfs_is_fat(opened.number)
  }

  /// The facts of a segment file that show whether it was changed; nil if they are not known.
  package func stamp(of identifier: SegmentIdentifier) -> FileStamp? {
    guard let status = try? root.status(of: identifier.path), status.st_mode & S_IFMT == S_IFREG else { return nil }
    let (seconds, rest) = (Int64(status.st_ctim.tv_sec), Int64(status.st_ctim.tv_nsec))
    let (nanoseconds, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if isTooLarge { return nil }
    return FileStamp(size: Int64(status.st_size), inode: UInt64(status.st_ino), changed: nanoseconds &+ rest)
  }

  /// Tries every ability that was not tried yet, and returns those that the host lacks. What cannot be tried is not
  /// among them. In a vault that can be written it tries them with a file without a name. Only if the host lacks such
  /// files, and if the vault is this user's, it makes a folder in the vault's directory and removes it again: all hosts
  /// that have such files have links and exchanges as well.
  package func lackingAbilities() -> [HostAbility] {
    if let birth = try? SegmentFile(VaultFile.open(StorageNames.parameters, in: directory, O_RDONLY)).birth() {
      abilities.note(.births, !birth.isUnknown)
    }
    _ = try? abilities.use(.locks) { () throws(Errno) in
      // Far from the bytes of leases.
      let file = try VaultFile.open(StorageNames.parameters, in: directory, O_RDONLY)
      try systemCall { agonyfs_lock_byte(file.number, 1 << 39, false) }
    }
    if !isReadOnly { tryWriting() }
    return abilities.lacking
  }

  private func tryWriting() {
    var unnamed: Descriptor?
    let isUnnamed = try? abilities.use(.unnamedFiles) { () throws(Errno) in
      unnamed = try Descriptor.open(".", in: root, O_RDWR | agonyfs_unnamed_file_flag())
    }
    if let unnamed { return tryFile(unnamed) }
    // Root puts no names into the vault of another user.
    guard isUnnamed == false, let vault = try? root.status(), geteuid() != 0 || vault.st_uid == 0 else { return }
    guard unsafe mkdirat(directory.number, Self.trial, 0o700) == 0 else {
      // A process that was killed left it, or another one is trying now.
      removeTrial()
      return
    }
    tryNames()
    removeTrial()
  }

  private func removeTrial() {
    if let folder = try? VaultFile.openDirectory(Self.trial, in: directory) {
      for name in Self.trialNames { unsafe unlinkat(folder.number, name, 0) }
    }
    unsafe unlinkat(directory.number, Self.trial, AT_REMOVEDIR)
    try? owner.setTimes(of: ".", in: directory)
  }

  /// Tries what needs names, in the folder for it.
  private func tryNames() {
    let (one, other) = (Self.trialNames[0], Self.trialNames[1])
    guard let folder = try? VaultFile.openDirectory(Self.trial, in: directory),
      let file = try? Descriptor.open(one, in: folder, O_RDWR | O_CREAT | O_EXCL)
    else { return }
    tryFile(file)
    _ = try? abilities.use(.hardLinks) { () throws(Errno) in
      try systemCall { unsafe linkat(folder.number, one, folder.number, other, 0) }
    }
    unsafe unlinkat(folder.number, other, 0)
    _ = try? abilities.use(.renameWithoutReplacing) { () throws(Errno) in
      try systemCall { unsafe agonyfs_rename_if_absent(folder.number, one, other) }
    }
    for name in Self.trialNames { _ = try? Descriptor.open(name, in: folder, O_RDWR | O_CREAT) }
    _ = try? abilities.use(.exchange) { () throws(Errno) in
      try systemCall { unsafe agonyfs_exchange(folder.number, one, folder.number, other) }
    }
  }

  /// Tries what one file shows.
  private func tryFile(_ file: Descriptor) {
    _ = try? abilities.use(.allocation) { () throws(Errno) in
      try systemCall { agonyfs_allocate(file.number, 4096, true) }
    }
    // A host without modes may ignore a change, or refuse it.
    for mode: mode_t in [0o600, 0o640] {
      _ = fchmod(file.number, mode)
      if let status = try? file.status(), status.st_mode & 0o777 != mode { abilities.note(.modes, false) }
    }
    abilities.note(.modes, true)
    let odd = timespec(tv_sec: Self.completeTime + 1, tv_nsec: 0)
    guard unsafe futimens(file.number, [odd, odd]) == 0, let status = try? file.status() else { return }
    abilities.note(.seconds, status.st_mtim.tv_sec == odd.tv_sec)
  }
}

/// The room on the host.
extension DirectoryStorage {
  /// Room on the file system, in bytes.
  package func capacity() -> StorageCapacity { Self.capacity { unsafe fstatvfs(root.number, &$0) } }

  /// Room for a storage that does not exist yet at a path, in bytes; a total of 0 if it is not known.
  package static func capacity(near path: FilePath) -> StorageCapacity {
    for place in [path, path.removingLastComponent()] {
      let found = capacity { status in unsafe place.withPlatformString { unsafe statvfs($0, &status) } }
      if found.total > 0 { return found }
    }
    return StorageCapacity(total: 0, free: 0)
  }

  private static func capacity(_ ask: (inout statvfs) -> CInt) -> StorageCapacity {
    var information = statvfs()
    guard ask(&information) == 0 else { return StorageCapacity(total: 0, free: 0) }
    let block = Int64(information.f_frsize)
    let kept = information.f_bfree > information.f_bavail ? information.f_bfree - information.f_bavail : 0
    return StorageCapacity(
      total: Int64(information.f_blocks) * block, free: Int64(information.f_bavail) * block,
      kept: Int64(kept) * block)
  }
}
