/// The sessions of one user, as logind tells of them. Each function returns what makes the guard lock, if anything.
package struct SessionBook {
  /// What is known about a session.
  package struct Facts: Equatable, Sendable {
    /// Its user works in it: it is not one of a greeter, of a background job or of the service manager.
    package var isOfPerson: Bool
    /// It has windows (X11, Wayland).
    package var isGraphical: Bool
    /// Its screen is locked.
    package var isLocked: Bool
    /// It is over, and only processes are left of it: a mount that was made in it is one.
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

  /// By object path. Nil for those of which only that is known.
  private var sessions: [String: Facts?] = [:]

  package init() {}

  /// Logind lists the sessions that exist.
  ///
  /// - Returns: `.logout` if one ended that counts, unnoticed.
  package mutating func listed(_ paths: Set<String>) -> LockCause? {
    var cause: LockCause?
    for path in Set(sessions.keys).subtracting(paths) { cause = ended(path) ?? cause }
    for path in paths where sessions[path] == nil { sessions.updateValue(nil, forKey: path) }
    return cause
  }

  /// Logind says all about a session of the user.
  ///
  /// - Returns: `.lock` if it is locked, and was not known to be; `.logout` if it ended that counts, unnoticed.
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

  /// The hint of a session changed.
  package mutating func hinted(_ isLocked: Bool, of path: String) -> LockCause? {
    guard var facts = sessions[path] ?? nil else { return isLocked && sessions[path] != nil ? .lock : nil }
    let wasLocked = facts.isLocked
    facts.isLocked = isLocked
    sessions[path] = facts
    return isLocked && !wasLocked ? .lock : nil
  }

  /// Somebody asked for a session to be locked.
  package func asked(_ path: String) -> LockCause? { sessions[path] != nil ? .lock : nil }

  /// A session has ended, or its first process, without which it is closing. It counts if its user worked in it, and it had
  /// windows or was the last one.
  package mutating func ended(_ path: String) -> LockCause? {
    guard let facts = sessions.removeValue(forKey: path) else { return nil }
    guard let facts else { return sessions.isEmpty ? .logout : nil }
    let isLast = !sessions.values.contains { $0?.isOfPerson ?? true }
    return facts.isOfPerson && (facts.isGraphical || isLast) ? .logout : nil
  }
}
