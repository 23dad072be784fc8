internal import Crypto
internal import Glibc
internal import System
internal import SystemPackage

enum PasswordSource {
  /// The terminal, or one line of standard input if that is not a terminal.
  case unspecified
  /// The terminal, or one line of standard input if there is no terminal.
  case terminal
  /// The command line.
  case given(Password)
  /// The first line of a file; `-` is standard input.
  case file(FilePath)
  /// The first line that a command prints.
  case command(String)
}

enum PasswordPurpose {
  /// It opens something. The user is asked once, because a wrong password opens nothing.
  case opening
  /// It will open something from now on. The terminal asks for it twice, and a weak one gets advice.
  case setting
}

extension PasswordSource {
  /// Gets the password.
  ///
  /// - Parameter prompt: the prompt at the terminal, without colon: `Password for /home/me/Vault`.
  /// - Throws: `CommandFailure`: status 2 for a password that is missing, empty, too long or not repeated correctly; 1
  ///   if reading it fails.
  func password(for purpose: PasswordPurpose, prompt: String) throws -> Password {
    try TracedProcess.refuse()
    LockedMemoryNote.give()
    return try Self.checked(try read(purpose, prompt: prompt), purpose)
  }

  /// Asks at the terminal for a password that need not exist. The words and the number of questions are the same in
  /// both cases, so neither the command line nor the screen shows whether it exists. A weak one gets no advice, which
  /// would show that it exists: print `PasswordAdvice.general` before the first password.
  ///
  /// - Returns: nil if the user typed nothing.
  /// - Throws: as `password`.
  static func askedForAnyway(for purpose: PasswordPurpose, prompt: String) throws -> Password? {
    try TracedProcess.refuse()
    LockedMemoryNote.give()
    guard let terminal = Terminal() else {
      throw CommandFailure(.failure, "The terminal is gone; nothing was done.")
    }
    let password = try fromTerminal(terminal, purpose, prompt: "\(prompt), or nothing", mayBeNothing: true)
    return password.isEmpty ? nil : try checked(password, .opening)
  }

  /// Whether a user is asked at a terminal.
  var isTerminal: Bool {
    switch self {
    case .given, .file, .command: false
    case .unspecified where isatty(STDIN_FILENO) == 0: false
    case .terminal, .unspecified: Terminal() != nil
    }
  }

  private static func checked(_ password: Password, _ purpose: PasswordPurpose) throws -> Password {
    guard !password.normalized.isEmpty else {
      throw CommandFailure(.usage, "The password is empty; it needs at least one character.")
    }
    if purpose == .setting, let advice = PasswordAdvice.advice(for: password) { Output.note(advice) }
    return password
  }

  private func read(_ purpose: PasswordPurpose, prompt: String) throws -> Password {
    switch self {
    case .given(let password):
      guard password.bytes.count <= SecretLine.limit else { throw SecretLine.tooLong }
      return password
    case .file("-"): return try Self.fromStandardInput()
    case .file(let path):
      return try Self.line("reading the password file \(path)", orElse: "The password file \(path) is empty.") {
        try SecretLine.read(from: Descriptor.open(path, O_RDONLY))
      }
    case .command(let command):
      return try Self.line("running the password command", orElse: "The password command printed nothing.") {
        try PasswordProgram.run(command)
      }
    case .unspecified where isatty(STDIN_FILENO) == 0: return try Self.fromStandardInput()
    case .terminal, .unspecified:
      guard let terminal = Terminal() else { return try Self.fromStandardInput() }
      return try Self.fromTerminal(terminal, purpose, prompt: prompt)
    }
  }

  private static func fromTerminal(
    _ terminal: borrowing Terminal, _ purpose: PasswordPurpose, prompt: String, mayBeNothing: Bool = false
  ) throws -> Password {
    func ask(_ prompt: String) throws -> Password {
      do {
        if let password = try terminal.askSecretly("\(prompt): ") { return password }
      } catch let error as Errno {
        throw CommandFailure(error, doing: "reading the password from the terminal")
      }
      throw CommandFailure(.failure, "No password was typed; nothing was done.")
    }
    let password = try ask(prompt)
    if purpose == .setting, mayBeNothing || !password.isEmpty {
      guard try ask("Repeat the password").bytes.equals(password.bytes) else {
        throw CommandFailure(.usage, "The two passwords differ; nothing was done. Try again.")
      }
    }
    return password
  }

  private static func fromStandardInput() throws -> Password {
    try line(
      "reading the password from standard input",
      orElse: "There is no terminal and no line on standard input; use --password-file FILE."
    ) { try SecretLine.read(from: .standardInput) }
  }

  /// Returns the line that `read` reads.
  ///
  /// - Parameters:
  ///   - action: what failed, in the message if reading fails.
  ///   - nothing: the message if there is no line.
  private static func line(
    _ action: String, orElse nothing: String, _ read: () throws -> Password?
  ) throws -> Password {
    do {
      if let password = try read() { return password }
    } catch let error as Errno {
      throw CommandFailure(error, doing: action)
    }
    throw CommandFailure(.usage, nothing)
  }
}
