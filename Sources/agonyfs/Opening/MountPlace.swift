internal import Client
internal import Glibc
internal import Mount
internal import System
internal import SystemPackage

/// Where a space is mounted if nobody says where: below the user's runtime directory, which is in memory, no indexer looks
/// into, and goes with the session; without one, in a hidden directory of the home.
enum MountPlace {
  /// An empty directory that is called like the vault.
  ///
  /// - Throws: `CommandFailure` if none can be made.
  static func free(for vault: String) throws(CommandFailure) -> String {
    let base: String
    if let runtime = Environment["XDG_RUNTIME_DIR"], runtime.hasPrefix("/") {
      base = runtime + "/agonyfs"
    } else if let home = Environment["HOME"], home.hasPrefix("/") {
      base = home + "/.agonyfs"
    } else {
      throw CommandFailure(.usage, "Neither XDG_RUNTIME_DIR nor HOME is set; use agonyfs mount, and say where.")
    }
    try make(base)
    let name = vault.split(separator: "/").last ?? "Albums"
    for number in 1...100 {
      let path = number == 1 ? "\(base)/\(name)" : "\(base)/\(name) \(number)"
      try make(path)
      if isFree(path, below: base) { return path }
    }
    throw CommandFailure(.mountPointUnusable, "Too many spaces are mounted in \(TerminalText.safe(base)).")
  }

  private static func make(_ path: String) throws(CommandFailure) {
    do throws(Errno) {
      try systemCall { unsafe mkdir(path, 0o700) }
    } catch {
      guard error != .fileExists else { return }
      throw CommandFailure(error, doing: "making \(TerminalText.safe(path))")
    }
  }

  // One on which something is mounted has another device, and a mount whose program has gone answers nothing.
  private static func isFree(_ path: String, below base: String) -> Bool {
    var (own, parent) = (stat(), stat())
    guard unsafe lstat(path, &own) == 0, unsafe lstat(base, &parent) == 0 else { return false }
    guard own.st_mode & S_IFMT == S_IFDIR, own.st_uid == geteuid(), own.st_dev == parent.st_dev else { return false }
    return (try? Directory.names(in: path))?.isEmpty == true
  }
}
