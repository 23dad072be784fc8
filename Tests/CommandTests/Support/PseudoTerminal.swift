import Glibc
import System
import TestSupport
import Testing

/// A terminal that a test types at, and the program that runs in it.
final class PseudoTerminal {
  // From <asm/ioctls.h>: TIOCSPTLCK and TIOCGPTN.
  private static let setLock: CUnsignedLong = 0x4004_5431
  private static let getNumber: CUnsignedLong = 0x8004_5430

  /// Milliseconds without output after which a test gives up on a program.
  private static let patience: CInt = 60_000

  private let terminal: Descriptor
  private let process: ChildProcess
  /// Everything that was shown so far.
  private(set) var screen = ""
  /// What was shown between the last two texts that were waited for.
  private(set) var passed: String?

  /// Starts the program under test in a new terminal, which controls it; by another program if one is given.
  init(_ arguments: [String], by starter: [String] = []) throws {
    let terminal = try Descriptor.open("/dev/ptmx", O_RDWR)
    self.terminal = terminal
    var locked: CInt = 0
    var number: CInt = 0
    try systemCall { unsafe ioctl(terminal.number, Self.setLock, &locked) }
    try systemCall { unsafe ioctl(terminal.number, Self.getNumber, &number) }
    let other = try Descriptor.open("/dev/pts/\(number)", O_RDWR | O_NOCTTY)
    process = try ChildProcess(
      "/usr/bin/setsid", arguments: ["setsid", "--ctty"] + starter + [Workspace.program] + arguments,
      descriptors: [other, other, other])
  }

  /// Whether what is typed is shown.
  var echoes: Bool {
    var settings = termios()
    return unsafe tcgetattr(terminal.number, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Types keys.
  func type(_ keys: String) throws { try terminal.writeAll(Array(keys.utf8)) }

  /// Waits until a text is on the screen, after what was waited for before; false when the program ended without it.
  func waits(for text: String) throws -> Bool {
    while !screen.contains(text) {
      guard try readMore() else { return false }
    }
    guard let range = screen.firstRange(of: text) else { return false }
    passed = String(screen[..<range.lowerBound])
    screen = String(screen[range.upperBound...])
    return true
  }

  /// Waits for a question, and types an answer and the end of its line.
  func answer(_ question: String, with text: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let isAsked = try waits(for: question)
    #expect(isAsked, "\(question): \(screen)", sourceLocation: sourceLocation)
    try self.type(text + "\n")
  }

  /// Waits for the end of the program; its exit status, or what ended it.
  func ending() throws -> ChildProcess.Ending {
    while try readMore() {}
    return try process.ending()
  }

  private func readMore() throws -> Bool {
    var source = pollfd(fd: terminal.number, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&source, 1, Self.patience) == 1 else {
      Issue.record("Nothing happens at the terminal, which shows: \(screen)")
      process.kill()
      return false
    }
    // A terminal that no program has open any more gives an error instead of an end.
    guard let block = try? terminal.readSome(most: 4096), !block.isEmpty else { return false }
    screen += String(decoding: block, as: UTF8.self)
    return true
  }
}
