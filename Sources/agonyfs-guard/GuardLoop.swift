// Invariants:
// 1. One thread waits, in one place, for all events: both buses, signals, the ends of `agonyfs lock` and of sessions,
//    and timers.
// 2. `GuardMachine` decides what is done.
// 3. A failure before the guard has worked once ends it. After a later failure it retries, and reports the failure
//    once.

internal import CPlatform
internal import Glibc
internal import Guard
internal import System
internal import SystemPackage

final class GuardLoop {
  enum Timer: CaseIterable { case start, system, session, inhibitor, lock, patience, slow }

  private let program: String
  let causes: Set<LockCause>
  var machine: GuardMachine
  var logind = Logind(user: geteuid())
  var systemBus: Bus?
  var sessionBus: Bus?
  /// Empty, or one lock for each event that logind delays.
  var inhibitors: [Descriptor] = []
  /// Descriptors of the first processes of sessions, by the sessions' object paths; readable when the process has
  /// ended.
  var leaders: [String: Descriptor] = [:]
  private var lockRun: LockRun?
  private var cause: LockCause?
  /// The time at which each timer is due, in nanoseconds of the monotonic clock.
  var timers: [Timer: UInt64] = [:]
  /// The delay before the next retry, in seconds.
  var delays: [Timer: UInt64] = [:]
  /// How long logind waits, in nanoseconds; its default until logind reports the time.
  var patience: UInt64 = 5_000_000_000
  var isReady = false
  /// Whether the absence of logind was reported.
  var isWithoutLogind = false
  var isWithoutSessionBus = false
  var isRefused = false
  var result: Bool?

  private static let second: UInt64 = 1_000_000_000

  init(program: String, causes: Set<LockCause>, locksAtExit: Bool) {
    self.program = program
    self.causes = causes
    machine = GuardMachine(causes: causes, locksAtExit: locksAtExit)
  }

  /// Runs until a signal ends it. Returns false if it could not work, or if not everything could be locked at the end.
  func run() -> Bool {
    guard let signals = Self.signals() else {
      Report.line("The guard cannot wait for signals: too many files are open.")
      return false
    }
    // Writing to a log without a reader must not end the guard.
    signal(SIGPIPE, SIG_IGN)
    // If SIGCHLD is ignored, which is inherited, the results of children are lost.
    signal(SIGCHLD, SIG_DFL)
    set(.start, 25)
    connect()
    while result == nil { wait(signals) }
    inhibitors = []
    return result ?? false
  }

  /// A descriptor for SIGTERM, SIGINT and SIGHUP, which end the guard.
  private static func signals() -> Descriptor? {
    var all = sigset_t()
    unsafe sigemptyset(&all)
    for signal in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&all, signal) }
    unsafe sigprocmask(SIG_BLOCK, &all, nil)
    return try? Descriptor(systemCall { unsafe agonyfs_signal_descriptor(&all) })
  }

  private func wait(_ signals: Descriptor) {
    let none = pollfd(fd: -1, events: 0, revents: 0)
    var interests = [
      pollfd(fd: signals.number, events: Int16(POLLIN), revents: 0), lockRun?.interest ?? none,
      systemBus?.interest ?? none, sessionBus?.interest ?? none,
    ]
    let watched = Array(leaders)
    interests += watched.map { pollfd(fd: $0.value.number, events: Int16(POLLIN), revents: 0) }
    let deadlines = Array(timers.values) + [systemBus?.deadline, sessionBus?.deadline].compactMap { $0 }
    var rest: CInt = -1
    if let next = deadlines.min() {
      let now = preciseMonotonicTime()
      rest = next > now ? CInt(clamping: (next - now) / 1_000_000 + 1) : 0
    }
    guard (try? systemCall { unsafe poll(&interests, nfds_t(interests.count), rest) }) != nil else { return }
    if interests[0].revents != 0, (try? signals.readSome(most: 4096)) != nil { handle(.endAsked) }
    if interests[1].revents != 0 { finishLock() }
    processSystem()
    processSession()
    for (place, leader) in watched.enumerated() where interests[4 + place].revents != 0 { leaderEnded(of: leader.key) }
    for timer in Timer.allCases { if let due = timers[timer], due <= preciseMonotonicTime() { ring(timer) } }
  }

  func set(_ timer: Timer, _ seconds: UInt64) {
    timers[timer] = preciseMonotonicTime() + seconds * Self.second
  }

  /// Sets a timer for a retry: after a second, and after twice the last delay each time, up to `most` seconds.
  func setAgain(_ timer: Timer, most: UInt64) {
    let delay = delays[timer] ?? 1
    set(timer, delay)
    delays[timer] = min(most, delay * 2)
  }

  private func ring(_ timer: Timer) {
    timers[timer] = nil
    switch timer {
    case .start: if !isReady { failed("it does not answer") }
    case .system: connect()
    case .session: connectSession()
    case .inhibitor: handle(.askAgain)
    case .lock: handle(.tryAgain)
    case .patience: sayThatItIsLate()
    case .slow: lockRun?.kill()
    }
  }
}

// MARK: Actions of the machine

extension GuardLoop {
  func handle(_ event: GuardMachine.Event) {
    let wasWaiting = machine.isLogindWaiting
    defer {
      if machine.isLogindWaiting, !wasWaiting { timers[.patience] = preciseMonotonicTime() + patience }
    }
    for action in machine.handle(event) {
      switch action {
      case .askForInhibitor: askForInhibitor()
      case .askLater: set(.inhibitor, 10)
      case .releaseInhibitor:
        inhibitors = []
        Report.line("Logind may continue.")
      case .lock(let cause): lock(cause)
      case .endIfSlow: if let lockRun { timers[.slow] = lockRun.latestEnd }
      case .tryLater: set(.lock, 1)
      case .giveUp: Report.line("Something could not be locked; see the messages above, then run agonyfs lock.")
      case .end(let succeeded): result = succeeded
      }
    }
  }

  private func lock(_ cause: LockCause?) {
    self.cause = cause
    do throws(Errno) {
      lockRun = try LockRun(program)
    } catch {
      Report.line("agonyfs lock could not be started: \(error.description).")
      handle(.lockEnded(succeeded: false))
    }
  }

  private func finishLock() {
    guard let (succeeded, time) = lockRun?.finished() else { return }
    lockRun = nil
    timers[.slow] = nil
    let why = cause?.sentence ?? "The guard ends"
    let outcome = succeeded ? "everything is locked" : "agonyfs lock failed"
    Report.line("\(why): \(outcome), after \(Report.seconds(time)).")
    handle(.lockEnded(succeeded: succeeded))
  }

  private func sayThatItIsLate() {
    guard lockRun != nil, machine.isLogindWaiting else { return }
    Report.line(
      """
      Locking takes longer than the \(Report.seconds(patience)) that logind waits: the machine may sleep or shut down \
      before locking has finished. Raise InhibitDelayMaxSec in logind.conf.
      """)
  }
}

extension LockCause {
  fileprivate var sentence: String {
    switch self {
    case .sleep: "The machine goes to sleep"
    case .shutdown: "The machine shuts down"
    case .lock: "A session is locked"
    case .logout: "A session has ended"
    }
  }
}
