internal import ArgumentParser
internal import Crypto

/// The options that say where the password comes from.
struct PasswordOptions: ParsableArguments {
  @Flag(
    name: .customLong("password"),
    help: ArgumentHelp(
      "Ask for the password at the terminal; --password=TEXT gives it on the command line.",
      discussion: "TEXT is wiped from the process title at once, but the shell's history may keep it."))
  var asks = false

  @Flag(name: .customLong("password-from-line"), help: .private)
  var isOnLine = false

  @Option(
    help: ArgumentHelp("Read the first line of a file.", valueName: "file"), completion: .file())
  var passwordFile: String?

  @Option(
    help: ArgumentHelp("Run a shell command and read the first line it prints.", valueName: "command"))
  var passwordCommand: String?

  func validate() throws {
    try PasswordSource.validate(.current, asks, isOnLine, passwordFile, passwordCommand)
  }

  /// Where the password comes from.
  ///
  /// - Parameter otherFile: a password file given elsewhere (`-o passfile=FILE`), used if there is no other option.
  func source(otherFile: String? = nil) -> PasswordSource {
    let isSaid = asks || isOnLine || passwordFile != nil || passwordCommand != nil
    return .init(.current, asks, isOnLine, isSaid ? passwordFile : otherFile, passwordCommand)
  }
}

/// The options that say where the new password comes from, for the command that needs two passwords.
struct NewPasswordOptions: ParsableArguments {
  @Flag(
    name: .customLong("new-password"),
    help: "Ask for the new password at the terminal; --new-password=TEXT gives it on the command line.")
  var asks = false

  @Flag(name: .customLong("new-password-from-line"), help: .private)
  var isOnLine = false

  @Option(help: ArgumentHelp("Read the first line of a file.", valueName: "file"), completion: .file())
  var newPasswordFile: String?

  @Option(
    help: ArgumentHelp("Run a shell command and read the first line it prints.", valueName: "command"))
  var newPasswordCommand: String?

  func validate() throws {
    try PasswordSource.validate(.new, asks, isOnLine, newPasswordFile, newPasswordCommand)
  }

  /// Where the new password comes from.
  var source: PasswordSource { .init(.new, asks, isOnLine, newPasswordFile, newPasswordCommand) }
}

extension PasswordSource {
  fileprivate static func validate(
    _ role: PasswordRole, _ asks: Bool, _ isOnLine: Bool, _ file: String?, _ command: String?
  ) throws {
    let given = [asks, isOnLine, file != nil, command != nil].count { $0 }
    guard given <= 1 else {
      throw ValidationError("Give one of --\(role.rawValue), --\(role.rawValue)-file and --\(role.rawValue)-command.")
    }
  }

  fileprivate init(_ role: PasswordRole, _ asks: Bool, _ isOnLine: Bool, _ file: String?, _ command: String?) {
    if isOnLine, let password = LinePasswords.take(role) {
      self = .given(password)
    } else if let file {
      self = .file(file)
    } else if let command {
      self = .command(command)
    } else {
      self = asks ? .terminal : .unspecified
    }
  }
}
