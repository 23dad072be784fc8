internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// One run of `agonyfs lock`, which writes what it could not lock to our standard error.
struct LockRun {
  private let process: ChildProcess
  /// Can be read when it has ended.
  private let end: Descriptor
  private let began = preciseMonotonicTime()

  /// Starts it.
  ///
  /// - Parameter program: the path of `agonyfs`.
  init(_ program: String) throws(Errno) {
    process = try ChildProcess(program, arguments: ["agonyfs", "lock"], descriptors: [nil, nil, .standardError])
    do throws(Errno) {
      let identifier = process.identifier
      end = Descriptor(try systemCall { agonyfs_process_descriptor(identifier) })
    } catch {
      // Without a descriptor its end can only be waited for.
      _ = process.wait()
      throw error
    }
  }

  /// What poll(2) is to wait for.
  var interest: pollfd { pollfd(fd: end.number, events: Int16(POLLIN), revents: 0) }

  /// How long a run may take that another one waits for, in nanoseconds.
  private static let longest: UInt64 = 20_000_000_000

  /// When it has to end if another one waits for it, on the monotonic clock.
  var latestEnd: UInt64 { began + Self.longest }

  /// Ends a run that takes long: one space of it hangs, and nothing is lost, as the processes of the mounts go on.
  func kill() { process.kill() }

  /// Waits for its end. To be called once.
  ///
  /// - Returns: whether everything is locked, and how many nanoseconds that took.
  func finished() -> (succeeded: Bool, time: UInt64) {
    (process.wait() == .exited(0), preciseMonotonicTime() - began)
  }
}
