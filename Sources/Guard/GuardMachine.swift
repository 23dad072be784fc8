// Invariants:
// 1. An announced sleep or shutdown is let go (`.releaseInhibitor`) only after a lock that began at the announcement, or
//    later, has succeeded. If none does, the inhibitor is kept, and logind goes on when its own time is over.
// 2. Locks run one at a time. What happens while one runs makes another one run after it: a space may have been mounted
//    meanwhile. So one that hangs is not waited for then.
// 3. Outside of an announced sleep or shutdown, the inhibitor is held or asked for, as long as logind is there.
// 4. The end waits for a lock that runs.

/// Decides when to lock, and when the machine may sleep: what happens goes in, what is to be done comes out.
package struct GuardMachine {
  /// What happens.
  package enum Event: Equatable, Sendable {
    /// Logind can be asked, for the first time or again.
    case logindIsThere
    /// Logind gave the inhibitor that was asked for.
    case inhibitorGiven
    /// Logind refused it, or did not answer.
    case inhibitorRefused
    /// It is time to ask again.
    case askAgain
    /// Logind announced a sleep or a shutdown, or said that it is over.
    case announced(LockCause, Bool)
    /// A session was locked, or has ended.
    case seen(LockCause)
    /// The lock that was begun has ended.
    case lockEnded(succeeded: Bool)
    /// It is time to try again.
    case tryAgain
    /// A signal asked for the end.
    case endAsked
  }

  /// What is to be done, in this order.
  package enum Action: Equatable, Sendable {
    /// Ask logind for an inhibitor. It takes the place of the one that is held.
    case askForInhibitor
    /// Ask again in a while.
    case askLater
    /// Let logind go on.
    case releaseInhibitor
    /// Lock; nil is the end of the guard.
    case lock(LockCause?)
    /// The lock that runs is waited for: end it if it has been running for long, with what it could not do.
    case endIfSlow
    /// Try again in a second.
    case tryLater
    /// Say that not everything could be locked.
    case giveUp
    /// End, with success or without.
    case end(succeeded: Bool)
  }

  private enum Lock: Equatable { case idle, running(again: Bool), waiting }

  /// How often a lock that fails is tried again.
  package static let mostTries = 5

  private let causes: Set<LockCause>
  private let locksAtExit: Bool
  private var isHeld = false
  private var isAsked = false
  private var lock = Lock.idle
  private var cause: LockCause?
  private var failures = 0
  /// Sleep and shutdown that were announced and are not over.
  private var announced: Set<LockCause> = []
  /// Whether logind waits for a lock of ours.
  private var isAwaited = false
  private var isEnding = false

  /// - Parameters:
  ///   - causes: what makes it lock.
  ///   - locksAtExit: whether its own end does, too.
  package init(causes: Set<LockCause>, locksAtExit: Bool) {
    self.causes = causes
    self.locksAtExit = locksAtExit
  }

  /// What logind is asked to delay.
  package var delayed: [LockCause] { LockCause.allCases.filter(isDelayed) }

  /// Whether logind waits for a lock of ours.
  package var isLogindWaiting: Bool { isAwaited }

  /// Takes an event.
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
      // While it sleeps logind gives none; one is asked for when that is over.
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

  /// Lets logind go on if it waits, once everything is locked.
  private mutating func release() -> [Action] {
    guard isAwaited, failures == 0, isHeld else { return [] }
    isAwaited = false
    isHeld = false
    return [.releaseInhibitor]
  }
}
