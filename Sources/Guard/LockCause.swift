/// An event that makes the guard lock.
package enum LockCause: String, CaseIterable, Sendable {
  /// The machine goes to sleep: suspend, hibernation, or both.
  case sleep
  /// The machine is switched off or restarted.
  case shutdown
  /// A session of the user is locked.
  case lock
  /// A graphical session of the user ends, or the last session.
  case logout

  /// Parses a list such as `sleep,lock`. Nil if a word is unknown or the list is empty.
  package static func list(_ text: String) -> Set<LockCause>? {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let causes = words.compactMap { LockCause(rawValue: String($0)) }
    return causes.count == words.count ? Set(causes) : nil
  }

  /// The list as text, in a fixed order.
  package static func text(_ causes: Set<LockCause>) -> String {
    allCases.filter(causes.contains).map(\.rawValue).joined(separator: ",")
  }

  /// Whether logind waits for holders of an inhibitor lock before it continues.
  package var canBeDelayed: Bool { self == .sleep || self == .shutdown }
}
