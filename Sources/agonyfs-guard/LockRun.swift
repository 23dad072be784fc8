internal import CPlatform
internal import Glibc
internal import System
internal import SystemPackage

/// One run of `agonyfs lock`, which reports failures on our standard error.
struct LockRun {
  private let process: ChildProcess
  /// Readable when the process has ended.
  private let end: Descriptor
  private let began = preciseMonotonicTime()

  /// Starts the process.
  ///
  /// - Parameter program: The path of `agonyfs`.
  init(_ program: String) throws(Errno) {
    process = try ChildProcess(program, arguments: ["agonyfs", "lock"], descriptors: [nil, nil, .standardError])
    do throws(Errno) {
      let identifier = process.identifier
      end = Descriptor(try systemCall { agonyfs_process_descriptor(identifier) })
    } catch {
      // Without a descriptor, the end of the process cannot be polled, so it is waited for here.
      _ = process.wait()
      throw error
    }
  }

  /// The events for poll(2).
  var interest: pollfd { pollfd(fd: end.number, events: Int16(POLLIN), revents: 0) }

  /// How long a run may delay the next one, in nanoseconds.
  private static let longest: UInt64 = 20_000_000_000

  /// The time at which it has to end if another run is waiting, on the monotonic clock.
  var latestEnd: UInt64 { began + Self.longest }

  /// Kills a slow run, in which one space hangs. Nothing is lost, because the processes of the mounts continue.
  func kill() { process.kill() }

  /// Waits for the end. Call it once.
  ///
  /// - Returns: Whether everything is locked, and the time that took in nanoseconds.
  func finished() -> (succeeded: Bool, time: UInt64) {
    (process.wait() == .exited(0), preciseMonotonicTime() - began)
  }
}
