internal import CPlatform
internal import Glibc
package import SystemPackage

/// A program that this one started.
package struct ChildProcess: Sendable {
  /// How a program ended.
  package enum Ending: Equatable, Sendable {
    /// By itself, with this status.
    case exited(CInt)
    /// By a signal of this number.
    case killed(CInt)
  }

  /// The state that a program inherits in addition to its descriptors. It starts with no signal blocked.
  package enum Inheritance: Sendable {
    /// Environment, working directory, session, and ignored signals.
    case everything
    /// Everything except the session: it has a separate one and outlives this terminal.
    case everythingButSession
    /// Nothing. It has an empty environment, the root directory, a separate session and default signals.
    case nothing
  }

  /// Its process number.
  package let identifier: CInt

  /// Starts the program at a path, by posix_spawn(3).
  ///
  /// - Parameters:
  ///   - path: absolute if the program inherits nothing.
  ///   - arguments: the first is the program's name.
  /// - descriptors: become its descriptors 0, 1, 2, … (at most 10); nil means /dev/null. It gets no others.
  package init(
    _ path: String, arguments: [String], descriptors: [Descriptor?], inheriting inheritance: Inheritance = .everything
  ) throws(Errno) {
    try self.init(
      path, words: arguments.map { Array($0.utf8) }, descriptors: descriptors, inheriting: inheritance)
  }

  /// Starts the program with arguments of any bytes except zero.
  package init(
    _ path: String, words: [[UInt8]], descriptors: [Descriptor?], inheriting inheritance: Inheritance = .everything
  ) throws(Errno) {
    var vector = unsafe words.map { unsafe strdup($0.map { CChar(bitPattern: $0) } + [0]) }
    unsafe vector.append(nil)
    defer { unsafe vector.forEach { unsafe free($0) } }
    let numbers = descriptors.map { $0?.number ?? -1 }
    var process: pid_t = 0
    // The optimizer may release a descriptor, and so close it, after the last use that it sees.
    let error = withExtendedLifetime(descriptors) {
      unsafe agonyfs_spawn(
        &process, path, vector, numbers, CInt(numbers.count), inheritance == .everythingButSession,
        inheritance == .nothing)
    }
    guard error == 0 else { throw Errno(rawValue: error) }
    identifier = process
  }

  /// A copy that a program made of itself as a child of this process.
  init(copy identifier: CInt) { self.identifier = identifier }

  /// Waits until the program has ended. Call it once.
  @discardableResult
  package func wait() -> Ending {
    Waiting.assertAllowed()
    var status: CInt = 0
    // The status is lost if the parent of this process made the kernel forget its children.
    guard (try? systemCall { unsafe waitpid(identifier, &status, 0) }) != nil else { return .killed(0) }
    let signal = status & 0x7f
    return signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal)
  }

  /// Kills the program. Call it only before `wait()`, `end()` and `ended(reading:limit:by:stop:)`.
  package func kill() { _ = Glibc.kill(identifier, SIGKILL) }

  /// Whether the program was ended by a signal that other processes send (SIGKILL, SIGTERM, SIGINT, SIGQUIT, SIGHUP).
  /// If it is ending now, waits at most a tenth of a second. Use it only before `wait()`.
  package var wasKilledByOthers: Bool { agonyfs_was_killed(identifier) }

  /// Runs a program to its end, without input and output.
  ///
  /// - Returns: how it ended, and the first `limit` bytes of its standard error.
  package static func run(
    _ path: String, words: [[UInt8]], errorLimit limit: Int
  ) throws(Errno) -> (ending: Ending, errors: [UInt8]) {
    let (process, reading) = try started(path, words)
    let errors = Result { () throws(Errno) in
      let first = try reading.readToEnd(limit: limit)
      // A closed pipe would kill a program that has more output.
      while try !reading.readSome(most: 4096).isEmpty {}
      return first
    }
    let ending = process.wait()
    return (ending, try errors.get())
  }

  /// Closes this process's copy of the writing end on return, so that the reading end shows when the program closes its
  /// copy.
  private static func started(
    _ path: String, _ words: [[UInt8]]
  ) throws(Errno) -> (process: ChildProcess, errors: Descriptor) {
    let (reading, writing) = try Descriptor.pipe()
    return (try ChildProcess(path, words: words, descriptors: [nil, nil, writing]), reading)
  }
}
