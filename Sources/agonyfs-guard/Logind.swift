// Invariants:
// 1. Only messages from the owner of logind's name count, and those of the bus itself. Every program may send signals
//    to the guard, and must not be able to lock another user's spaces.

internal import Glibc
internal import Guard
internal import System
internal import SystemPackage

/// Interprets the messages of logind. See org.freedesktop.login1(5).
struct Logind {
  /// The meaning of a message.
  enum Finding {
    case event(GuardMachine.Event)
    /// The inhibitor locks; logind continues when they are closed.
    case inhibitors([Descriptor])
    /// Logind refused an inhibitor lock; the reason.
    case refused(String)
    /// How long logind waits for the holders of inhibitor locks, in nanoseconds.
    case patience(UInt64)
    /// A session has begun, and ends when this process ends.
    case leader(pid_t, session: String)
    case gone
    /// Logind does not answer; the reason.
    case failed(String)
  }

  private enum Question {
    case rule, manager, sessions, session(String)
    /// The round in which it was requested.
    case inhibitor(round: Int)
  }

  private static let name = "org.freedesktop.login1"
  private static let root = "/org/freedesktop/login1"
  private static let manager = "org.freedesktop.login1.Manager"
  private static let session = "org.freedesktop.login1.Session"
  private static let properties = "org.freedesktop.DBus.Properties"
  private static let bus = "org.freedesktop.DBus"

  private let user: UInt32
  private var questions: [UInt64: Question] = [:]
  /// The unique name of logind's connection; empty if it is not running.
  private var owner = ""
  private var sessions: SessionBook
  /// The current round of requested inhibitor locks: its number, the answers still missing, and the results.
  private var round = 0
  private var missing = 0
  private var given: [Descriptor] = []
  private var refusal: String?

  /// - Parameters:
  ///   - user: The user whose sessions are watched.
  ///   - sessions: The known sessions.
  init(user: UInt32, sessions: SessionBook = SessionBook()) {
    self.user = user
    self.sessions = sessions
  }

  /// A copy for a new connection after the old one was lost; it keeps the known sessions.
  func forNewConnection() -> Logind { Logind(user: user, sessions: sessions) }

  /// Subscribes to signals, and requests the current state.
  mutating func begin(_ bus: Bus) throws(Errno) {
    let fromLogind = "type='signal',sender='\(Self.name)',"
    let ofSessions = "path_namespace='\(Self.root)/session',"
    for rule in [
      "type='signal',sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.name)'",
      fromLogind + "interface='\(Self.manager)'",
      fromLogind + ofSessions + "interface='\(Self.session)'",
      fromLogind + ofSessions + "interface='\(Self.properties)',arg0='\(Self.session)'",
    ] {
      questions[try bus.subscribe(rule)] = .rule
    }
    try askManager(bus)
  }

  /// Requests one inhibitor lock for each event to delay. For a combined lock, logind would check whether this user may
  /// inhibit the lid switch, which only a user at the machine may (`method_inhibit` of logind-dbus.c).
  mutating func askForInhibitors(_ bus: Bus, delaying delayed: [LockCause]) throws(Errno) {
    round += 1
    (missing, given, refusal) = (delayed.count, [], nil)
    for cause in delayed {
      try ask(
        .inhibitor(round: round), bus, Self.root, Self.manager, "Inhibit",
        [cause.rawValue, "agonyfs", "Encrypted spaces are written and locked first", "delay"])
    }
  }

  /// Handles the end of a session's first process, which is the end of the session even if other processes of it still
  /// run.
  mutating func leaderEnded(of session: String) -> Finding? { sessions.ended(session).map { .event(.seen($0)) } }

  mutating func take(_ message: BusMessage, _ bus: Bus) throws(Errno) -> [Finding] {
    if let call = message.answeredCall {
      guard let question = questions.removeValue(forKey: call) else { return [] }
      return try takeAnswer(message, to: question, bus)
    }
    if message.sender == Self.bus, message.isSignal(Self.bus, "NameOwnerChanged") {
      guard message.readText() == Self.name, message.readText() != nil, let new = message.readText() else { return [] }
      let old = owner
      owner = new
      if new.isEmpty { return [.gone] }
      if new != old { try askManager(bus) }
      return []
    }
    guard !owner.isEmpty, message.sender == owner else { return [] }
    return try takeSignal(message, bus).map { [$0] } ?? []
  }

  private mutating func takeSignal(_ message: BusMessage, _ bus: Bus) throws(Errno) -> Finding? {
    if message.isSignal(Self.manager, "PrepareForSleep") {
      return message.readFlag().map { .event(.announced(.sleep, $0)) }
    }
    if message.isSignal(Self.manager, "PrepareForShutdown") {
      return message.readFlag().map { .event(.announced(.shutdown, $0)) }
    }
    var cause: LockCause?
    if message.isSignal(Self.manager, "SessionNew") {
      guard message.readText() != nil, let path = message.readPath() else { return nil }
      try askSession(bus, path)
    } else if message.isSignal(Self.manager, "SessionRemoved") {
      guard message.readText() != nil, let path = message.readPath() else { return nil }
      cause = sessions.ended(path)
    } else if message.isSignal(Self.session, "Lock") {
      cause = sessions.asked(message.path)
    } else if message.isSignal(Self.properties, "PropertiesChanged") {
      guard message.readText() == Self.session else { return nil }
      if case .flag(let isLocked)? = message.readProperties()["LockedHint"] {
        cause = sessions.hinted(isLocked, of: message.path)
      } else if message.readTexts().contains("LockedHint") {
        try askSession(bus, message.path)
      }
    }
    return cause.map { .event(.seen($0)) }
  }

  private mutating func takeAnswer(
    _ message: BusMessage, to question: Question, _ bus: Bus
  ) throws(Errno) -> [Finding] {
    switch question {
    case .rule:
      return message.failure.map { [.failed($0)] } ?? []
    case .manager:
      if let reason = message.failure { return [.failed(reason)] }
      owner = message.sender
      try ask(.sessions, bus, Self.root, Self.manager, "ListSessions")
      let properties = message.readProperties()
      var findings = [Finding.event(.logindIsThere)]
      if case .number(let microseconds)? = properties["InhibitDelayMaxUSec"] {
        // The time may be infinite.
        findings.insert(.patience(min(microseconds, 1 << 50) * 1000), at: 0)
      }
      // A signal may have been missed before the subscription.
      for (cause, name) in [(LockCause.sleep, "PreparingForSleep"), (.shutdown, "PreparingForShutdown")] {
        findings.append(.event(.announced(cause, properties[name] == .flag(true))))
      }
      return findings
    case .sessions:
      return try takeSessions(message, bus).map { [.event(.seen($0))] } ?? []
    case .session(let path):
      // The session may have ended in the meantime.
      guard message.failure == nil else { return [] }
      return takeSession(message.readProperties(), path)
    case .inhibitor(let round):
      guard round == self.round else { return [] }
      missing -= 1
      if let reason = message.failure {
        refusal = reason
      } else if let descriptor = message.readDescriptor() {
        given.append(descriptor)
      } else {
        refusal = "the answer lacks a descriptor"
      }
      guard missing == 0 else { return [] }
      defer { given = [] }
      return [refusal.map(Finding.refused) ?? .inhibitors(given)]
    }
  }

  private mutating func takeSessions(_ message: BusMessage, _ bus: Bus) throws(Errno) -> LockCause? {
    guard message.failure == nil else { return nil }
    var own: Set<String> = []
    message.readArray("(susso)", of: "r", "susso") {
      _ = message.readText()
      let isOwn = message.readUser() == user
      _ = (message.readText(), message.readText())
      if let path = message.readPath(), isOwn { own.insert(path) }
    }
    for path in own { try askSession(bus, path) }
    return sessions.listed(own)
  }

  private mutating func takeSession(_ properties: [String: BusMessage.Value], _ path: String) -> [Finding] {
    guard properties["User"] == .number(UInt64(user)), case .text(let group)? = properties["Class"],
      case .text(let type)? = properties["Type"]
    else { return [] }
    let isLocked = properties["LockedHint"] == .flag(true)
    var state = ""
    if case .text(let text)? = properties["State"] { state = text }
    let facts = SessionBook.Facts(class: group, type: type, isLocked: isLocked, state: state)
    var findings = sessions.learned(facts, of: path).map { [Finding.event(.seen($0))] } ?? []
    // Logind sends no signal when a session is closing.
    if case .number(let leader)? = properties["Leader"], !facts.isClosing, leader > 0 {
      findings.append(.leader(pid_t(truncatingIfNeeded: leader), session: path))
    }
    return findings
  }

  private mutating func askManager(_ bus: Bus) throws(Errno) {
    try ask(.manager, bus, Self.root, Self.properties, "GetAll", [Self.manager])
  }

  private mutating func askSession(_ bus: Bus, _ path: String) throws(Errno) {
    try ask(.session(path), bus, path, Self.properties, "GetAll", [Self.session])
  }

  private mutating func ask(
    _ question: Question, _ bus: Bus, _ path: String, _ interface: String, _ member: String, _ arguments: [String] = []
  ) throws(Errno) {
    let call = Bus.Call(
      destination: Self.name, path: path, interface: interface, member: member, arguments: arguments)
    questions[try bus.send(call)] = question
  }
}
