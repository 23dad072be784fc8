internal import CMount
internal import Glibc
internal import System
internal import SystemPackage

/// A directory to mount a space at.
package struct MountPoint: Sendable, Equatable {
  /// Its absolute path without symbolic links.
  package let path: String

  /// Checks that a space can be mounted at `path` with these options, before anything expensive is done. Throws the
  /// reason against it.
  package static func check(_ path: String, options: MountOptions) throws(MountError) -> MountPoint {
    try check(path, options: options, host: MountHost())
  }

  static func check(_ path: String, options: MountOptions, host: MountHost) throws(MountError) -> MountPoint {
    let resolved = try directory(at: path, host: host)
    if !options.allowsNonEmpty { try checkEmpty(resolved) }
    try host.checkDevice()
    if host.user != 0 {
      if host.helper == nil { throw .helperMissing }
      try host.checkOthers(options)
    }
    return MountPoint(path: resolved)
  }

  /// The resolved path of a directory that the user may mount at and that has no FUSE mount.
  private static func directory(at path: String, host: MountHost) throws(MountError) -> String {
    var status = stat()
    let outcome = unsafe stat(path, &status) == 0 ? nil : Errno.current
    let resolved = CanonicalPath.resolve(path)
    if let resolved, let mounted = MountTable.current().entry(at: Array(resolved.utf8)), mounted.isFuse {
      throw outcome == .socketNotConnected ? .deadMount(path: path) : .mountedAlready(path: path)
    }
    switch outcome {
    case nil: break
    case .noSuchFileOrDirectory, .notDirectory: throw .missing(path: path)
    case .socketNotConnected: throw .deadMount(path: path)
    case .permissionDenied: throw .notPermitted(path: path)
    case .some(let error): throw .mountFailed(path: path, reason: error.description)
    }
    guard let resolved else { throw .missing(path: path) }
    guard status.st_mode & S_IFMT == S_IFDIR else { throw .notDirectory(path: path) }
    // The helper refuses these too, but late and with its own message.
    let isForeign = status.st_mode & S_ISVTX != 0 && status.st_uid != host.user
    if host.user != 0, unsafe isForeign || access(resolved, W_OK) != 0 { throw .notPermitted(path: path) }
    return resolved
  }

  private static func checkEmpty(_ path: String) throws(MountError) {
    guard let isEmpty = try? Directory.names(in: path).isEmpty else { throw .notPermitted(path: path) }
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
