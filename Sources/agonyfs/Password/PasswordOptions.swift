internal import ArgumentParser
internal import Crypto
internal import System
internal import SystemPackage

/// The kind of password that a group of options gives.
protocol PasswordKind {
  /// The password's role, which is part of the options' names.
  static var role: PasswordRole { get }
  static var mayBeSeveral: Bool { get }
}

extension PasswordKind {
  static var mayBeSeveral: Bool { false }
}

enum CurrentPassword: PasswordKind {
  static let role = PasswordRole.current
}

/// The password that opens a space, for the command that takes several.
enum CurrentPasswords: PasswordKind {
  static let role = PasswordRole.current
  static let mayBeSeveral = true
}

enum NewPassword: PasswordKind {
  static let role = PasswordRole.new
}

enum HiddenPassword: PasswordKind {
  static let role = PasswordRole.hidden
}

enum OwnerPassword: PasswordKind {
  static let role = PasswordRole.owner
}

/// The options that say where a password comes from.
struct PasswordOptions<Kind: PasswordKind>: ParsableArguments {
  @Flag(
    name: .customLong(Kind.role.rawValue),
    help: "Ask at the terminal. --\(Kind.role.rawValue)=TEXT gives it here, but the shell's history may keep it.")
  var asks = false

  @Flag(name: .customLong("\(Kind.role.rawValue)-from-line"), help: .private)
  var isOnLine = false

  @Option(
    name: .customLong("\(Kind.role.rawValue)-file"),
    help: ArgumentHelp(
      "Read the first line of a file; - is standard input"
        + (Kind.mayBeSeveral ? ". May be given several times." : "."),
      valueName: "file"), completion: .file())
  var files: [FileArgument] = []

  @Option(
    name: .customLong("\(Kind.role.rawValue)-command"),
    help: ArgumentHelp("Run a shell command and read the first line it prints.", valueName: "command"))
  var command: String?

  /// The last file, for commands that take only one.
  private var file: FilePath? { files.last?.path }

  func validate() throws {
    let role = Kind.role.rawValue
    guard [asks, isOnLine, file != nil, command != nil].count(where: \.self) <= 1 else {
      throw ValidationError("Give one of --\(role), --\(role)-file and --\(role)-command.")
    }
  }

  var isGiven: Bool { asks || isOnLine || file != nil || command != nil }

  /// Where the password comes from.
  ///
  /// - Parameter otherFile: a password file given elsewhere (`-o passfile=FILE`), used if no other option is given.
  func source(otherFile: String? = nil) -> PasswordSource {
    if isOnLine, let password = LinePasswords.take(Kind.role) { return .given(password) }
    if let command { return .command(command) }
    if asks { return .terminal }
    return (file ?? otherFile.map { FilePath(bytes: ByteText.bytes(of: $0)) }).map { .file($0) } ?? .unspecified
  }

  /// Where each password comes from; a single source unless several files are given.
  func sources() -> [PasswordSource] { files.count > 1 ? files.map { .file($0.path) } : [source()] }
}
