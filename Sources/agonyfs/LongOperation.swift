internal import CPlatform
internal import Glibc
internal import System
internal import Vault

/// Work that takes long: it shows its progress, and can undo its changes before a signal ends the process.
enum LongOperation {
  /// Runs `body`, which undoes its changes if it throws. A signal that arrived during the work ends the process
  /// afterwards.
  ///
  /// - Parameter text: names the work in the line at the terminal: `writing cover`.
  static func run(_ text: String, _ body: (OperationControl) throws -> Void) throws {
    let signals = HeldSignals()
    defer { signals.release() }
    try run(text, heldBy: signals, body)
  }

  static func run(_ text: String, heldBy signals: HeldSignals, _ body: (OperationControl) throws -> Void) throws {
    let progress = ProgressLine(text)
    defer { progress.end() }
    try body(OperationControl(progress: progress.show, isCancelled: { signals.arePending }))
  }
}

/// Blocks the signals that end the process (SIGINT, SIGTERM, SIGHUP, SIGQUIT), so that work can be undone first.
struct HeldSignals: Sendable {
  private let held: sigset_t

  init() {
    var held = sigset_t()
    unsafe agonyfs_signals_hold(&held)
    self.held = held
  }

  var arePending: Bool {
    var held = held
    return unsafe agonyfs_signals_are_pending(&held)
  }

  /// Waits until a signal is pending, but not longer than this.
  ///
  /// - Returns: whether one is pending.
  func wait(milliseconds: Int32) -> Bool {
    var held = held
    // If no descriptor is free, a signal is only noticed after the whole time.
    let descriptor = try? Descriptor(systemCall { unsafe agonyfs_signal_descriptor(&held) })
    defer { withExtendedLifetime(descriptor) {} }
    var interest = pollfd(fd: descriptor?.number ?? -1, events: Int16(POLLIN), revents: 0)
    unsafe poll(&interest, 1, milliseconds)
    return arePending
  }

  /// Unblocks the signals. If one is pending, this does not return.
  func release() {
    var held = held
    unsafe agonyfs_signals_release(&held)
  }
}
