// Which segment files a space has, and which of them it still needs.
//
// Invariants
// 1. `epochs` names every segment file of this space that may exist; only those are ever deleted.
// 2. A segment is needed, or given up since the newest head (`retiring`), or given up in a head (`retired`); never two of
//    these.
// 3. `heads` are the kept heads, oldest first: what they need is there.

/// The segment files of a space.
struct SegmentCatalog {
  private(set) var epochs: [EpochNumber: EpochEntry] = [:]
  private(set) var heads: [KeptHead] = []
  /// Segments that nothing needs, and the first head that does without them.
  private(set) var retired: [SegmentNumber: EpochNumber] = [:]
  /// Segments that nothing needs since the newest head was written.
  private(set) var retiring: Set<SegmentNumber> = []
  /// The highest epoch number that was ever used, torn heads included.
  private(set) var highestEpoch = EpochNumber(rawValue: 0)

  init(_ state: RecoveredState) {
    epochs = state.epochs
    heads = state.heads
    retired = state.retired
    retiring = state.leftover
    highestEpoch = state.highestEpoch
  }

  func branch(of epoch: EpochNumber) -> [UInt8]? { epochs[epoch]?.branch }

  /// All segments whose files may exist, in the order of the log.
  var segments: [SegmentNumber] {
    epochs.sorted { $0.key < $1.key }.flatMap { epoch, entry in entry.segments(of: epoch) }
  }

  /// Those that are not given up.
  var needed: [SegmentNumber] { segments.filter { retired[$0] == nil && !retiring.contains($0) } }

  var count: Int { epochs.values.reduce(0) { $0 + $1.present.nonzeroBitCount } }

  /// How many were given up and still exist.
  var retiredCount: Int { retired.count + retiring.count }

  /// Adds a segment whose file was just created.
  mutating func insert(_ number: SegmentNumber, branch: [UInt8]) {
    epochs[number.epoch, default: EpochEntry(branch: branch, present: 0)].insert(number.index)
    highestEpoch = max(highestEpoch, number.epoch)
  }

  /// Gives segments up, those that exist and are needed.
  mutating func retire(_ segments: [SegmentNumber]) {
    for segment in segments where retired[segment] == nil && epochs[segment.epoch]?.contains(segment.index) == true {
      retiring.insert(segment)
    }
  }

  /// Gives up what exists of an epoch whose head was not completed. The number of a file that exists stays used.
  mutating func abandon(_ epoch: EpochNumber) { retire(epochs[epoch]?.segments(of: epoch) ?? []) }

  /// What the head of `epoch` states as given up.
  func retired(asOf epoch: EpochNumber) -> [SegmentNumber: EpochNumber] {
    retiring.reduce(into: retired) { $0[$1] = epoch }
  }

  /// The heads that stay kept when `head` is added: the oldest goes only when the second-oldest is older than `window`,
  /// in seconds; the two newest always stay.
  func keptHeads(adding head: KeptHead, window: Int64) -> [KeptHead] {
    // A head from the future was written while the clock was wrong; it is kept as long as one of now.
    var kept = heads.map { KeptHead(epoch: $0.epoch, time: min($0.time, head.time)) } + [head]
    while kept.count > 2, kept[1].time <= head.time - window { kept.removeFirst() }
    return kept
  }

  /// Notes that a head which states `retired` and keeps `heads` is durable.
  mutating func note(heads: [KeptHead], retired: [SegmentNumber: EpochNumber]) {
    self.heads = heads
    self.retired = retired
    retiring.subtract(retired.keys)
  }

  /// Retired segments that no kept head needs, nor the search for one. A search goes to a head by its number with low
  /// bits cleared; not only to the newest, since in a copy another one may be the newest.
  var deletable: [SegmentNumber] {
    guard let oldest = heads.first?.epoch else { return [] }
    var searched: Set<UInt32> = []
    for head in heads {
      for shift in 0..<UInt32(32) { searched.insert((head.epoch.rawValue >> shift) << shift) }
    }
    return retired.filter { segment, died in
      died <= oldest && !(segment.index == 0 && searched.contains(segment.epoch.rawValue))
    }.map(\.key)
  }

  /// Notes that segments are deleted.
  mutating func remove(_ segments: [SegmentNumber]) {
    for segment in segments {
      retired[segment] = nil
      epochs[segment.epoch]?.remove(segment.index)
      if epochs[segment.epoch]?.present == 0 { epochs[segment.epoch] = nil }
    }
  }
}

extension EpochEntry {
  /// Whether the segment `index` exists.
  func contains(_ index: Int) -> Bool { present >> UInt64(index) & 1 == 1 }

  mutating func insert(_ index: Int) { present |= 1 << UInt64(index) }

  mutating func remove(_ index: Int) { present &= ~(1 << UInt64(index)) }

  /// The segments that exist, in order; `epoch` is the epoch that the entry is of.
  func segments(of epoch: EpochNumber) -> [SegmentNumber] {
    (0..<SegmentNumber.perEpoch).filter(contains).map { SegmentNumber(epoch: epoch, index: $0) }
  }
}
