internal import Synchronization

/// Whether a space may be written. The first call of `shut` sets the reason; the gate never opens again.
package final class WriteGate: Sendable {
  private let firstReason: Mutex<String?>

  /// Creates a gate that is shut if there is a reason.
  init(shutBecause reason: String?) { firstReason = Mutex(reason) }

  /// Whether the space may be written.
  package var isOpen: Bool { reason == nil }

  /// Why the space may not be written; nil while it may.
  package var reason: String? { firstReason.withLock { $0 } }

  /// Refuses writes from now on; true for the first call.
  @discardableResult
  package func shut(because reason: String) -> Bool {
    firstReason.withLock { first in
      guard first == nil else { return false }
      first = reason
      return true
    }
  }

  /// Checks that the space may be written.
  ///
  /// - Throws: `.readOnly` with the reason.
  func requireOpen() throws(VaultError) {
    if let reason { throw .readOnly(reason) }
  }
}
