/// The sessions of one user, as logind reports them. Each function returns the event that makes the guard lock, or nil.
package struct SessionBook {
  /// The known facts about a session.
  package struct Facts: Equatable, Sendable {
    /// Whether its user works in it: it is not a session of a greeter, a background job or the service manager.
    package var isOfPerson: Bool
    /// Whether it has windows (X11, Wayland).
    package var isGraphical: Bool
    /// Whether its screen is locked.
    package var isLocked: Bool
    /// Whether it is over and only processes are left of it, such as a mount that was made in it.
    package var isClosing: Bool

    /// - Parameters:
    ///   - class: logind's `Class` of the session, such as `user` or `background`.
    ///   - type: its `Type`, such as `wayland` or `tty`.
    ///   - isLocked: its `LockedHint`.
    ///   - state: its `State`.
    package init(class: String, type: String, isLocked: Bool, state: String = "active") {
      isOfPerson = `class`.hasPrefix("user")
      isGraphical = ["x11", "wayland", "mir"].contains(type)
      self.isLocked = isLocked
      isClosing = state == "closing"
    }
  }

  /// By object path. Nil if only the path is known.
  private var sessions: [String: Facts?] = [:]

  package init() {}

  /// Takes the list of existing sessions.
  ///
  /// - Returns: `.logout` if a session that counts has ended unnoticed.
  package mutating func listed(_ paths: Set<String>) -> LockCause? {
    var cause: LockCause?
    for path in Set(sessions.keys).subtracting(paths) { cause = ended(path) ?? cause }
    for path in paths where sessions[path] == nil { sessions.updateValue(nil, forKey: path) }
    return cause
  }

  /// Takes all facts about a session of the user.
  ///
  /// - Returns: `.lock` if it is locked and was not known to be; `.logout` if it counts and has ended unnoticed.
  package mutating func learned(_ facts: Facts, of path: String) -> LockCause? {
    if facts.isClosing {
      if sessions[path]?.flatMap(\.self) != nil { return ended(path) }
      sessions[path] = nil
      return nil
    }
    let wasLocked = sessions[path]??.isLocked ?? false
    sessions.updateValue(facts, forKey: path)
    return facts.isLocked && !wasLocked ? .lock : nil
  }

  /// Takes a changed locked hint of a session; returns `.lock` if it became locked.
  package mutating func hinted(_ isLocked: Bool, of path: String) -> LockCause? {
    guard var facts = sessions[path] ?? nil else { return isLocked && sessions[path] != nil ? .lock : nil }
    let wasLocked = facts.isLocked
    facts.isLocked = isLocked
    sessions[path] = facts
    return isLocked && !wasLocked ? .lock : nil
  }

  /// Takes a request to lock a session.
  package func asked(_ path: String) -> LockCause? { sessions[path] != nil ? .lock : nil }

  /// Takes the end of a session, or of its first process, after which the session is closing. The end counts if the
  /// user worked in it, and it had windows or was the last one.
  package mutating func ended(_ path: String) -> LockCause? {
    guard let facts = sessions.removeValue(forKey: path) else { return nil }
    guard let facts else { return sessions.isEmpty ? .logout : nil }
    let isLast = !sessions.values.contains { $0?.isOfPerson ?? true }
    return facts.isOfPerson && (facts.isGraphical || isLast) ? .logout : nil
  }
}
