internal import Crypto
internal import Glibc
internal import System
internal import SystemPackage

/// Where a password comes from.
enum PasswordSource {
  /// The terminal, or one line of standard input if that is not a terminal.
  case unspecified
  /// The terminal, or one line of standard input if there is no terminal.
  case terminal
  /// The command line.
  case given(Password)
  /// The first line of a file.
  case file(String)
  /// The first line that a command prints.
  case command(String)
}

/// The purpose of a password.
enum PasswordPurpose {
  /// It opens something. It is asked for once: a wrong one does not open it.
  case opening
  /// It will open something from now on. The terminal asks for it twice, and a weak one gets advice.
  case setting
}

extension PasswordSource {
  /// Gets the password.
  ///
  /// - Parameter prompt: the prompt at the terminal, without colon: `Password for /home/me/Vault`.
  /// - Throws: `CommandFailure`: status 2 for a password that is missing, empty, too long or not repeated correctly, 1
  ///   if reading it fails.
  func password(for purpose: PasswordPurpose, prompt: String) throws -> Password {
    let password = try read(purpose, prompt: prompt)
    guard !password.isEmpty else {
      throw CommandFailure(.usage, "The password is empty; it needs at least one character.")
    }
    if purpose == .setting, let advice = PasswordAdvice.advice(for: password) { Output.note(advice) }
    return password
  }

  private func read(_ purpose: PasswordPurpose, prompt: String) throws -> Password {
    switch self {
    case .given(let password):
      guard password.bytes.count <= SecretLine.limit else { throw Self.tooLong }
      return password
    case .file(let path): return try Self.fromFile(path)
    case .command(let command):
      do {
        return try Self.password(of: try PasswordProgram.run(command), from: "The password command printed nothing.")
      } catch let error as Errno {
        throw CommandFailure(error, doing: "running the password command")
      }
    case .unspecified where isatty(STDIN_FILENO) == 0: return try Self.fromStandardInput()
    case .terminal, .unspecified:
      guard let terminal = Terminal() else { return try Self.fromStandardInput() }
      return try Self.fromTerminal(terminal, purpose, prompt: prompt)
    }
  }

  private static func fromTerminal(
    _ terminal: borrowing Terminal, _ purpose: PasswordPurpose, prompt: String
  ) throws -> Password {
    func ask(_ prompt: String) throws -> Password {
      do {
        if let password = try terminal.askSecretly("\(prompt): ") { return password }
      } catch Errno.invalidArgument {
        throw tooLong
      } catch let error as Errno {
        throw CommandFailure(error, doing: "reading the password from the terminal")
      }
      throw CommandFailure(.failure, "No password was typed; nothing was done.")
    }
    let password = try ask(prompt)
    if purpose == .setting, !password.isEmpty {
      guard try ask("Repeat the password").bytes.equals(password.bytes) else {
        throw CommandFailure(.usage, "The two passwords differ; nothing was done. Try again.")
      }
    }
    return password
  }

  private static func fromStandardInput() throws -> Password {
    do {
      return try password(
        of: SecretLine.read(from: .standardInput),
        from: "There is no terminal and no line on standard input; use --password-file FILE.")
    } catch let error as Errno {
      throw CommandFailure(error, doing: "reading the password from standard input")
    }
  }

  private static func fromFile(_ path: String) throws -> Password {
    do {
      let file = try Descriptor.open(path, O_RDONLY)
      return try password(of: SecretLine.read(from: file), from: "The password file \(path) is empty.")
    } catch let error as Errno {
      throw CommandFailure(error, doing: "reading the password file \(path)")
    }
  }

  /// - Parameter nothing: the sentence if there was no line.
  private static func password(
    of outcome: SecretLine.Outcome, from nothing: String
  ) throws(CommandFailure) -> Password {
    switch outcome {
    case .line(let password): return password
    case .end, .interrupted: throw CommandFailure(.usage, nothing)
    case .tooLong: throw tooLong
    }
  }

  private static var tooLong: CommandFailure {
    CommandFailure(.usage, "The password is longer than \(SecretLine.limit) bytes; choose a shorter one.")
  }
}
