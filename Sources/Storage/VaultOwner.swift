// Invariants
// 1. All files of a vault have one owner, one group and one mode, and so have all its folders, no matter which user's
//    process makes them: files written by a root mount look like cover, and the user's own mount can use them.
// 2. If the host has files without names (O_TMPFILE), a file gets owner, group and mode before its name, so no crash
//    leaves a file with others. Elsewhere it gets them right after its name; a file left by a crash stays root's until
//    root gives it away by hand.
// 3. Root gives away only files that it has just made, and in a user's vault it dates, overwrites and copies only files
//    of that user. So no user gets a file of root's, nor its bytes, by moving the file into a vault.
// 4. Through a symbolic link nothing is made for, or given to, another user, nor written, renamed or deleted: the owner
//    of the vault can put a link in the place of a folder at any time.
// 5. Root moves and deletes names only in directories that it has open and that are the owner's; a single file whose
//    name it knows it deletes in any folder of `segments`. If something is put in the place of such a directory, root
//    does no more there than the owner could. Root also removes `refreshing` and its folders if they are empty and
//    root's own: a kill may have come before they were given away.
// 6. Root does not move or copy in a vault in a directory of a user other than root and the owner, because that user
//    can put files there. There it overwrites or deletes only a single file whose name it knows, in `segments` or in a
//    folder of the owner's in `refreshing`, and overwrites it only if it is the owner's; and it replaces the
//    parameters, and the tokens of `agonyfs sync` if they are the owner's. If other users may write, a copy gives no
//    user a right that this user did not have.

internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// The owner of the files and folders of a vault, and their modes.
struct VaultOwner: Sendable {
  private let user: uid_t
  private let group: gid_t
  private let fileMode: mode_t
  private let folderMode: mode_t
  /// Whether the vault lies in a directory of root's or the owner's.
  private let isEnclosed: Bool
  /// Whether other users may put names there.
  private let isShared: Bool

  /// The owner for a directory in which a vault will be created.
  init(ofNew directory: Descriptor) throws(Errno) {
    let status = try directory.status()
    // The directory may be open to other users. Its content is not, except for rights that the host hands down.
    let handsDownGroup = status.st_mode & S_ISGID != 0
    user = geteuid() == 0 ? status.st_uid : geteuid()
    group = geteuid() == 0 || handsDownGroup ? status.st_gid : getegid()
    (fileMode, folderMode) = (0o600, 0o700 | status.st_mode & S_ISGID)
    (isEnclosed, isShared) = (true, false)
  }

  /// The owner of a vault: that of `segments`, which a refresh keeps. Files have the mode of the parameters, so a mode
  /// that the user changed for all files also applies to new ones.
  init(of segments: Descriptor, in directory: Descriptor) throws(Errno) {
    let status = try segments.status()
    (user, group) = (status.st_uid, status.st_gid)
    folderMode = status.st_mode & 0o7777 | 0o700
    let parameters = try? directory.status(of: StorageNames.parameters)
    fileMode = parameters.map { $0.st_mode & 0o666 | 0o600 } ?? 0o600
    let place = try directory.status()
    isEnclosed = place.st_uid == 0 || place.st_uid == user
    isShared = (place.st_mode | status.st_mode) & 0o022 != 0
  }

  /// Whether files of this process have another owner at first, unless the folder changes that.
  private var isAnother: Bool { user != geteuid() || group != getegid() }

  /// Creates a file that does not exist, for reading and writing.
  func create(_ path: String, in directory: Descriptor) throws(Errno) -> Descriptor {
    let (folder, name) = try place(of: path, in: directory)
    let file: Descriptor
    if isAnother, let made = try createUnnamed(for: name, in: folder) {
      file = made
    } else {
      file = try Descriptor.open(name, in: folder, O_RDWR | O_CREAT | O_EXCL)
      give(file)
    }
    // Not at opening: a server that gives the file to another user refuses this flag after it has created the file.
    file.readQuietly()
    return file
  }

  /// The folder of a path and its last name, for files of another owner; otherwise the path stays as it is.
  private func place(of path: String, in directory: Descriptor) throws(Errno) -> (folder: Descriptor, name: String) {
    guard isAnother else { return (directory, path) }
    var (folder, names) = (directory, path.split(separator: "/").map(String.init))
    while names.count > 1 {
      let flags = agonyfs_path_flag() | O_DIRECTORY | O_NOFOLLOW
      folder = try Descriptor.open(names.removeFirst(), in: folder, flags)
    }
    return (folder, names.first ?? path)
  }

  /// Creates a file that gets its name last. Nil if the host cannot do that.
  private func createUnnamed(for name: String, in folder: Descriptor) throws(Errno) -> Descriptor? {
    guard let file = try? createUnnamed(in: ".", of: folder) else { return nil }
    return try Self.give(name, in: folder, to: file) ? file : nil
  }

  /// Creates a file without a name, for a name in a folder; the file is named after it was written.
  ///
  /// - Throws: an error of `HostAbility.unnamedFiles` if the host cannot do that.
  func createUnnamed(besides path: String, in directory: Descriptor) throws(Errno) -> Descriptor {
    let (folder, name) = try place(of: path, in: directory)
    return try createUnnamed(in: name.contains("/") ? String(name.prefix { $0 != "/" }) : ".", of: folder)
  }

  private func createUnnamed(in folder: String, of directory: Descriptor) throws(Errno) -> Descriptor {
    let file = try Descriptor.open(folder, in: directory, O_RDWR | agonyfs_unnamed_file_flag())
    give(file)
    return file
  }

  /// Gives a file without a name a free one; false if the host cannot do that.
  ///
  /// - Throws: `.fileExists`, `.noSpace`, `.diskQuotaExceeded`, `.readOnlyFileSystem`.
  func name(_ file: Descriptor, _ path: String, in directory: Descriptor) throws(Errno) -> Bool {
    let (folder, name) = try place(of: path, in: directory)
    return try Self.give(name, in: folder, to: file)
  }

  private static func give(_ name: String, in folder: Descriptor, to file: Descriptor) throws(Errno) -> Bool {
    do throws(Errno) {
      try systemCall {
        unsafe linkat(AT_FDCWD, "/proc/self/fd/\(file.number)", folder.number, name, AT_SYMLINK_FOLLOW)
      }
      return true
    } catch {
      if [.fileExists, .noSpace, .diskQuotaExceeded, .readOnlyFileSystem].contains(error) { throw error }
      return false
    }
  }

  /// Makes a folder that does not exist.
  func makeFolder(_ path: String, in directory: Descriptor) throws(Errno) {
    let (folder, name) = try place(of: path, in: directory)
    try systemCall { unsafe mkdirat(folder.number, name, 0o700) }
    guard let opened = try? VaultFile.openDirectory(name, in: folder) else { return }
    // The owner of the vault may have put another folder in its place since.
    if isAnother, (try? Directory.names(in: ".", of: opened).isEmpty) != true { return }
    give(opened)
  }

  /// Opens a folder to change names in it.
  ///
  /// - Throws: `.noSuchFileOrDirectory`; `.notDirectory`, also for a link; `.notPermitted`, as root, when it is not the
  ///   owner's.
  func openFolder(_ name: String, in directory: Descriptor) throws(Errno) -> Descriptor {
    let opened = try VaultFile.openDirectory(name, in: directory)
    guard mayMove, try mayUse(opened.status()) else { throw .notPermitted }
    return opened
  }

  /// Opens a folder like `openFolder`; nil if there is none, or if names in it must not be changed.
  func folder(_ name: String, in directory: Descriptor) throws(Errno) -> Descriptor? {
    do throws(Errno) {
      return try openFolder(name, in: directory)
    } catch .noSuchFileOrDirectory, .notDirectory, .notPermitted {
      return nil
    }
  }

  /// Gives a file or folder to the owner, with the mode of all others. If the host refuses that, it stays as it is:
  /// some hosts have one owner or one mode for everything.
  func give(_ file: Descriptor) {
    guard let status = try? file.status() else { return }
    if status.st_uid != user || status.st_gid != group {
      // A user can only choose a group of which the user is a member.
      _ = fchown(file.number, geteuid() == 0 ? user : uid_t.max, group)
    }
    let mode = status.st_mode & S_IFMT == S_IFDIR ? folderMode : fileMode
    // chown(2) may have cleared bits.
    if isAnother || status.st_mode & 0o7777 != mode { _ = fchmod(file.number, mode) }
  }

  /// Whether this process may date something in the vault or, if it may move and copy there, use it in other ways. Root
  /// can use everything, but must not use files that are not the owner's, unless the owner is root, who gains nothing
  /// by it. For other users the system decides.
  func mayUse(_ status: stat) -> Bool { status.st_uid == user || user == 0 || geteuid() != 0 }

  private var mayMove: Bool { isEnclosed || geteuid() != 0 }

  /// Whether this process may overwrite a file whose name it knows, or delete it in a folder. If other users may put
  /// files there, root must not touch files that are not the owner's, even if the owner is root.
  func mayErase(_ status: stat) -> Bool { mayMove ? mayUse(status) : status.st_uid == user }

  /// Checks that a file of the vault may be copied to one with the common owner and mode.
  ///
  /// - Throws: `.notPermitted`; `.moreReadable`.
  func checkCopy(of status: stat) throws(Errno) {
    guard mayMove, mayUse(status) else { throw .notPermitted }
    let kept = status.st_mode & (status.st_gid == group ? 0o077 : 0o007)
    if isShared, fileMode & 0o077 & ~kept != 0 { throw .moreReadable }
  }

  /// Gives a changed directory the constant time. Leaves a directory that is not the owner's as it is.
  func setTimes(of path: String, in directory: Descriptor) throws(Errno) {
    let opened = try Descriptor.open(path, in: directory, agonyfs_path_flag() | O_DIRECTORY | O_NOFOLLOW)
    if try mayUse(opened.status()) { try VaultFile.setTimes(ofDirectory: opened) }
  }

  /// Gives a directory the constant time if it has another one. Otherwise writes nothing to the host: some hosts count
  /// the changes of each directory, and the count would show how often the vault was written.
  ///
  /// - Parameter afterReading: whether another access time counts as well.
  func resetTimes(of path: String, in directory: Descriptor, afterReading: Bool = true) throws(Errno) {
    let status = try directory.status(of: path)
    let wasRead = afterReading && !VaultFile.isConstant(status.st_atim)
    if wasRead || !VaultFile.isConstant(status.st_mtim) { try setTimes(of: path, in: directory) }
  }
}

extension Errno {
  /// More users could use a copy than the file (ENOTUNIQ).
  static var moreReadable: Errno { Errno(rawValue: Glibc.ENOTUNIQ) }
}
