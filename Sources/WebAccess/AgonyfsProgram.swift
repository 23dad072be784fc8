// Invariants
// 1. A password is passed through a pipe, never in arguments or the environment, which other users can see.
// 2. What was proven is what is served: to check a mount, the descriptor of its root directory is passed; a mount that
//    was found by its path is identified by the process that serves it.
// 3. Every program that is started has a deadline and its own session, so that no key typed at this terminal ends it.

internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

/// The program `agonyfs`, which opens spaces for a process that holds no key. All calls block, at most for their
/// `Deadlines`.
public final class AgonyfsProgram: Sendable {
  /// The result for a password.
  public enum Outcome<Success: Sendable>: Sendable {
    /// It opened a space.
    case success(Success)
    /// It opens no space.
    case wrong
    /// It opens a space that is open elsewhere.
    case inUse
    /// Another failure; the sentence is for the user who runs the server.
    case failed(String)
  }

  /// The time after which each command is killed.
  struct Deadlines: Sendable {
    /// A large vault that was not unmounted properly takes a while.
    var mount = Duration.seconds(180)
    var prove = Duration.seconds(60)
    /// Unmounting flushes first. Shorter than the time that a service has to end.
    var unmount = Duration.seconds(45)
  }

  /// Its absolute path.
  public let path: String
  private let deadlines: Deadlines
  private let stopped: Descriptor
  /// The writing end of the pipe; closed by `stop()`.
  private let stopper: Mutex<Descriptor?>
  private static let errorLimit = 4096

  /// The program at a path.
  ///
  /// - Throws: `Errno` if no pipe can be created.
  public convenience init(path: String) throws { try self.init(path: path, Deadlines()) }

  init(path: String, _ deadlines: Deadlines) throws {
    (self.path, self.deadlines) = (path, deadlines)
    let (reading, writing) = try Descriptor.pipe()
    stopped = reading
    stopper = Mutex(writing)
  }

  /// Cancels the current and all later password checks, so that the server can end. Unmounting still works.
  public func stop() { stopper.withLock { $0 = nil } }

  /// The place where the space of a password is mounted.
  public enum Place: Equatable, Sendable {
    /// The given directory, mounted by this call.
    case here
    /// Another path (`HostPath`), valid while `RootDirectory.server` is this process, since another space may be
    /// mounted there.
    case elsewhere(String, server: [UInt8])
  }

  /// Mounts the space of a password, or finds where this user has it mounted. Paths with arbitrary bytes are in the
  /// form of `HostPath`. The key is derived once.
  ///
  /// - Parameters:
  ///   - options: Lists of mount options, as for `-o`.
  ///   - idle: The seconds without use after which the mount ends by itself, in case this process is killed.
  public func mount(
    _ vault: String, at directory: String, options: [String], idle: Int, password: PasswordBuffer
  ) -> Outcome<Place> {
    let lists = options.flatMap { ["-o", $0] }
    let words = ["mount", "--tell-server"] + lists + ["--idle", "\(idle)s", "--", vault, directory]
    switch run(words, within: deadlines.mount, password: password) {
    case .success(let answer):
      if !answer.isInUse { return .success(.here) }
      guard let place = Self.place(in: answer.text) else { return .inUse }
      return .success(place)
    case .wrong: return .wrong
    case .inUse: return .inUse
    case .failed(let reason): return .failed(reason)
    }
  }

  /// Parses a path, which may contain any byte except zero, and a line that identifies the serving process.
  private static func place(in answer: [UInt8]) -> Place? {
    let newline = UInt8(ascii: "\n")
    let lines = answer.dropLast()
    guard answer.first == UInt8(ascii: "/"), answer.last == newline, let end = lines.lastIndex(of: newline) else {
      return nil
    }
    return .elsewhere(ByteText.text(of: Array(lines[..<end])), server: Array(lines[(end + 1)...]))
  }

  /// Whether a mount shows the space of a password; `.inUse` if it shows another space.
  ///
  /// - Parameter root: A descriptor of its root directory, opened for reading.
  public func prove(_ vault: String, root: CInt, password: PasswordBuffer) -> Outcome<Void> {
    switch run(["prove", "--", vault], within: deadlines.prove, password: password, passing: [root]) {
    case .success(let answer): return answer.isInUse ? .inUse : .success(())
    case .wrong: return .wrong
    case .inUse: return .inUse
    case .failed(let reason): return .failed(reason)
    }
  }

  /// Unmounts after flushing, even if files are open. Returns nil, or why it failed.
  public func unmount(_ directory: String) -> String? {
    do throws(Errno) {
      let (process, _, errors) = try start(["unmount", "--force", "--", directory], nil, [])
      let (ending, texts) = process.ended(
        reading: [errors], limit: Self.errorLimit, by: Self.time(after: deadlines.unmount))
      return ending == .exited(0) ? nil : Self.reason(ending, texts[0], deadlines.unmount)
    } catch {
      return "agonyfs could not be started: \(error)."
    }
  }

  private func run(
    _ words: [String], within time: Duration, password: PasswordBuffer, passing: [CInt] = []
  ) -> Outcome<(isInUse: Bool, text: [UInt8])> {
    guard stopper.withLock({ $0 != nil }) else { return .failed("The server is ending.") }
    do throws(Errno) {
      let (process, output, errors) = try start(words, password, passing)
      let (ending, texts) = process.ended(
        reading: [output, errors], limit: Self.errorLimit, by: Self.time(after: time), stop: stopped)
      switch ending {
      case .exited(0): return .success((false, texts[0]))
      case .exited(12): return .wrong
      case .exited(15): return .success((true, texts[0]))
      case nil, .exited, .killed: return .failed(Self.reason(ending, texts[1], time))
      }
    } catch {
      return .failed("agonyfs could not be started: \(error).")
    }
  }

  private static func time(after duration: Duration) -> UInt64 { monotonicTime() + duration.nanoseconds }

  private static func reason(_ ending: ChildProcess.Ending?, _ errors: [UInt8], _ time: Duration) -> String {
    guard let ending else {
      return "agonyfs was ended, because it took longer than \(time), or because the server ends."
    }
    let sentence = OneLine.safe(String(decoding: errors, as: UTF8.self))
    return sentence.isEmpty ? "agonyfs ended: \(ending)." : sentence
  }

  /// Starts the program. When this returns, only the program has its ends of the pipes, so that ours end when it does.
  private func start(
    _ words: [String], _ password: PasswordBuffer?, _ passing: [CInt]
  ) throws(Errno) -> (process: ChildProcess, output: Descriptor, errors: Descriptor) {
    let secret = try Descriptor.pipe()
    let output = try Descriptor.pipe()
    let errors = try Descriptor.pipe()
    var passed: [Descriptor] = []
    for number in passing { passed.append(Descriptor(try systemCall { fcntl(number, F_DUPFD_CLOEXEC, 0) })) }
    try password?.write(to: secret.writing)
    let process = try ChildProcess(
      path, words: (["agonyfs"] + words).map { ByteText.bytes(of: $0) },
      descriptors: [secret.reading, output.writing, errors.writing] + passed, inheriting: .everythingButSession)
    return (process, output.reading, errors.reading)
  }
}
