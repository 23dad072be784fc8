internal import Synchronization
internal import System
internal import SystemPackage

/// A process of `agonyfs-decoder` that has loaded its libraries and waits to be copied. Loading takes about as long as
/// decoding a photo; a copy is made and ended in three milliseconds.
///
/// 1. It reads nothing but requests for copies, so every copy starts from the same state, whatever files others saw.
/// 2. Its copies have the same addresses, stack canary and pointer guard. It is replaced after `mostCopies`, and after
///    each copy that broke, so no copy made later profits from what a file tried.
final class DecoderTemplate: Sendable {
  /// The decoders of one process.
  static let mostCopies = 64

  private struct Running {
    let program: ForkingProgram
    var copies = 0
  }

  private let path: String
  private let timeout: Duration
  /// Held while a copy is made.
  private let running = Mutex<Running?>(nil)
  private let stoppable = StoppableProcess()

  /// A template that starts on first use.
  ///
  /// - Parameters:
  ///   - path: of `agonyfs-decoder`.
  ///   - timeout: how long it may take to load its libraries.
  init(_ path: String, timeout: Duration) {
    self.path = path
    self.timeout = timeout
  }

  deinit { stop() }

  /// A new decoder, which has not greeted yet.
  ///
  /// - Throws: `.unavailable`.
  func start() throws(DecoderError) -> DecoderProcess {
    try running.withLock { (running) throws(DecoderError) in
      do throws(Errno) {
        return try copyOrReload(&running)
      } catch {
        end(&running)
        guard !stoppable.isStopped else { throw .unavailable("stopped") }
        throw .unavailable(error.hasEnded ? "the decoder does not start" : "\(path): \(error)")
      }
    }
  }

  /// A copy of the running process, or of a new one: another process may have killed it since it was last used.
  private func copyOrReload(_ running: inout Running?) throws(Errno) -> DecoderProcess {
    let wasRunning = running != nil
    do throws(Errno) {
      return try copy(&running)
    } catch {
      guard wasRunning, error.hasEnded else { throw error }
      end(&running)
      return try copy(&running)
    }
  }

  private func copy(_ running: inout Running?) throws(Errno) -> DecoderProcess {
    if let current = running, current.copies == Self.mostCopies { end(&running) }
    var current: Running
    if let running { current = running } else { current = Running(program: try load()) }
    current.copies += 1
    running = current
    let (process, socket) = try current.program.copy(within: Int(timeout / .milliseconds(1)))
    return DecoderProcess(process, socket)
  }

  private func load() throws(Errno) -> ForkingProgram {
    if stoppable.isStopped { throw .canceled }
    let program = try ForkingProgram(path)
    guard stoppable.hold(program.process) else { throw .canceled }
    return program
  }

  /// Lets the next decoder start from a process with other addresses.
  func replace() { running.withLock { end(&$0) } }

  /// Ends the process, even while a copy is made. When this returns, it is gone if the kernel lets it end, and no decoder
  /// starts any more.
  func stop() {
    refuse()
    replace()
  }

  /// As above, without waiting for a copy that is made.
  func refuse() { stoppable.refuse() }

  private func end(_ running: inout Running?) {
    stoppable.end()
    running = nil
  }
}

extension Errno {
  /// Whether the process at the other end of a socket ended.
  fileprivate var hasEnded: Bool { self == .connectionReset || self == .brokenPipe }
}
