internal import CMount
internal import Glibc
internal import Synchronization
internal import System

/// Tells the thread that supervises a session that it is to end. Catches signals while it lives.
final class SessionEnding: Sendable {
  /// Why the wait ended.
  enum Event: Equatable {
    /// The kernel has closed the connection.
    case disconnected
    /// A signal asked for the end.
    case signal
    /// The given moment came.
    case timeout
  }

  /// How long the kernel has for closing the connection after a successful unmounting, in seconds. It takes no time,
  /// unless the mount is also seen in other mount namespaces.
  private static let patience: Int64 = 5

  private let receiver: Descriptor
  private let sender: Descriptor
  private let reason = Mutex<String?>(nil)

  init() throws(MountError) {
    guard let ends = try? Descriptor.pipe(blocks: false) else {
      throw .sessionFailed(reason: "no descriptors are left")
    }
    (receiver, sender) = ends
    agonyfs_signals_catch(sender.number)
  }

  deinit {
    agonyfs_signals_restore()
  }

  /// What broke the connection, if it was broken.
  var failure: String? { reason.withLock { $0 } }

  /// Says that the connection is closed; with a reason when it should not be.
  func disconnected(because text: String? = nil) {
    if let text { reason.withLock { $0 = $0 ?? text } }
    var letter = Self.disconnection
    unsafe write(sender.number, &letter, 1)
  }

  /// Waits for an event, at most until a moment in seconds of the monotonic clock.
  func wait(until moment: Int64?) -> Event {
    while true {
      var letter: UInt8 = 0
      if unsafe read(receiver.number, &letter, 1) == 1 { return letter == Self.disconnection ? .disconnected : .signal }
      var rest: CInt = -1
      if let moment {
        let seconds = moment - monotonicSeconds()
        guard seconds > 0 else { return .timeout }
        rest = CInt(clamping: min(seconds, 86_400) * 1000)
      }
      var interest = pollfd(fd: receiver.number, events: Int16(POLLIN), revents: 0)
      unsafe poll(&interest, 1, rest)
    }
  }

  /// Waits until the kernel has closed the connection after unmounting. False when it doesn't.
  func waitForDisconnection() -> Bool {
    let limit = monotonicSeconds() + Self.patience
    while true {
      switch wait(until: limit) {
      case .disconnected: return true
      case .signal: continue
      case .timeout: return false
      }
    }
  }

  private static let disconnection = UInt8(ascii: "D")
}
