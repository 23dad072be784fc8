// The segment files of a space, and which of them it still needs.
//
// Invariants
// 1. `epochs` contains every segment file of this space that may exist; only those are ever deleted.
// 2. A segment is either needed, or retired since the newest head (`retiring`), or retired in a head (`retired`).
// 3. `heads` are the kept heads, oldest first. All segments that they need exist.

/// The segment files of a space.
struct SegmentCatalog {
  private(set) var epochs: [EpochNumber: EpochEntry] = [:]
  private(set) var heads: [KeptHead] = []
  /// Retired segments, and the first head that says so.
  private(set) var retired: [SegmentNumber: EpochNumber] = [:]
  /// Segments that were retired after the newest head was written.
  private(set) var retiring: Set<SegmentNumber> = []
  /// Retired segments that neither a kept head nor the search for a kept head needs, in the order in which they died.
  private(set) var deletable: [SegmentNumber] = []
  /// The highest epoch number that was ever used, including those of torn heads.
  private(set) var highestEpoch = EpochNumber(rawValue: 0)

  init(_ state: RecoveredState) {
    epochs = state.epochs
    heads = state.heads
    retired = state.retired
    retiring = state.leftover
    highestEpoch = state.highestEpoch
    findDeletable()
  }

  func branch(of epoch: EpochNumber) -> [UInt8]? { epochs[epoch]?.branch }

  /// All segments whose files may exist, in the order of the log.
  var segments: [SegmentNumber] {
    epochs.sorted { $0.key < $1.key }.flatMap { epoch, entry in entry.segments(of: epoch) }
  }

  /// The segments that are not retired.
  var needed: [SegmentNumber] { segments.filter { retired[$0] == nil && !retiring.contains($0) } }

  /// The segments that cannot be deleted.
  var keptCount: Int { epochs.values.reduce(0) { $0 + $1.present.nonzeroBitCount } - deletable.count }

  /// Whether a segment exists and a kept head needs it. If not, no head ever needs it again: the search for heads may
  /// need the segment's name, but nothing needs its content.
  func isNeededByHeads(_ segment: SegmentNumber) -> Bool {
    guard epochs[segment.epoch]?.contains(segment.index) == true else { return false }
    guard let died = retired[segment], let oldest = heads.first?.epoch else { return true }
    return died > oldest
  }

  /// The number of retired segments that still exist.
  var retiredCount: Int { retired.count + retiring.count }

  /// Adds a newly created segment.
  mutating func insert(_ number: SegmentNumber, branch: [UInt8]) {
    epochs[number.epoch, default: EpochEntry(branch: branch, present: 0)].insert(number.index)
    highestEpoch = max(highestEpoch, number.epoch)
  }

  /// Retires segments. Ignores those that do not exist or are retired.
  mutating func retire(_ segments: [SegmentNumber]) {
    for segment in segments where retired[segment] == nil && epochs[segment.epoch]?.contains(segment.index) == true {
      retiring.insert(segment)
    }
  }

  /// Retires the segments of an epoch whose head was not completed. Its number stays used.
  mutating func abandon(_ epoch: EpochNumber) { retire(epochs[epoch]?.segments(of: epoch) ?? []) }

  /// Forgets an epoch whose head is deleted, if it was the newest and had no other segments. Its number becomes free
  /// again, so the search for the next head finds no gap. Must not be called while a head of that name may exist.
  mutating func forgetNewest(_ epoch: EpochNumber) {
    guard epoch == highestEpoch, epochs[epoch]?.present == 1 else { return }
    let head = SegmentNumber(epoch: epoch, index: 0)
    retiring.remove(head)
    remove([head])
    highestEpoch = EpochNumber(rawValue: epoch.rawValue - 1)
  }

  /// The retired segments in the head of `epoch`.
  func retired(asOf epoch: EpochNumber) -> [SegmentNumber: EpochNumber] {
    retiring.reduce(into: retired) { $0[$1] = epoch }
  }

  /// The kept heads after `head` is added. The oldest is removed only if the second-oldest is older than `window`
  /// seconds; the two newest are always kept.
  func keptHeads(adding head: KeptHead, window: Int64) -> [KeptHead] {
    // A time in the future comes from a wrong clock; it counts as now.
    var kept = heads.map { KeptHead(epoch: $0.epoch, time: min($0.time, head.time)) } + [head]
    while kept.count > 2, kept[1].time <= head.time - window { kept.removeFirst() }
    return kept
  }

  /// Records that a head with these lists is durable. Segments that were taken since the head was written are not
  /// listed again.
  mutating func note(heads: [KeptHead], retired: [SegmentNumber: EpochNumber]) {
    self.heads = heads
    self.retired = retired.filter { epochs[$0.key.epoch]?.contains($0.key.index) == true }
    retiring.subtract(retired.keys)
    findDeletable()
  }

  /// The search tries a head's number with low bits cleared. It must find every kept head, because each may be the
  /// newest in a copy.
  private mutating func findDeletable() {
    guard let oldest = heads.first?.epoch else { return }
    let searched = Self.searched(for: heads.map(\.epoch))
    deletable = retired.filter { segment, died in died <= oldest && !searched.contains(segment) }
      .sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
  }

  /// How many more retired segments can be deleted once two more heads were written and no older one is kept.
  var countDeletableAfterTwoHeads: Int {
    let next = (1...2).map { EpochNumber(rawValue: highestEpoch.rawValue + $0) }
    let searched = Self.searched(for: next)
    return retired.keys.count { !searched.contains($0) } + retiring.count { !searched.contains($0) } - deletable.count
  }

  /// The heads that the search for one of these tries.
  private static func searched(for epochs: [EpochNumber]) -> Set<SegmentNumber> {
    var searched: Set<SegmentNumber> = []
    for epoch in epochs {
      for shift in 0..<UInt32(32) {
        let number = EpochNumber(rawValue: (epoch.rawValue >> shift) << shift)
        searched.insert(SegmentNumber(epoch: number, index: 0))
      }
    }
    return searched
  }

  /// Takes, of the segments that nothing needs, the one that died first, from an epoch before `limit` if there is a
  /// limit; nil if there is none. The segment does not become deletable again before the next head, unless it is
  /// removed.
  mutating func takeDead(before limit: EpochNumber? = nil) -> DeadSegment? {
    let index = limit.map { limit in deletable.firstIndex { $0.epoch < limit } } ?? deletable.indices.first
    return index.map { dead(deletable.remove(at: $0)) }
  }

  /// A segment that nothing needs, with its branch.
  func dead(_ number: SegmentNumber) -> DeadSegment {
    DeadSegment(number: number, branch: branch(of: number.epoch) ?? [])
  }

  /// Forgets a segment whose head was not completed. The number of its epoch is free again if it was the newest.
  mutating func withdraw(_ number: SegmentNumber) {
    remove([number])
    if epochs[number.epoch] == nil, number.epoch == highestEpoch {
      highestEpoch = EpochNumber(rawValue: number.epoch.rawValue - 1)
    }
  }

  /// Removes deleted segments.
  mutating func remove(_ segments: [SegmentNumber]) {
    let removed = Set(segments)
    deletable.removeAll { removed.contains($0) }
    for segment in segments {
      retired[segment] = nil
      epochs[segment.epoch]?.remove(segment.index)
      if epochs[segment.epoch]?.present == 0 { epochs[segment.epoch] = nil }
    }
  }
}

/// A retired segment that nothing needs.
struct DeadSegment {
  let number: SegmentNumber
  let branch: [UInt8]
}

extension EpochEntry {
  /// Whether the segment `index` exists.
  func contains(_ index: Int) -> Bool { present >> UInt64(index) & 1 == 1 }

  mutating func insert(_ index: Int) { present |= 1 << UInt64(index) }

  mutating func remove(_ index: Int) { present &= ~(1 << UInt64(index)) }

  /// The segments that exist, in order; `epoch` is the number of this entry's epoch.
  func segments(of epoch: EpochNumber) -> [SegmentNumber] {
    (0..<SegmentNumber.perEpoch).filter(contains).map { SegmentNumber(epoch: epoch, index: $0) }
  }
}
