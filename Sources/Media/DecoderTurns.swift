// Assigns decoders and memory to jobs.
//
// Invariants
// 1. A decoder is lent to one job at a time. Urgent jobs, which a program waits for, get one first, the others in
//    order; the last idle decoder is only for urgent jobs.
// 2. A job never waits for memory while it has a decoder: it returns the decoder, waits, and begins again with the
//    memory. So pictures that need a lot of memory do not hold up others.
// 3. After `stop()` no decoder is lent, no memory is granted, and all waits end.

internal import System

/// The decoders of a pool by their numbers, and the memory of their jobs.
final class DecoderTurns: @unchecked Sendable {
  /// A job; its caller keeps it between attempts.
  struct Job {
    /// Whether a program waits for it.
    let isUrgent: Bool
    /// The memory that was granted to it.
    fileprivate(set) var grant: AdmissionBudget.Grant?
    /// The memory that was refused to it in its last attempt.
    fileprivate(set) var wanted: AdmissionBudget.Grant?

    init(isUrgent: Bool) { self.isUrgent = isUrgent }
  }

  /// The numbers of waiting callers.
  struct Waiting: Equatable {
    var forDecoders = 0
    var forMemory = 0
  }

  private let lock = Lock()
  private let changed: Condition
  // Guarded by the lock.
  /// The decoder used last is at the end.
  private var idle: [Int]
  private var jobs: [Int: Job] = [:]
  private var order = WaitingOrder()
  private var budget: AdmissionBudget
  private var isStopped = false

  /// All decoders are idle: one more than the background jobs that run at once.
  init(count: Int) {
    changed = Condition(of: lock)
    idle = Array((0...count).reversed())
    budget = AdmissionBudget(jobsAtOnce: count)
  }

  var waiting: Waiting {
    lock.withLock { Waiting(forDecoders: order.count, forMemory: budget.waiting) }
  }

  /// Waits for an idle decoder and lends it; nil after `stop()`.
  func borrow(for job: Job) -> Int? {
    lock.lock()
    defer { lock.unlock() }
    let ticket = order.enter(isUrgent: job.isUrgent)
    let kept = job.isUrgent ? 0 : 1
    while !isStopped, idle.count <= kept || order.first != ticket { changed.wait() }
    order.leave(ticket)
    // Another caller is now the first.
    changed.broadcast()
    guard !isStopped, let number = idle.popLast() else { return nil }
    var lent = job
    lent.wanted = nil
    jobs[number] = lent
    return number
  }

  /// Takes a decoder back. Returns its job in its present state.
  func takeBack(_ number: Int, from job: Job) -> Job {
    lock.withLock {
      idle.append(number)
      changed.broadcast()
      return jobs.removeValue(forKey: number) ?? job
    }
  }

  /// Whether the job of this decoder may use this many bytes of memory; if not, records the memory that it must wait
  /// for.
  func admits(_ bytes: Int, in number: Int) -> Bool {
    lock.withLock {
      guard let job = jobs[number] else { return false }
      if isStopped {
        // So that the job ends as stopped, not as too large.
        jobs[number]?.wanted = AdmissionBudget.largest
        return false
      }
      if let grant = job.grant {
        if min(bytes, Decoder.mostMemory) <= grant.bytes { return true }
        // It asked for less before, so its claim is no longer trusted.
        jobs[number]?.wanted = AdmissionBudget.largest
        return false
      }
      let grant = budget.grant(for: bytes)
      if budget.take(grant, isUrgent: job.isUrgent) {
        jobs[number]?.grant = grant
        return true
      }
      jobs[number]?.wanted = grant
      return false
    }
  }

  /// Waits for the memory that was refused to a job, which must not have a decoder now. False after `stop()`.
  func grantWanted(to job: inout Job) -> Bool {
    guard let wanted = job.wanted else { return true }
    end(job)
    job.grant = nil
    guard waitFor(wanted, isUrgent: job.isUrgent) else { return false }
    job.grant = wanted
    job.wanted = nil
    return true
  }

  /// Releases the memory of a job that has ended, or that begins again.
  func end(_ job: Job) {
    guard let grant = job.grant else { return }
    lock.withLock {
      budget.takeBack(grant)
      changed.broadcast()
    }
  }

  /// Refuses all jobs from now on.
  func stop() {
    lock.withLock {
      isStopped = true
      changed.broadcast()
    }
  }

  private func waitFor(_ grant: AdmissionBudget.Grant, isUrgent: Bool) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    let ticket = budget.wait(for: grant, isUrgent: isUrgent)
    while !isStopped {
      if budget.take(grant, ticket) {
        // There may be room for the next one.
        changed.broadcast()
        return true
      }
      changed.wait()
    }
    budget.stopWaiting(for: grant, ticket)
    return false
  }
}
