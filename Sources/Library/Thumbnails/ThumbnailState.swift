// What the threads that make thumbnails have before them.
//
// Invariants
// 1. A pause is twice as long as the one before; what was made ends it. Attempts that fail at the same time make one pause.
// 2. `kills` and `passedOver` have less than `lookLimit` entries.
// 3. Whoever waits for a derivative has a demand in `demands`, or a thread has it and sets `isDone`, or `isDone` is set.

internal import Media
internal import Vault

/// Somebody waits for a derivative.
final class ThumbnailDemand {
  let inode: InodeNumber
  let size: DerivativeSize
  var isDone = false

  init(inode: InodeNumber, size: DerivativeSize) {
    self.inode = inode
    self.size = size
  }
}

/// What the threads that make thumbnails have before them, under the file system's lock.
struct ThumbnailState {
  /// How many threads may wait for the decoder at a time. The others must stay free for quick requests.
  private static let maximumWaiters = 10
  /// How many files one look passes over because they are being written.
  static let lookLimit = 1024
  /// How often the decoder may be killed on one file before the file counts as the cause.
  private static let maximumKills = 8
  /// How long a pause is, in nanoseconds: the first and the longest.
  static let retryDelays: ClosedRange<UInt64> = 500_000_000...60_000_000_000

  /// First come, first served, as far as their files are free. There are no more than threads that wait, and one for each
  /// thread that makes thumbnails.
  private var demands: [ThumbnailDemand] = []
  var underWay = FilesUnderWay()
  /// How many of the threads that make thumbnails do what nobody waits for.
  var backgroundJobs = 0
  /// Threads that wait for a derivative.
  private var waiters = 0
  /// Why there is no decoder; nil while none is known to be missing.
  private(set) var unavailable: String?
  /// When it is tried again, on the monotonic clock.
  private var retryTime: UInt64 = 0
  /// How long the last wait was, in nanoseconds; each is twice as long as the one before.
  private var retryDelay: UInt64 = 0
  /// How often there was a pause. An attempt remembers it from its beginning.
  private(set) var pauses = 0
  private var kills: [InodeNumber: Int] = [:]
  /// Files that the index cannot read now. They wait for another mount.
  private(set) var passedOver: Set<InodeNumber> = []
  /// Whether nothing more is begun, and failures mean nothing.
  private(set) var isEnding = false

  /// Counts a thread among those that wait for the decoder; false when too many do.
  mutating func beginWaiting() -> Bool {
    guard waiters < Self.maximumWaiters else { return false }
    waiters += 1
    return true
  }

  mutating func endWaiting() { waiters -= 1 }

  mutating func add(_ demand: ThumbnailDemand) { demands.append(demand) }

  /// Takes the next demand for a file that is free.
  mutating func nextDemand() -> ThumbnailDemand? {
    guard let place = demands.firstIndex(where: { underWay.isFree($0.inode) }) else { return nil }
    return demands.remove(at: place)
  }

  /// Gives back a demand whose file has to wait for another one.
  mutating func putBack(_ demand: ThumbnailDemand) { demands.insert(demand, at: 0) }

  /// Forgets a demand that nobody waits for any more.
  mutating func remove(_ demand: ThumbnailDemand) { demands.removeAll { $0 === demand } }

  /// Nobody serves what is still demanded.
  mutating func endDemands() {
    for demand in demands { demand.isDone = true }
    demands.removeAll()
  }

  /// How many demands wait for a thread.
  var demandCount: Int { demands.count }

  mutating func end() { isEnding = true }

  /// When something may be tried again; nil when it may now.
  func pauseEnd(after now: UInt64) -> UInt64? { retryDelay > 0 && retryTime > now ? retryTime : nil }

  /// Pauses, for twice as long as the last time; true when that is to be logged, which one retry that helps is not.
  ///
  /// - Parameter attempt: `pauses` as it was when what failed was begun. Another may have failed since for the same reason.
  mutating func pause(_ reason: String, of attempt: Int, at now: UInt64) -> Bool {
    if attempt != pauses { return false }
    pauses += 1
    let isNew = retryDelay > 0 && unavailable == nil && !isEnding
    unavailable = retryDelay > 0 ? reason : nil
    retryDelay = min(max(2 * retryDelay, Self.retryDelays.lowerBound), Self.retryDelays.upperBound)
    retryTime = now + retryDelay
    return isNew
  }

  /// Ends a pause.
  mutating func noteSuccess() {
    unavailable = nil
    retryDelay = 0
  }

  /// Leaves a file that the index cannot show to another mount: what cannot be read now may be there in a copy, or
  /// after a repair.
  mutating func passOver(_ number: InodeNumber, at now: UInt64) {
    passedOver.insert(number)
    if passedOver.count < Self.lookLimit { return }
    passedOver.removeAll()
    retryDelay = Self.retryDelays.upperBound
    retryTime = now + retryDelay
  }

  /// Counts a kill of the decoder on a file; gives for how long the file is put off, longer each time, or nil when it
  /// was killed often enough.
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
