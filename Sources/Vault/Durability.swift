internal import Storage

/// How far the log is durable, and what is still to be flushed.
struct Durability {
  /// Segments whose bytes are not flushed.
  var unflushed: [OpenSegment] = []
  /// The names of segment files that a power cut may undo.
  var newNames: [SegmentIdentifier] = []
  /// Bytes appended since the last flush.
  var unflushedBytes = 0
  /// Everything before is durable.
  var flushedThrough: LogPosition
  /// Whether a flush is in flight. Callers that arrive meanwhile share the next one.
  var isFlushing = false
  /// Segments of an earlier mount. They are completed and flushed before the first write.
  var recovered: [SegmentIdentifier]
  /// Heads that a crash tore. They are completed once there is a newer head: before that, a full-length head that
  /// cannot be read would count as damage.
  var torn: [SegmentIdentifier]
  /// When to look for another writer's head again, on the monotonic clock.
  var nextLookForOthers: UInt64 = 0

  init(_ state: RecoveredState) {
    flushedThrough = state.end
    recovered = state.tail
    torn = state.torn
  }

  /// Records that bytes of a segment were written.
  mutating func note(_ segment: OpenSegment, bytes: Int) {
    unflushedBytes += bytes
    if !unflushed.contains(where: { $0.number == segment.number }) { unflushed.append(segment) }
  }
}

/// Leases on the newest heads: they keep other processes out of the space.
struct Leases {
  private var held: [any SegmentLease]
  /// Whether others were told that the leases end soon.
  private var endIsAnnounced = false

  init(_ held: [any SegmentLease]) { self.held = held }

  /// Adds the lease on the newest head. Only the last two are kept.
  mutating func add(_ lease: any SegmentLease) {
    held.append(lease)
    if endIsAnnounced { lease.announceEnd() }
    if held.count > 2 { held.removeFirst() }
  }

  /// Tells processes that want the space to wait: the leases end soon.
  mutating func announceEnd() {
    endIsAnnounced = true
    for lease in held { lease.announceEnd() }
  }

  mutating func removeAll() { held.removeAll() }
}
