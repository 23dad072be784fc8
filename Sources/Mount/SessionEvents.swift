internal import CMount
internal import Glibc
internal import Synchronization
internal import System

/// Events of a session, for the thread that supervises it. Catches signals as long as it exists.
final class SessionEvents: Sendable {
  /// Why a wait ended.
  enum Event: Equatable {
    /// The kernel has closed the connection.
    case disconnected
    /// A signal asked for the end.
    case signal
    /// A mount was made, moved or removed in this process's mount namespace.
    case mountsChanged
    /// The deadline passed.
    case timeout
  }

  private let receiver: Descriptor
  private let sender: Descriptor
  /// The table of mounts, watched with poll(2). Nil without /proc: then only the closed connection shows that the mount
  /// is gone, and it stays open while another mount namespace has a copy of the mount.
  private let mountTable: Descriptor?
  /// Whether the table of mounts has changed and `wait(until:)` has not reported it.
  private let hasChange = Atomic<Bool>(false)
  private let reason = Mutex<String?>(nil)

  init() throws(MountError) {
    guard let ends = try? Descriptor.pipe(blocks: false) else {
      throw .sessionFailed(reason: "too many files are open")
    }
    (receiver, sender) = ends
    mountTable = try? Descriptor.open(MountTable.path, O_RDONLY)
    agonyfs_signals_catch(sender.number)
  }

  deinit { agonyfs_signals_restore() }

  /// Why the connection broke; nil if it did not.
  var failure: String? { reason.withLock { $0 } }

  /// Reports that the connection is closed; with the reason if this is an error.
  func disconnected(because text: String? = nil) {
    if let text { reason.withLock { $0 = $0 ?? text } }
    var letter = Self.disconnection
    unsafe write(sender.number, &letter, 1)
  }

  /// Waits for an event until a deadline in nanoseconds of the monotonic clock.
  func wait(until deadline: UInt64?) -> Event {
    while true {
      var letter: UInt8 = 0
      if unsafe read(receiver.number, &letter, 1) == 1 { return letter == Self.disconnection ? .disconnected : .signal }
      if hasChange.exchange(false, ordering: .relaxed) { return .mountsChanged }
      var rest: CInt = -1
      if let deadline {
        let now = monotonicTime()
        guard now < deadline else { return .timeout }
        rest = CInt(clamping: (deadline - now) / 1_000_000 + 1)
      }
      noteChange(waiting: rest)
    }
  }

  /// Waits for any event for at most `milliseconds` (negative: for ever) and notes a change of the table.
  private func noteChange(waiting milliseconds: CInt) {
    var interests = [
      pollfd(fd: receiver.number, events: Int16(POLLIN), revents: 0),
      // The kernel reports each change once.
      pollfd(fd: mountTable?.number ?? -1, events: Int16(POLLPRI), revents: 0),
    ]
    guard unsafe poll(&interests, nfds_t(interests.count), milliseconds) > 0, interests[1].revents != 0 else { return }
    hasChange.store(true, ordering: .relaxed)
  }

  /// Waits until the kernel has closed the connection. False if that takes longer than `limit`.
  func waitForDisconnection(_ limit: Duration) -> Bool {
    let deadline = monotonicTime() + limit.nanoseconds
    while true {
      switch wait(until: deadline) {
      case .disconnected: return true
      case .signal, .mountsChanged: continue
      case .timeout: return false
      }
    }
  }

  private static let disconnection = UInt8(ascii: "D")
}
