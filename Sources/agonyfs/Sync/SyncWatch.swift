// Runs `agonyfs sync` again and again: --watch and --at.
//
// Invariants
// 1. Between two runs nothing is sent, and a signal ends the process with status 0.
// 2. The vault is looked at before each run begins, so a change during a run leads to the next one.
// 3. A trouble that may pass is said once, until another one or a run that succeeds. All others end the command.
// 4. What was read of the vault is forgotten after a day, so that a file that the host damaged silently does not pass for
//    the one that was read.

internal import Storage
internal import System
internal import VaultCopy

/// Keeps a bucket up to date until a signal arrives or the bucket refuses.
final class SyncWatch {
  private let command: SyncCommand
  private let signals: HeldSignals
  private let pace: SyncPace
  /// Whether vault and bucket were right once.
  private var hasSucceeded = false
  /// The sentences about the bucket that were said. Once is enough.
  private var notes: Set<String> = []
  /// Troubles since the last run that succeeded.
  private var troubles = 0
  /// The last trouble that was said.
  private var said: String?
  /// What was read of the vault, and since when, in seconds since 1970.
  private var memory = SyncMemory()
  private var remembersSince = timeOfDay().seconds

  init(_ command: SyncCommand, _ signals: HeldSignals, _ pace: SyncPace) {
    self.command = command
    self.signals = signals
    self.pace = pace
  }

  /// Returns after a signal between two runs.
  ///
  /// - Throws: `CopyError`, among them `.cancelled` after a signal during a run or the first check; `CommandFailure`.
  func run() throws {
    if let time = command.at {
      try check(before: time)
      guard wait(for: time) else { return }
    }
    while !signals.arePending {
      let before = try? VaultFingerprint(of: command.path)
      let start = monotonicSeconds()
      let isOver: Bool
      if let summary = try attempt() {
        try tell(summary)
        isOver = !waitForNext(summary, since: before, took: monotonicSeconds() - start)
      } else {
        troubles += 1
        isOver = !wait(seconds: pace.rest(afterTroubles: troubles))
      }
      if isOver { return }
    }
  }

  /// Finds what is wrong with the command line now, and not at the time of the first run.
  private func check(before time: DailyTime) throws {
    if try trying({ try command.check(signals) }) != nil { hasSucceeded = true }
    let first = time.next(after: timeOfDay().seconds)
    let text = LocalTime.text(first, "%H:%M on %-d %B %Y") ?? "\(time)"
    try tell("The first run begins at \(text).")
  }

  /// One run.
  ///
  /// - Returns: nil after a trouble that may pass.
  private func attempt() throws -> SyncSummary? {
    ServiceStatus.show("Comparing the vault with the bucket, and sending what differs.")
    let (checksFirst, memory) = (!hasSucceeded, currentMemory)
    let attempted = try trying {
      try command.perform(signals, checksFirst: checksFirst, memory: memory) { sentence in
        if notes.insert(sentence).inserted { Output.note(sentence) }
      }
    }
    guard let summary = attempted else { return nil }
    if summary.gone > 0, summary.shortened == 0, summary.tooLarge == 0 {
      say(
        "\(command.vault.text) deleted files during the run, as a mount or agonyfs refresh does, so nothing was deleted in "
          + "the bucket.")
      // Another run now would send as much again, and show that something was deleted.
      return command.at != nil && command.rate != nil ? summary : nil
    }
    if let failure = command.failure(of: summary) { throw failure }
    (hasSucceeded, troubles, said) = (true, 0, nil)
    return summary
  }

  /// What may be remembered of the vault now; nil if the host does not say what was changed.
  private var currentMemory: SyncMemory? {
    guard DirectoryStorage.keepsChangeTimes(command.path) else { return nil }
    let now = timeOfDay().seconds
    // The clock may have been set back.
    if now < remembersSince || now - remembersSince >= pace.longest {
      (memory, remembersSince) = (SyncMemory(), now)
    }
    return memory
  }

  /// Runs `body`. Says a trouble that may pass, and returns nil then.
  private func trying<Value>(_ body: () throws -> Value) throws -> Value? {
    do {
      return try body()
    } catch let error as CopyError where error.mayPass(hasSucceeded: hasSucceeded) {
      say(error.sentenceForWatch)
    } catch let failure as CommandFailure where failure.status == .storeUnreachable {
      say(failure.message)
    }
    return nil
  }

  private func tell(_ summary: SyncSummary) throws {
    let next = command.at.map { " The next run begins at \($0)." } ?? ""
    try tell(summary.sentences(at: timeOfDay().seconds), more: next)
  }

  private func tell(_ text: String, more: String = "") throws {
    Output.line(text)
    try Output.finish()
    ServiceStatus.show(text + more)
  }

  private func say(_ trouble: String) {
    ServiceStatus.show(trouble)
    guard trouble != said else { return }
    said = trouble
    Output.note("\(trouble) agonyfs sync tries again by itself.")
  }

  /// Waits for the daily time, or until the vault has changed or the last run left files for later.
  ///
  /// - Returns: false once a signal is pending.
  private func waitForNext(_ summary: SyncSummary, since before: VaultFingerprint?, took seconds: Int64) -> Bool {
    if let time = command.at { return wait(for: time) }
    guard wait(seconds: pace.rest(afterRunOf: seconds)) else { return false }
    let latest = timeOfDay().seconds + pace.longest
    while summary.waiting == 0, timeOfDay().seconds < latest, !hasChanged(since: before) {
      guard wait(seconds: pace.look) else { return false }
    }
    return true
  }

  private func hasChanged(since before: VaultFingerprint?) -> Bool {
    guard let before else { return true }
    do throws(CopyError) {
      return try VaultFingerprint(of: command.path) != before
    } catch .inUse {
      return false
    } catch {
      // The run says what is wrong.
      return true
    }
  }

  /// False once a signal is pending.
  private func wait(seconds: Int64) -> Bool {
    Heap.trim()
    let end = monotonicTime() + UInt64(max(seconds, 0)) * 1_000_000_000
    while true {
      let now = monotonicTime()
      if now >= end { return !signals.arePending }
      if signals.wait(milliseconds: Int32(min(60_000, (end - now) / 1_000_000 + 1))) { return false }
    }
  }

  /// False once a signal is pending.
  private func wait(for time: DailyTime) -> Bool {
    Heap.trim()
    var due = time.next(after: timeOfDay().seconds)
    while true {
      let now = timeOfDay().seconds
      if now >= due { return !signals.arePending }
      // The clock or its zone may have been set. The monotonic clock stops while the machine sleeps.
      due = time.next(after: now)
      if signals.wait(milliseconds: Int32(min(60, due - now)) * 1000) { return false }
    }
  }
}
