internal import Synchronization

/// Whether a space may be written. It is shut once, for the first reason that is given, and stays shut.
package final class WriteGate: Sendable {
  private let firstReason: Mutex<String?>
  private let shut: Atomic<Bool>

  /// An open gate, or one that is shut for a reason.
  init(shutBecause reason: String?) {
    firstReason = Mutex(reason)
    shut = Atomic(reason != nil)
  }

  /// Whether the space may be written.
  package var isOpen: Bool { !shut.load(ordering: .acquiring) }

  /// Why it may not be written; nil while it may.
  package var reason: String? { firstReason.withLock { $0 } }

  /// Refuses writes from now on; true for the first call.
  @discardableResult
  package func shut(because reason: String) -> Bool {
    let isFirst = firstReason.withLock { first in
      guard first == nil else { return false }
      first = reason
      return true
    }
    shut.store(true, ordering: .releasing)
    return isFirst
  }

  /// - Throws: `.readOnly` with the reason.
  func requireOpen() throws(VaultError) {
    if !isOpen { throw .readOnly(reason ?? "the space cannot be written") }
  }
}
