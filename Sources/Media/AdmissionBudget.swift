// The memory that several decoders share.
//
// Invariants
// 1. Every running job has `Decoder.freeMemory` without asking. Grants beyond that are at most `shared` bytes for all
//    jobs together, plus one large grant. So the total is at most `jobsAtOnce` × `share`, plus `Decoder.mostMemory`,
//    plus `Decoder.freeMemory` for the decoder that is reserved for urgent jobs.
// 2. A grant that fits into `shared` never waits for a large one.
// 3. Among grants of one kind, none overtakes an earlier one, unless its job is urgent: a program waits for it.

/// The account of granted memory. It only counts; callers wait elsewhere.
struct AdmissionBudget {
  /// The average memory of a job in bytes.
  static let share = 256 << 20

  /// Memory for one job.
  struct Grant: Equatable {
    /// Bytes that the job may use.
    let bytes: Int
    /// Whether it is the large grant.
    let isLarge: Bool

    fileprivate var extra: Int { bytes - Decoder.freeMemory }
  }

  /// Bytes for all grants except the large one.
  let shared: Int
  /// Bytes of `shared` that are granted.
  private(set) var granted = 0
  /// Whether the large grant is taken.
  private(set) var isLargeGiven = false
  private var sharing = WaitingOrder()
  private var large = WaitingOrder()

  /// A budget for a number of jobs at once.
  init(jobsAtOnce: Int) { shared = jobsAtOnce * (Self.share - Decoder.freeMemory) }

  /// The number of jobs at once whose shares fill a quarter of a machine's memory, at least one.
  static func mostJobs(inMemory bytes: Int) -> Int { max(1, bytes / 4 / share) }

  /// A grant that suffices for every job.
  static let largest = Grant(bytes: Decoder.mostMemory, isLarge: true)

  /// The number of jobs that wait for a grant.
  var waiting: Int { sharing.count + large.count }

  /// The grant for a job that asks for this many bytes, more than `Decoder.freeMemory`. More than a process can have
  /// counts as that maximum.
  func grant(for bytes: Int) -> Grant {
    bytes - Decoder.freeMemory > shared ? Self.largest : Grant(bytes: min(bytes, Decoder.mostMemory), isLarge: false)
  }

  /// Takes a grant if there is room for it and no other job is ahead. Returns whether it was granted.
  mutating func take(_ grant: Grant, isUrgent: Bool) -> Bool {
    guard (grant.isLarge ? large : sharing).isFree(forUrgent: isUrgent), hasRoom(for: grant) else { return false }
    give(grant)
    return true
  }

  /// Begins to wait for a grant.
  mutating func wait(for grant: Grant, isUrgent: Bool) -> WaitingOrder.Ticket {
    grant.isLarge ? large.enter(isUrgent: isUrgent) : sharing.enter(isUrgent: isUrgent)
  }

  /// Takes the grant and ends the wait, if it is this job's turn and there is room. Returns whether it was granted.
  mutating func take(_ grant: Grant, _ ticket: WaitingOrder.Ticket) -> Bool {
    guard (grant.isLarge ? large : sharing).first == ticket, hasRoom(for: grant) else { return false }
    stopWaiting(for: grant, ticket)
    give(grant)
    return true
  }

  /// Ends the wait without the grant.
  mutating func stopWaiting(for grant: Grant, _ ticket: WaitingOrder.Ticket) {
    if grant.isLarge { large.leave(ticket) } else { sharing.leave(ticket) }
  }

  /// Returns a grant.
  mutating func takeBack(_ grant: Grant) {
    if grant.isLarge { isLargeGiven = false } else { granted -= grant.extra }
  }

  private func hasRoom(for grant: Grant) -> Bool {
    grant.isLarge ? !isLargeGiven : granted + grant.extra <= shared
  }

  private mutating func give(_ grant: Grant) {
    if grant.isLarge { isLargeGiven = true } else { granted += grant.extra }
  }
}
