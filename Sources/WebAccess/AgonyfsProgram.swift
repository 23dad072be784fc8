// Invariants
// 1. A password goes through a pipe, never into arguments or the environment: all users see those.
// 2. What was proven is what is served: the root directory of a mount that is asked about is passed as a descriptor, and one
//    that is found by its path is known by the process that serves it.
// 3. Every program that is started has a deadline, and a session of its own: no key that is typed at this terminal ends it.

internal import Glibc
internal import Synchronization
internal import System
internal import SystemPackage

/// The program `agonyfs`, which opens spaces for who holds no key. All calls block, at most for their `Deadlines`.
public final class AgonyfsProgram: Sendable {
  /// What became of a password.
  public enum Outcome<Success: Sendable>: Sendable {
    /// It opened a space.
    case success(Success)
    /// It opens none.
    case wrong
    /// It opens one that is open elsewhere.
    case inUse
    /// Something else failed; the sentence is for who runs the server.
    case failed(String)
  }

  /// How long it may take before it is killed.
  struct Deadlines: Sendable {
    /// A large vault that was not unmounted in order takes a while.
    var mount = Duration.seconds(180)
    var prove = Duration.seconds(60)
    /// What waits is written first. Less than a service has to end.
    var unmount = Duration.seconds(45)
  }

  /// Its absolute path.
  public let path: String
  private let deadlines: Deadlines
  private let stopped: Descriptor
  /// Nil after `stop()`.
  private let stopper: Mutex<Descriptor?>
  private static let errorLimit = 4096

  /// The program at a path.
  ///
  /// - Throws: the error number, as `Errno`, if there is no room for a pipe.
  public convenience init(path: String) throws { try self.init(path: path, Deadlines()) }

  init(path: String, _ deadlines: Deadlines) throws {
    (self.path, self.deadlines) = (path, deadlines)
    let (reading, writing) = try Descriptor.pipe()
    stopped = reading
    stopper = Mutex(writing)
  }

  /// Ends what looks at passwords now, and what would later, so that nobody waits for it. Mounts can be taken away still.
  public func stop() { stopper.withLock { $0 = nil } }

  /// Where the space of a password is mounted.
  public enum Place: Equatable, Sendable {
    /// At the directory, by this call.
    case here
    /// Elsewhere at a path (`HostPath`), as long as `RootDirectory.server` is this process: another space may come there.
    case elsewhere(String, server: [UInt8])
  }

  /// Mounts the space of a password, or finds where this user has it mounted. Paths of any bytes are given as `HostPath`
  /// has them. The key is derived once.
  ///
  /// - Parameters:
  ///   - options: lists of mount options, as for `-o`.
  ///   - idle: after how many seconds without use the mount goes by itself, should this process be killed.
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

  /// A path, which may have any byte but zero, and a line with what serves the mount.
  private static func place(in answer: [UInt8]) -> Place? {
    let newline = UInt8(ascii: "\n")
    let lines = answer.dropLast()
    guard answer.first == UInt8(ascii: "/"), answer.last == newline, let end = lines.lastIndex(of: newline) else {
      return nil
    }
    return .elsewhere(ByteText.text(of: Array(lines[..<end])), server: Array(lines[(end + 1)...]))
  }

  /// Whether a mount is of the space of a password; `.inUse` if it is of another one.
  ///
  /// - Parameter root: a descriptor of its root directory, opened for reading.
  public func prove(_ vault: String, root: CInt, password: PasswordBuffer) -> Outcome<Void> {
    switch run(["prove", "--", vault], within: deadlines.prove, password: password, passing: [root]) {
    case .success(let answer): return answer.isInUse ? .inUse : .success(())
    case .wrong: return .wrong
    case .inUse: return .inUse
    case .failed(let reason): return .failed(reason)
    }
  }

  /// Takes a mount away: at once, with open files cut off, after writing what waits. Nil, or why it failed.
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
    guard let ending else { return "agonyfs was ended, as it took longer than \(time), or as the server ends." }
    let sentence = OneLine.safe(String(decoding: errors, as: UTF8.self))
    return sentence.isEmpty ? "agonyfs ended: \(ending)." : sentence
  }

  /// Starts it. The ends of the pipes that it has are open only in it on return, so that ours end with it.
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
