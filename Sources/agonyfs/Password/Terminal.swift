// Invariants
// 1. Echo is off only between `hideInput` and `showInput`. During that time signals that end or stop the process are
//    blocked; they are delivered only after echo is on again, so the terminal is never left without echo.

internal import CPlatform
internal import Crypto
internal import Glibc
internal import System
internal import SystemPackage

@safe struct Terminal: ~Copyable {
  private let descriptor: Descriptor

  /// Opens the process's controlling terminal, or standard input if that is a terminal; nil if there is none.
  init?() {
    if let descriptor = try? Descriptor.open("/dev/tty", O_RDWR) {
      self.descriptor = descriptor
    } else if isatty(STDIN_FILENO) == 1 {
      descriptor = .standardInput
    } else {
      return nil
    }
  }

  /// Asks a yes-or-no question. Every other answer counts as no, and so does an input that cannot be read.
  ///
  /// Only a yes or a no is shown: a user who expects to be asked for a password may type it here.
  func confirm(_ question: String) -> Bool {
    let typed = try? askSecretly("\(question) [y/N] ") { line in
      Self.answer(line).map { $0 ? "y" : "n" } ?? "(neither y nor n)"
    }
    return typed.flatMap { Self.answer($0) } ?? false
  }

  /// What a line answers to a yes-or-no question; nil if it is neither.
  static func answer(_ line: Password) -> Bool? {
    // A longer line may be a password, which is not copied out of locked memory.
    guard line.bytes.count <= 3 else { return nil }
    let text = unsafe line.bytes.withUnsafeBytes { bytes in unsafe String(decoding: bytes, as: UTF8.self) }
    switch text.lowercased() {
    case "y", "yes": return true
    case "n", "no", "": return false
    default: return nil
    }
  }

  /// Asks whether to continue with an operation that removes something.
  ///
  /// - Parameter consequence: a sentence that says what will be removed.
  /// - Throws: status 2, with a hint at `--yes`, if no user can be asked; status 1 if the answer is no.
  static func confirm(_ consequence: String) throws(CommandFailure) {
    guard EnrolledKey.canAsk, let terminal = Terminal() else {
      throw CommandFailure(.usage, "\(consequence) Nothing was changed; add --yes to go on.")
    }
    guard terminal.confirm("\(consequence) Go on?") else { throw CommandFailure(.failure, "Nothing was changed.") }
  }

  /// Asks for a line; nil if it is empty or cannot be read.
  func ask(_ question: String) -> String? {
    write("\(question) ")
    guard let answer = try? SecretLine.read(from: descriptor) else { return nil }
    let text = unsafe answer.bytes.withUnsafeBytes { bytes in unsafe String(decoding: bytes, as: UTF8.self) }
    return text.isEmpty ? nil : text
  }

  /// Asks for a line without echo; nil if the user typed the end of input.
  ///
  /// - Parameter shown: what is shown in place of a line.
  /// - Throws: `SecretLine.tooLong`, `Errno`.
  func askSecretly(_ prompt: String, shown: (Password) -> String = { _ in "" }) throws -> Password? {
    while true {
      let hidden = try hideInput()
      write(prompt)
      let result = Result { try SecretLine.read(from: descriptor) { try hidden.waitForInput(descriptor) } }
      write("\((try? result.get()).map(shown) ?? "")\n")
      showInput(hidden)
      do {
        return try result.get()
      } catch is HiddenInput.Interruption {
        // `showInput` let the signal end or stop the process. If the process continues, the question is asked again.
      }
    }
  }

  private func write(_ text: String) {
    _ = try? descriptor.writeAll(Array(text.utf8))
  }

  private func hideInput() throws -> HiddenInput {
    var settings = termios()
    try systemCall { unsafe tcgetattr(descriptor.number, &settings) }
    let hidden = try HiddenInput(settings: settings)
    settings.c_lflag &= ~tcflag_t(ECHO)
    do throws(Errno) {
      try systemCall { unsafe tcsetattr(descriptor.number, TCSANOW, &settings) }
    } catch {
      showInput(hidden)
      throw error
    }
    return hidden
  }

  private func showInput(_ hidden: HiddenInput) {
    var settings = hidden.settings
    unsafe tcsetattr(descriptor.number, TCSANOW, &settings)
    hidden.letSignalsIn()
  }
}

/// The terminal settings and the signal mask that `showInput` restores.
private struct HiddenInput {
  /// A signal arrived before the input.
  struct Interruption: Error {}

  let settings: termios
  private let mask: sigset_t
  private let pendingSignals: Descriptor

  /// Blocks the signals that end or stop the process.
  init(settings: termios) throws {
    self.settings = settings
    var previous = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, nil, &previous)
    mask = previous
    var blocked = sigset_t()
    unsafe sigemptyset(&blocked)
    // Signals that were blocked before must not end the wait: they stay blocked.
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGALRM, SIGPIPE]
    where unsafe sigismember(&previous, signal) == 0 { unsafe sigaddset(&blocked, signal) }
    pendingSignals = Descriptor(try systemCall { unsafe agonyfs_signal_descriptor(&blocked) })
    unsafe pthread_sigmask(SIG_BLOCK, &blocked, nil)
  }

  /// Waits for input. Throws `Interruption` if a signal arrives first.
  func waitForInput(_ descriptor: Descriptor) throws {
    var sources = [
      pollfd(fd: pendingSignals.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0),
    ]
    try systemCall { unsafe poll(&sources, 2, -1) }
    if sources[0].revents != 0 { throw Interruption() }
  }

  /// Delivers the signals that arrived in the meantime. It may not return.
  func letSignalsIn() {
    var mask = mask
    unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
  }
}
