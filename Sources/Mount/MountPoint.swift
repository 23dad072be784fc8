internal import CMount
internal import CPlatform
internal import Glibc
package import System
internal import SystemPackage

/// A directory to mount a space at.
package struct MountPoint: Sendable {
  /// Its absolute path without symbolic links.
  package let path: String
  /// The directory itself, opened only as a place. Whoever may rename directories in the path can make it lead to
  /// another one at any time.
  package let directory: Descriptor

  /// Checks that a space can be mounted at `path` with these options, before anything expensive is done. Throws the
  /// reason against it.
  ///
  /// - Parameters:
  ///   - vault: the vault's path; nothing may be there yet.
  ///   - expected: the directory that an earlier check found; another one is refused.
  package static func check(
    _ path: String, options: MountOptions, vault: String? = nil, expected: Descriptor? = nil
  ) throws(MountError) -> MountPoint {
    let point = try check(path, options: options, host: MountHost())
    if let expected, DirectoryIdentity(expected) != DirectoryIdentity(point.directory) { throw .moved(path: path) }
    if let vault { try VaultPlace(vault).checkApart(from: point, path: path) }
    return point
  }

  static func check(_ path: String, options: MountOptions, host: MountHost) throws(MountError) -> MountPoint {
    let resolved = try directory(at: path, host: host)
    let directory: Descriptor
    do throws(Errno) {
      directory = try Descriptor.open(resolved, agonyfs_path_flag() | O_DIRECTORY | O_NOFOLLOW)
    } catch {
      throw .unusable(path: path, reason: error.description)
    }
    if !options.allowsNonEmpty { try checkEmpty(directory, path) }
    try host.checkDevice()
    if host.user != 0, !host.mountsWithoutHelper {
      if host.helper == nil { throw .helperMissing }
      try host.checkOthers(options)
    }
    return MountPoint(path: resolved, directory: directory)
  }

  /// The path for the system call that mounts. That of a user who needs the helper is the path that was checked; the
  /// helper looks for itself whether the user may mount there. Otherwise it leads to the directory that was checked,
  /// whatever becomes of the names on the way.
  ///
  /// - Throws: `.moved` if the path leads to another directory by now, `.missing` if it leads to nothing.
  func target() throws(MountError) -> String {
    let named: Descriptor
    do throws(Errno) {
      named = try Descriptor.open(path, agonyfs_path_flag() | O_DIRECTORY | O_NOFOLLOW)
    } catch .noSuchFileOrDirectory {
      throw .missing(path: path)
    } catch {
      throw .moved(path: path)
    }
    guard DirectoryIdentity(named) == DirectoryIdentity(directory) else { throw .moved(path: path) }
    return agonyfs_may_mount() ? "/proc/self/fd/\(directory.number)" : path
  }

  /// The resolved path of a directory that the user may mount at and that has no FUSE mount.
  private static func directory(at path: String, host: MountHost) throws(MountError) -> String {
    var status = stat()
    let outcome = unsafe stat(path, &status) == 0 ? nil : Errno.current
    let resolved = CanonicalPath.resolve(path)
    if let resolved, let mounted = MountTable.current().entry(at: Array(resolved.utf8)), mounted.isFuse {
      try takeAway(mounted, at: resolved, named: path, host: host)
      return try directory(at: path, host: host)
    }
    switch outcome {
    case nil: break
    case .noSuchFileOrDirectory, .notDirectory: throw .missing(path: path)
    case .fileNameTooLong: throw .tooLong
    case .socketNotConnected: throw .deadMount(path: path)
    case .permissionDenied: throw .notPermitted(path: path)
    case .some(let error): throw .unusable(path: path, reason: error.description)
    }
    guard let resolved else { throw .missing(path: path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .notDirectory(path: path) }
    // The helper refuses these too, but late and with its own message.
    let isForeign = status.st_mode & S_ISVTX != 0 && status.st_uid != host.user
    if host.user != 0, unsafe isForeign || access(resolved, W_OK) != 0 { throw .notPermitted(path: path) }
    return resolved
  }

  /// Takes away a dead mount of ours, as a daemon leaves it that was killed.
  ///
  /// - Throws: `.mountedAlready` if it is not dead; `.deadMount` if it is another program's or cannot be taken away,
  ///   `.deadMountOfOther` if it is another user's.
  private static func takeAway(
    _ mounted: MountTableEntry, at place: String, named path: String, host: MountHost
  ) throws(MountError) {
    // Attributes of a mount that has just died may still be in the kernel's cache.
    guard unsafe agonyfs_ask_for_attributes(place) != 0, errno == ENOTCONN else { throw .mountedAlready(path: path) }
    guard mounted.isNamedOurs, let user = mounted.number(of: "user_id") else { throw .deadMount(path: path) }
    guard user == host.user else { throw .deadMountOfOther(path: path, user: user) }
    // Nothing of it answers any more, so whoever has it open loses nothing.
    guard MountRemoval.remove(place, isLazy: true) == .done else { throw .deadMount(path: path) }
  }

  private static func checkEmpty(_ directory: Descriptor, _ path: String) throws(MountError) {
    guard let isEmpty = try? Directory.names(in: ".", of: directory).isEmpty else { throw .notPermitted(path: path) }
    if !isEmpty { throw .notEmpty(path: path) }
  }
}

/// Paths as in the table of mounts.
enum CanonicalPath {
  /// The absolute path without symbolic links; nil if there is none. The last component may be a dead mount.
  static func resolve(_ path: String) -> String? {
    if let whole = realPath(path) { return whole }
    guard errno == ENOTCONN || errno == EACCES else { return nil }
    let trimmed = FilePath(path)
    guard let last = trimmed.lastComponent, last.kind == .regular else { return nil }
    let parent = trimmed.removingLastComponent()
    return realPath(parent.isEmpty ? "." : parent.string).map { FilePath($0).appending(last).string }
  }

  private static func realPath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(cString: resolved)
  }
}
