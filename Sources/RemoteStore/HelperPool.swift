internal import ObjectStore
internal import System

/// Several helpers, each a separate process with one connection to the store.
///
/// 1. Each job has a helper to itself. The helper used last is used first, so no more run than there were jobs at once.
/// 2. A helper is replaced after each failure of the transport, when its credentials expire, and when it is old: only a
///    new one looks up the addresses of the server.
/// 3. A helper is reaped by the thread that took it out of `idle` or `running`, so `stop()` never signals a reused
///    process number.
final class HelperPool: @unchecked Sendable {
  /// How long a helper is used.
  private static let mostAge: UInt64 = 300_000_000_000

  /// What to start helpers with.
  struct Settings: Sendable {
    var program: String
    var address: StoreAddress
    var certificates: String?
    var stallSeconds: UInt32
    var connectSeconds: UInt32
    var rateSeconds: UInt32
    /// Whether helpers whose system calls are not filtered may run.
    var mayBeUnfiltered: Bool
    var credentials: Credentials
  }

  private let settings: Settings
  private let most: Int
  private let lock = Lock()
  private let freed: Condition
  // Guarded by the lock.
  /// The helper used last is at the end.
  private var idle: [StoreProcess] = []
  private var running: [ObjectIdentifier: StoreProcess] = [:]
  /// Jobs that have or start a helper.
  private var count = 0
  private var isStopped = false
  private var lastConfinement: StoreProcess.Confinement?
  private var lastDifference: Int64?

  init(_ settings: Settings, most: Int) {
    self.settings = settings
    self.most = most
    freed = Condition(of: lock)
  }

  /// How the helper started last is confined; nil before the first.
  var confinement: StoreProcess.Confinement? { lock.withLock { lastConfinement } }

  /// Seconds that the clock of the store is ahead of this machine's, by its last reply with a time.
  var clockDifference: Int64? { lock.withLock { lastDifference } }

  /// Ends all helpers, even during jobs, and a command that prints credentials. Later jobs are refused.
  func stop() {
    let unused = lock.withLock {
      isStopped = true
      for process in running.values { process.kill() }
      defer { idle = [] }
      freed.broadcast()
      return idle
    }
    settings.credentials.stop()
    for process in unused { process.reap() }
  }

  /// Waits, at most so long. False as soon as the pool is stopped.
  func wait(_ time: Duration) -> Bool {
    let deadline = monotonicTime() + time.nanoseconds
    return lock.withLock {
      while !isStopped, monotonicTime() < deadline { freed.wait(until: deadline) }
      return !isStopped
    }
  }

  /// Carries out a job in a free helper.
  ///
  /// - Parameter content: the bytes of an object that is stored.
  func run(_ job: StoreJob, sending content: [UInt8] = []) throws(StoreError) -> StoreAnswer {
    try take()
    defer { giveBack() }
    let begun = monotonicTime()
    let (answer, used) = try attempt(job, content, refused: nil)
    guard case .failure(.wrongCredentials) = answer, !wasStopped else { return try answer.get() }
    // They may have changed since they were read. A command may take long, and the pool may be stopped meanwhile.
    let read = try settings.credentials.current(refused: used.credentials, since: used.reading, after: begun)
    guard read.credentials != used.credentials, !wasStopped else { return try answer.get() }
    return try attempt(job, content, refused: used.credentials).outcome.get()
  }

  /// - Parameter refused: credentials that helpers must not use any more.
  /// - Returns: the result, and the helper that gave it, which must not be used.
  private func attempt(
    _ job: StoreJob, _ content: [UInt8], refused: StoreCredentials?
  ) throws(StoreError) -> (outcome: Result<StoreAnswer, StoreError>, used: StoreProcess) {
    let process: StoreProcess
    if let idle = idleHelper(refused: refused) { process = idle } else { process = try start(refused: refused) }
    var isUsable = false
    defer { putDown(process, isUsable: isUsable) }
    do throws(StoreError) {
      let (outcome, date) = try process.run(job, sending: content)
      isUsable = outcome.keepsHelper
      if let date { note(date) }
      return (outcome, process)
    } catch {
      // The helper ended during the job. A request may have been sent.
      guard !wasStopped else { throw job.action.changes ? .unknownOutcome : .unavailable("stopped") }
      throw job.action.changes ? .unknownOutcome : .interrupted
    }
  }

  private var wasStopped: Bool { lock.withLock { isStopped } }

  private func take() throws(StoreError) {
    let wasStopped = lock.withLock {
      while !isStopped, count >= most { freed.wait() }
      if !isStopped { count += 1 }
      return isStopped
    }
    if wasStopped { throw .unavailable("stopped") }
  }

  private func giveBack() {
    lock.withLock {
      count -= 1
      freed.broadcast()
    }
  }

  /// The helper used last, if it may still be used; others are ended.
  private func idleHelper(refused: StoreCredentials?) -> StoreProcess? {
    let now = timeOfDay().seconds
    while let process = lock.withLock({ idle.popLast() }) {
      let expires = process.credentials.expiration.map { $0 - Credentials.margin <= now } ?? false
      guard !expires, process.credentials != refused, monotonicTime() - process.start < Self.mostAge else {
        process.reap()
        continue
      }
      return pickUp(process)
    }
    return nil
  }

  private func start(refused: StoreCredentials?) throws(StoreError) -> StoreProcess {
    let (credentials, number) = try settings.credentials.current(refused: refused)
    let configuration = StoreConfiguration(
      address: settings.address, credentials: credentials,
      certificates: settings.certificates, stallSeconds: settings.stallSeconds,
      connectSeconds: settings.connectSeconds, rateSeconds: settings.rateSeconds)
    let process = pickUp(
      try StoreProcess(
        program: settings.program, configuration: configuration, reading: number))
    do throws(StoreError) {
      let confinement = try process.begin(configuration)
      guard confinement.isFiltered || settings.mayBeUnfiltered else {
        throw StoreError.unavailable("the kernel does not filter its system calls")
      }
      lock.withLock { lastConfinement = confinement }
      return process
    } catch {
      putDown(process, isUsable: false)
      throw error
    }
  }

  /// Notes that a helper runs, so that `stop()` finds it.
  private func pickUp(_ process: StoreProcess) -> StoreProcess {
    lock.withLock {
      running[ObjectIdentifier(process)] = process
      if isStopped { process.kill() }
    }
    return process
  }

  private func putDown(_ process: StoreProcess, isUsable: Bool) {
    let isKept = lock.withLock {
      running[ObjectIdentifier(process)] = nil
      guard isUsable, !isStopped else { return false }
      idle.append(process)
      return true
    }
    if !isKept { process.reap() }
  }

  private func note(_ date: RequestTime) {
    let difference = date.seconds - timeOfDay().seconds
    lock.withLock { lastDifference = difference }
  }
}

extension Result<StoreAnswer, StoreError> {
  /// Whether the helper that gave it is good for further jobs.
  fileprivate var keepsHelper: Bool {
    switch self {
    case .success: true
    case .failure(let error):
      switch error {
      case .notFound, .alreadyThere, .denied, .noBucket, .quota, .slowDown, .refused: true
      default: false
      }
    }
  }
}
