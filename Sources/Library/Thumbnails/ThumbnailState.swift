// The queue and the state of the threads that make thumbnails.
//
// Invariants
// 1. Each pause is twice as long as the one before; a success ends the series. Attempts that fail at the same time
//    make one pause.
// 2. `kills` and `passedOver` have less than `lookLimit` entries.
// 3. For each thread that waits for a derivative there is a demand in `demands`, or a serving thread holds the demand
//    and will set `isDone`, or `isDone` is set.

internal import Media
internal import Vault

/// A demand of a thread that waits for a derivative.
final class ThumbnailDemand {
  let inode: InodeNumber
  let size: DerivativeSize
  var isDone = false

  init(inode: InodeNumber, size: DerivativeSize) {
    self.inode = inode
    self.size = size
  }
}

/// The queue and the state of the threads that make thumbnails, guarded by the file system's lock.
struct ThumbnailState {
  /// Threads that may wait for the decoder at a time. The others must stay free for quick requests.
  private static let maximumWaiters = 10
  /// Files that one look passes over because they are being written, at most.
  static let lookLimit = 1024
  /// After the decoder was killed on one file this often, the file counts as the cause.
  private static let maximumKills = 8
  /// The first and the longest pause, in nanoseconds.
  static let retryDelays: ClosedRange<UInt64> = 500_000_000...60_000_000_000

  /// Demands are served in order, as far as their files are free. There are at most as many as threads that wait,
  /// plus one for each thread that makes thumbnails.
  private var demands: [ThumbnailDemand] = []
  var underWay = FilesUnderWay()
  /// How many of the threads that make thumbnails run a background job.
  var backgroundJobs = 0
  /// Threads that wait for a derivative.
  private var waiters = 0
  /// Why the decoder is unavailable; nil unless it is known to be.
  private(set) var unavailable: String?
  /// The time of the next attempt, on the monotonic clock.
  private var retryTime: UInt64 = 0
  /// The length of the last pause, in nanoseconds; each is twice as long as the one before.
  private var retryDelay: UInt64 = 0
  /// The number of pauses so far. An attempt remembers it from its beginning.
  private(set) var pauses = 0
  private var kills: [InodeNumber: Int] = [:]
  /// Files that the index cannot read now. They wait for another mount.
  private(set) var passedOver: Set<InodeNumber> = []
  /// Whether no more work begins, and failures are ignored.
  private(set) var isEnding = false

  /// Counts a thread as waiting for the decoder; false if too many wait.
  mutating func beginWaiting() -> Bool {
    guard waiters < Self.maximumWaiters else { return false }
    waiters += 1
    return true
  }

  mutating func endWaiting() { waiters -= 1 }

  mutating func add(_ demand: ThumbnailDemand) { demands.append(demand) }

  /// Takes the first demand whose file is free.
  mutating func nextDemand() -> ThumbnailDemand? {
    guard let place = demands.firstIndex(where: { underWay.isFree($0.inode) }) else { return nil }
    return demands.remove(at: place)
  }

  /// Gives back a demand whose file has to wait for another file.
  mutating func putBack(_ demand: ThumbnailDemand) { demands.insert(demand, at: 0) }

  /// Removes a demand after its thread has stopped waiting.
  mutating func remove(_ demand: ThumbnailDemand) { demands.removeAll { $0 === demand } }

  /// Ends all demands, because no thread serves them any more.
  mutating func endDemands() {
    for demand in demands { demand.isDone = true }
    demands.removeAll()
  }

  /// The number of demands that wait for a serving thread.
  var demandCount: Int { demands.count }

  mutating func end() { isEnding = true }

  /// The end of the pause; nil if work may begin now.
  func pauseEnd(after now: UInt64) -> UInt64? { retryDelay > 0 && retryTime > now ? retryTime : nil }

  /// Begins a pause, twice as long as the last; true if it must be logged. A first pause is not logged, because a
  /// retry often helps.
  ///
  /// - Parameter attempt: the value of `pauses` when the failed attempt began. Another attempt may have failed since
  ///   for the same reason.
  mutating func pause(_ reason: String, of attempt: Int, at now: UInt64) -> Bool {
    if attempt != pauses { return false }
    pauses += 1
    let isNew = retryDelay > 0 && unavailable == nil && !isEnding
    unavailable = retryDelay > 0 ? reason : nil
    retryDelay = min(max(2 * retryDelay, Self.retryDelays.lowerBound), Self.retryDelays.upperBound)
    retryTime = now + retryDelay
    return isNew
  }

  /// Ends the series of pauses.
  mutating func noteSuccess() {
    unavailable = nil
    retryDelay = 0
  }

  /// Leaves a file that the index cannot read to another mount: it may be readable in a copy, or after a repair.
  mutating func passOver(_ number: InodeNumber, at now: UInt64) {
    passedOver.insert(number)
    if passedOver.count < Self.lookLimit { return }
    passedOver.removeAll()
    retryDelay = Self.retryDelays.upperBound
    retryTime = now + retryDelay
  }

  /// Counts a kill of the decoder on a file. Returns for how long the file is put off, in nanoseconds and longer each
  /// time, or nil if it was killed often enough.
  mutating func noteKill(_ number: InodeNumber) -> UInt64? {
    let count = kills[number] ?? 0
    if count == Self.maximumKills {
      kills[number] = nil
      return nil
    }
    if kills.count >= Self.lookLimit { kills.removeAll() }
    kills[number] = count + 1
    return Self.retryDelays.lowerBound << UInt64(count)
  }
}
