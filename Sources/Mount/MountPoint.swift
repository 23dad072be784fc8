internal import CMount
internal import CPlatform
internal import Glibc
package import System
package import SystemPackage

/// A directory to mount a space at.
package struct MountPoint: Sendable {
  /// Its absolute path without symbolic links.
  package let path: FilePath
  /// The directory itself, opened only as a place, until something is mounted there. Whoever may rename directories in the
  /// path can make it lead to another one at any time.
  package let directory: Descriptor

  /// Checks that a space can be mounted at `path` with these options, before anything expensive is done. Throws the
  /// reason against it.
  ///
  /// - Parameters:
  ///   - vault: the vault's path; nothing may be there yet.
  ///   - expected: the directory that an earlier check found; another one is refused.
  package static func check(
    _ path: FilePath, options: MountOptions, vault: FilePath? = nil, expected: Descriptor? = nil
  ) throws(MountError) -> MountPoint {
    let point = try check(path, options: options, host: MountHost())
    if let expected, DirectoryIdentity(expected) != DirectoryIdentity(point.directory) {
      throw .moved(path: path.string)
    }
    if let vault { try VaultPlace(vault).checkApart(from: point, path: path.string) }
    return point
  }

  static func check(_ path: FilePath, options: MountOptions, host: MountHost) throws(MountError) -> MountPoint {
    let resolved = try directory(at: path, options: options, host: host)
    let directory: Descriptor
    do throws(Errno) {
      directory = try Descriptor.open(resolved, agonyfs_path_flag() | O_DIRECTORY | O_NOFOLLOW)
    } catch {
      throw .unusable(path: path.string, reason: error.description)
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
  func target() throws(MountError) -> FilePath {
    let named: Descriptor
    do throws(Errno) {
      named = try Descriptor.open(path, agonyfs_path_flag() | O_DIRECTORY | O_NOFOLLOW)
    } catch .noSuchFileOrDirectory {
      throw .missing(path: path.string)
    } catch {
      throw .moved(path: path.string)
    }
    guard DirectoryIdentity(named) == DirectoryIdentity(directory) else { throw .moved(path: path.string) }
    return agonyfs_may_mount() ? FilePath("/proc/self/fd/\(directory.number)") : path
  }

  /// The resolved path of a directory that the user may mount at and that has no FUSE mount.
  private static func directory(
    at path: FilePath, options: MountOptions, host: MountHost
  ) throws(MountError) -> FilePath {
    var status = stat()
    var outcome: Errno?
    do throws(Errno) { try unsafe path.call { unsafe stat($0, &status) } } catch { outcome = error }
    let resolved = CanonicalPath.resolve(path)
    if let resolved, let mounted = MountTable.current().entry(at: resolved), mounted.isFuse {
      // By the option subtype it may be called otherwise; then it is ours if this mount would be called the same.
      let isNamedAlike =
        mounted.type == "fuse." + options.subtype && mounted.source == ByteText.bytes(of: options.sourceName)
      try takeAway(mounted, isOurs: mounted.isNamedOurs || isNamedAlike, at: resolved, named: path, host: host)
      return try directory(at: path, options: options, host: host)
    }
    switch outcome {
    case nil: break
    case .noSuchFileOrDirectory, .notDirectory: throw .missing(path: path.string)
    case .fileNameTooLong: throw .tooLong
    case .socketNotConnected: throw .deadMount(path: path.string)
    case .permissionDenied: throw .notPermitted(path: path.string)
    case .some(let error): throw .unusable(path: path.string, reason: error.description)
    }
    guard let resolved else { throw .missing(path: path.string) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .notDirectory(path: path.string) }
    // The helper refuses these too, but late and with its own message.
    let isForeign = status.st_mode & S_ISVTX != 0 && status.st_uid != host.user
    let isClosed = (try? unsafe resolved.call { unsafe access($0, W_OK) }) == nil
    if host.user != 0, isForeign || isClosed { throw .notPermitted(path: path.string) }
    return resolved
  }

  /// Takes away a dead mount of ours, as a daemon leaves it that was killed.
  ///
  /// - Throws: `.mountedAlready` if it is not dead; `.mountOfOther` if only its user can tell; `.deadMount` if it is another
  ///   program's or cannot be taken away; `.deadMountOfOther` if it is another user's.
  private static func takeAway(
    _ mounted: MountTableEntry, isOurs: Bool, at place: FilePath, named path: FilePath, host: MountHost
  ) throws(MountError) {
    // Attributes of a mount that has just died may still be in the kernel's cache.
    let answer = unsafe place.withPlatformString { unsafe agonyfs_ask_for_attributes($0) == 0 ? 0 : errno }
    if answer == EACCES, let user = mounted.number(of: "user_id"), user != host.user {
      throw .mountOfOther(path: path.string, user: user)
    }
    guard answer == ENOTCONN else { throw .mountedAlready(path: path.string) }
    guard isOurs, let user = mounted.number(of: "user_id") else { throw .deadMount(path: path.string) }
    guard user == host.user else { throw .deadMountOfOther(path: path.string, user: user) }
    // Nothing of it answers any more, so whoever has it open loses nothing.
    guard MountRemoval.remove(place, isLazy: true) == .done else { throw .deadMount(path: path.string) }
  }

  private static func checkEmpty(_ directory: Descriptor, _ path: FilePath) throws(MountError) {
    guard let isEmpty = try? Directory.names(in: ".", of: directory).isEmpty else {
      throw .notPermitted(path: path.string)
    }
    if !isEmpty { throw .notEmpty(path: path.string) }
  }
}

/// Paths as in the table of mounts.
enum CanonicalPath {
  /// The absolute path without symbolic links; nil if there is none. The last component may be a dead mount.
  static func resolve(_ path: FilePath) -> FilePath? {
    do throws(Errno) {
      return try path.withoutLinks()
    } catch {
      guard error == .socketNotConnected || error == .permissionDenied else { return nil }
    }
    guard let last = path.lastComponent, last.kind == .regular else { return nil }
    let parent = path.removingLastComponent()
    return (parent.isEmpty ? "." : parent).resolved?.appending(last)
  }
}
