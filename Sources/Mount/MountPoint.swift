internal import CMount
internal import CPlatform
internal import Glibc
package import System
package import SystemPackage

/// A directory to mount a space at.
package struct MountPoint: Sendable {
  /// Its absolute path without symbolic links.
  package let path: FilePath
  /// The directory itself, opened with O_PATH, until something is mounted there. A user who may rename directories in
  /// the path can make the path lead to another directory at any time.
  package let directory: Descriptor

  /// Checks that a space can be mounted at `path` with these options, before anything expensive is done.
  ///
  /// - Parameters:
  ///   - vault: the vault's path, which need not exist.
  ///   - expected: the directory that an earlier check found; any other one is refused.
  /// - Throws: `MountError` with the reason against mounting there.
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

  /// The path for the mounting system call. With the helper, it is the path that was checked; the helper itself checks
  /// whether the user may mount there. Without the helper, it leads to the directory that was checked, even if names on
  /// the way were changed.
  ///
  /// - Throws: `.moved` if the path leads to another directory by now, `.missing` if it does not exist.
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
      // With the option subtype an agonyfs mount has another name; it counts as ours if this mount would get the same
      // name.
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
    // The helper refuses these as well, but late and with its own message.
    let isForeign = status.st_mode & S_ISVTX != 0 && status.st_uid != host.user
    let isClosed = (try? unsafe resolved.call { unsafe access($0, W_OK) }) == nil
    if host.user != 0, isForeign || isClosed { throw .notPermitted(path: path.string) }
    return resolved
  }

  /// Removes a dead agonyfs mount, which a killed daemon leaves behind.
  ///
  /// - Throws: `.mountedAlready` if it is not dead; `.mountOfOther` if only its user can know; `.deadMount` if it is
  ///   another program's or cannot be removed; `.deadMountOfOther` if it is another user's.
  private static func takeAway(
    _ mounted: MountTableEntry, isOurs: Bool, at place: FilePath, named path: FilePath, host: MountHost
  ) throws(MountError) {
    // The kernel may still cache the attributes of a mount that has just died.
    let answer = unsafe place.withPlatformString { unsafe agonyfs_ask_for_attributes($0) == 0 ? 0 : errno }
    if answer == EACCES, let user = mounted.number(of: "user_id"), user != host.user {
      throw .mountOfOther(path: path.string, user: user)
    }
    guard answer == ENOTCONN else { throw .mountedAlready(path: path.string) }
    guard isOurs, let user = mounted.number(of: "user_id") else { throw .deadMount(path: path.string) }
    guard user == host.user else { throw .deadMountOfOther(path: path.string, user: user) }
    // The mount answers nothing any more, so programs with open files lose nothing.
    guard MountRemoval.remove(place, isLazy: true) == .done else { throw .deadMount(path: path.string) }
  }

  private static func checkEmpty(_ directory: Descriptor, _ path: FilePath) throws(MountError) {
    guard let isEmpty = try? Directory.names(in: ".", of: directory).isEmpty else {
      throw .notPermitted(path: path.string)
    }
    if !isEmpty { throw .notEmpty(path: path.string) }
  }
}

/// Resolves paths to the form of the table of mounts.
enum CanonicalPath {
  /// The absolute path without symbolic links; nil if it does not exist. The last component may be a dead mount.
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
