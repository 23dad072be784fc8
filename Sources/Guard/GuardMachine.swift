// Invariants:
// 1. After the announcement of a sleep or shutdown, the inhibitor is released (`.releaseInhibitor`) only when a lock
//    that began at the announcement or later has succeeded. If none does, the inhibitor is kept, and logind continues
//    when its own time limit has passed.
// 2. Locks run one at a time. An event during a lock makes another lock run after it, because a space may have been
//    mounted in the meantime. A lock that hangs is not waited for then.
// 3. Outside of an announced sleep or shutdown, the inhibitor is held or requested, as long as logind is running.
// 4. The guard does not end while a lock is running.

/// Decides when to lock, and when the machine may sleep: events go in, actions come out.
package struct GuardMachine {
  /// An event.
  package enum Event: Equatable, Sendable {
    /// Logind can be asked, for the first time or again.
    case logindIsThere
    /// Logind gave the requested inhibitor.
    case inhibitorGiven
    /// Logind refused the inhibitor, or did not answer.
    case inhibitorRefused
    /// It is time to request the inhibitor again.
    case askAgain
    /// Logind announced a sleep or a shutdown (true), or its end (false).
    case announced(LockCause, Bool)
    /// A session was locked, or has ended.
    case seen(LockCause)
    /// The running lock has ended.
    case lockEnded(succeeded: Bool)
    /// It is time to retry the lock.
    case tryAgain
    /// A signal asked for the end.
    case endAsked
  }

  /// An action; they are taken in order.
  package enum Action: Equatable, Sendable {
    /// Request an inhibitor from logind. It replaces the held one.
    case askForInhibitor
    /// Request the inhibitor again after a while.
    case askLater
    /// Release the inhibitor, so that logind continues.
    case releaseInhibitor
    /// Lock, for this cause; nil is the end of the guard.
    case lock(LockCause?)
    /// Another lock waits for the running one: end that if it has been running for long, although not everything is
    /// locked.
    case endIfSlow
    /// Retry the lock in a second.
    case tryLater
    /// Report that not everything could be locked.
    case giveUp
    /// End the guard, with success or failure.
    case end(succeeded: Bool)
  }

  private enum Lock: Equatable { case idle, running(again: Bool), waiting }

  /// How often a failed lock is retried.
  package static let mostTries = 5

  private let causes: Set<LockCause>
  private let locksAtExit: Bool
  private var isHeld = false
  private var isAsked = false
  private var lock = Lock.idle
  private var cause: LockCause?
  private var failures = 0
  /// Announced sleeps and shutdowns that have not ended.
  private var announced: Set<LockCause> = []
  /// Whether logind waits for a lock of this guard.
  private var isAwaited = false
  private var isEnding = false

  /// - Parameters:
  ///   - causes: the events that make it lock.
  ///   - locksAtExit: whether its own end is one of them.
  package init(causes: Set<LockCause>, locksAtExit: Bool) {
    self.causes = causes
    self.locksAtExit = locksAtExit
  }

  /// The events that logind must delay.
  package var delayed: [LockCause] { LockCause.allCases.filter(isDelayed) }

  /// Whether logind waits for a lock of this guard.
  package var isLogindWaiting: Bool { isAwaited }

  /// Handles an event; returns the actions to take, in order.
  package mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .logindIsThere:
      announced = []
      isAsked = false
      return askForInhibitor()
    case .askAgain:
      return announced.isEmpty ? askForInhibitor() : []
    case .inhibitorGiven:
      (isHeld, isAsked) = (true, false)
      return lock == .idle ? release() : []
    case .inhibitorRefused:
      isAsked = false
      // During a sleep logind gives no inhibitor; it is requested again when the sleep is over.
      return announced.isEmpty ? [.askLater] : []
    case .announced(let cause, true):
      guard announced.insert(cause).inserted, causes.contains(cause) else { return [] }
      isAwaited = true
      return begin(cause)
    case .announced(let cause, false):
      announced.remove(cause)
      guard announced.isEmpty else { return [] }
      isAwaited = false
      return isHeld ? [] : askForInhibitor()
    case .seen(let cause):
      return causes.contains(cause) ? begin(cause) : []
    case .lockEnded(let succeeded):
      return ended(succeeded)
    case .tryAgain:
      guard lock == .waiting else { return [] }
      lock = .running(again: false)
      return [.lock(cause)]
    case .endAsked:
      isEnding = true
      if locksAtExit { return begin(nil) }
      return lock == .idle ? [.end(succeeded: true)] : []
    }
  }

  private func isDelayed(_ cause: LockCause) -> Bool { cause.canBeDelayed && causes.contains(cause) }

  private mutating func askForInhibitor() -> [Action] {
    guard !delayed.isEmpty, !isAsked else { return [] }
    isAsked = true
    return [.askForInhibitor]
  }

  private mutating func begin(_ cause: LockCause?) -> [Action] {
    self.cause = cause
    failures = 0
    if case .running = lock {
      lock = .running(again: true)
      return [.endIfSlow]
    }
    lock = .running(again: false)
    return [.lock(cause)]
  }

  private mutating func ended(_ succeeded: Bool) -> [Action] {
    if lock == .running(again: true) {
      lock = .running(again: false)
      return [.lock(cause)]
    }
    lock = .idle
    if succeeded {
      failures = 0
      return release() + (isEnding ? [.end(succeeded: true)] : [])
    }
    failures += 1
    if failures <= Self.mostTries {
      lock = .waiting
      return [.tryLater]
    }
    return [.giveUp] + (isEnding ? [.end(succeeded: false)] : [])
  }

  /// Releases the inhibitor if logind waits and everything is locked.
  private mutating func release() -> [Action] {
    guard isAwaited, failures == 0, isHeld else { return [] }
    isAwaited = false
    isHeld = false
    return [.releaseInhibitor]
  }
}
