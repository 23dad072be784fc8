internal import Client
internal import Crypto
internal import Glibc
internal import System
internal import SystemPackage

extension NewVault {
  /// Whether the path is unused and its parent is a directory. An empty directory counts as used: a space may be
  /// mounted there at other times.
  static func isFree(_ path: FilePath) -> Bool {
    var information = stat()
    do throws(Errno) {
      try unsafe path.call { unsafe lstat($0, &information) }
      return false
    } catch {
      return error == .noSuchFileOrDirectory && Directory.exists(at: path.removingLastComponent())
    }
  }

  static func question(at path: FilePath) -> String {
    "There is no vault at \(TerminalText.safe(path.bytes)). Make one?"
  }

  /// Asks at the terminal whether to make a vault.
  ///
  /// - Throws: status 10 if the answer is not yes.
  static func confirm(at path: FilePath) throws(CommandFailure) {
    guard Terminal()?.confirm(question(at: path)) ?? false else {
      throw CommandFailure(
        .noVault, "There is no vault at \(TerminalText.safe(path.bytes)); check the path. Nothing was created.")
    }
  }

  /// Offers at a terminal to make a vault at an unused path, with a new password that is typed twice.
  ///
  /// - Throws: as `confirm`, `PasswordSource.password` and `create`.
  static func offer(at path: FilePath) throws {
    guard isFree(path), isatty(STDIN_FILENO) == 1 else { return }
    try confirm(at: path)
    let password = try PasswordSource.terminal.password(
      for: .setting, prompt: "New password for \(TerminalText.safe(path.bytes))")
    try create(at: path, password: password)
  }
}
