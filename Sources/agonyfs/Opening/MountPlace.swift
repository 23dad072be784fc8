internal import Client
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

/// The default place of a mount: below the user's runtime directory, which is in memory, is not indexed and is removed
/// after the session; without one, in a hidden directory of the home.
enum MountPlace {
  /// The directory that holds default mount points; nil if this user has none.
  private static var base: FilePath? {
    if let runtime = Environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
      return FilePath(runtime).appending("agonyfs")
    }
    guard let home = Environment["HOME"], home.hasPrefix("/") else { return nil }
    return FilePath(home).appending(".agonyfs")
  }

  /// The known mount points of spaces, mounted or not: from /etc/fstab and from `agonyfs open`.
  static var known: [[UInt8]] {
    let places = MountedPlaces.inTable((try? WholeFile.read("/etc/fstab")) ?? [])
    guard let base, let names = try? Directory.names(in: base) else { return places }
    return places + names.map { base.bytes + [UInt8(ascii: "/")] + $0 }
  }

  /// Finds or makes an empty directory that is named like the vault.
  ///
  /// - Throws: `CommandFailure` if none can be made.
  static func free(for vault: FilePath) throws(CommandFailure) -> FilePath {
    guard let base else {
      throw CommandFailure(.usage, "Neither XDG_RUNTIME_DIR nor HOME is set; use agonyfs mount, and name a directory.")
    }
    try make(base)
    let name = vault.lastComponent ?? "Albums"
    for number in 1...100 {
      let path =
        number == 1 ? base.appending(name) : FilePath(bytes: base.appending(name).bytes + Array(" \(number)".utf8))
      try make(path)
      if isFree(path, below: base) { return path }
    }
    throw CommandFailure(
      .mountPointUnusable, "Too many spaces are mounted in \(TerminalText.safe(base.bytes)); unmount some.")
  }

  private static func make(_ path: FilePath) throws(CommandFailure) {
    do throws(Errno) {
      try unsafe path.call { unsafe mkdir($0, 0o700) }
    } catch {
      guard error != .fileExists else { return }
      throw CommandFailure(error, doing: "making \(TerminalText.safe(path.bytes))")
    }
  }

  // A mount point that is in use has another device number. A mount whose program has ended answers with an error;
  // `MountPoint.check` removes it if it belongs to this user.
  private static func isFree(_ path: FilePath, below base: FilePath) -> Bool {
    var (own, parent) = (stat(), stat())
    do throws(Errno) {
      do throws(Errno) {
        try unsafe path.call { unsafe lstat($0, &own) }
      } catch .socketNotConnected {
        guard (try? MountPoint.check(path, options: MountOptions())) != nil else { return false }
        try unsafe path.call { unsafe lstat($0, &own) }
      }
      try unsafe base.call { unsafe lstat($0, &parent) }
    } catch {
      return false
    }
    guard own.st_mode & S_IFMT == S_IFDIR, own.st_uid == geteuid(), own.st_dev == parent.st_dev else { return false }
    return (try? Directory.names(in: path))?.isEmpty == true
  }
}
