// The memory that several decoders share.
//
// Invariants
// 1. Every job that runs has `Decoder.freeMemory`, without asking. What is granted beyond that is at most `shared` bytes
//    for all jobs together, and one large grant beside them. So all of it is at most `jobsAtOnce` × `share`,
//    `Decoder.mostMemory` more, and `Decoder.freeMemory` for the decoder that is kept for those who wait.
// 2. A grant that fits into `shared` never waits for a large one.
// 3. Among grants of one kind, none overtakes one that came before it, unless somebody waits for its job.

/// How much memory is granted to whom. Only the numbers: who waits for one, waits elsewhere.
struct AdmissionBudget {
  /// Bytes that a job has in the mean.
  static let share = 256 << 20

  /// Memory for one job.
  struct Grant: Equatable {
    /// Bytes that the job may need.
    let bytes: Int
    /// Whether it is the large one.
    let isLarge: Bool

    fileprivate var extra: Int { bytes - Decoder.freeMemory }
  }

  /// Bytes for all grants that are not large.
  let shared: Int
  /// Bytes of it that are granted.
  private(set) var granted = 0
  /// Whether the large grant is given.
  private(set) var isLargeGiven = false
  private var sharing = WaitingOrder()
  private var large = WaitingOrder()

  /// A budget for so many jobs at once.
  init(jobsAtOnce: Int) { shared = jobsAtOnce * (Self.share - Decoder.freeMemory) }

  /// Jobs at once whose shares are a quarter of a machine's memory, at least one.
  static func mostJobs(inMemory bytes: Int) -> Int { max(1, bytes / 4 / share) }

  /// What suffices for every job.
  static let largest = Grant(bytes: Decoder.mostMemory, isLarge: true)

  /// How many wait for a grant.
  var waiting: Int { sharing.count + large.count }

  /// What a job needs that asks for so many bytes, more than `Decoder.freeMemory`. What exceeds the memory that a process
  /// can have counts as that.
  func grant(for bytes: Int) -> Grant {
    bytes - Decoder.freeMemory > shared ? Self.largest : Grant(bytes: min(bytes, Decoder.mostMemory), isLarge: false)
  }

  /// Gives a grant if there is room for it, and nobody is to get one before. Returns whether it did.
  mutating func take(_ grant: Grant, isUrgent: Bool) -> Bool {
    guard (grant.isLarge ? large : sharing).isFree(forUrgent: isUrgent), hasRoom(for: grant) else { return false }
    give(grant)
    return true
  }

  /// Begins to wait for a grant.
  mutating func wait(for grant: Grant, isUrgent: Bool) -> WaitingOrder.Ticket {
    grant.isLarge ? large.enter(isUrgent: isUrgent) : sharing.enter(isUrgent: isUrgent)
  }

  /// Ends the waiting with the grant, if it is its turn and there is room for it. Returns whether it did.
  mutating func take(_ grant: Grant, _ ticket: WaitingOrder.Ticket) -> Bool {
    guard (grant.isLarge ? large : sharing).first == ticket, hasRoom(for: grant) else { return false }
    stopWaiting(for: grant, ticket)
    give(grant)
    return true
  }

  /// Ends the waiting without the grant.
  mutating func stopWaiting(for grant: Grant, _ ticket: WaitingOrder.Ticket) {
    if grant.isLarge { large.leave(ticket) } else { sharing.leave(ticket) }
  }

  /// Takes a grant back.
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
