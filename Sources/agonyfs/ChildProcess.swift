internal import CPlatform
internal import Glibc
internal import SystemPackage

/// A child process.
struct ChildProcess {
  /// How a program ended.
  enum Ending: Equatable {
    /// It ended by itself, with this status.
    case exited(CInt)
    /// A signal of this number ended it.
    case killed(CInt)
  }

  /// Its process number.
  let identifier: pid_t

  /// Starts the program at a path, by posix_spawn(3).
  ///
  /// - Parameters:
  ///   - descriptors: become the program's descriptors 0, 1, 2, …; nil stands for /dev/null. It gets no others.
  ///   - inNewSession: whether it outlives this terminal.
  init(
    _ path: String, arguments: [String], descriptors: [FileDescriptor?], inNewSession: Bool = false
  ) throws(Errno) {
    var vector = unsafe arguments.map { unsafe strdup($0) }
    unsafe vector.append(nil)
    defer { unsafe vector.forEach { unsafe free($0) } }
    let numbers = descriptors.map { $0?.rawValue ?? -1 }
    var process: pid_t = 0
    let error = unsafe agonyfs_spawn(
      &process, path, vector, numbers, CInt(numbers.count), inNewSession ? 1 : 0)
    guard error == 0 else { throw Errno(rawValue: error) }
    identifier = process
  }

  /// Waits until the program has ended. Call it once.
  func wait() -> Ending {
    var status: CInt = 0
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal)
  }
}
