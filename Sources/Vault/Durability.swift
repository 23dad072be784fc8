internal import Storage

/// What of the log is durable, and what has yet to become so.
struct Durability {
  /// Segments with bytes, or a name, that were not flushed.
  var unflushed: [OpenSegment] = []
  /// Bytes appended since the last flush.
  var unflushedBytes = 0
  /// Everything before is durable.
  var flushedThrough: LogPosition
  /// Whether a flush is in flight; callers that come meanwhile share the next one.
  var isFlushing = false
  /// What an earlier mount wrote, to be made durable and complete before the first write.
  var recovered: [SegmentIdentifier]
  /// Heads that a crash tore, to be completed once there is a newer head: until then a complete head that cannot be
  /// read is damage.
  var torn: [SegmentIdentifier]
  /// When to look for another writer's head again, on the monotonic clock.
  var nextLookForOthers: UInt64 = 0

  init(_ state: RecoveredState) {
    flushedThrough = state.end
    recovered = state.tail
    torn = state.torn
  }

  /// Notes bytes of a segment that were written.
  mutating func note(_ segment: OpenSegment, bytes: Int) {
    unflushedBytes += bytes
    if !unflushed.contains(where: { $0 === segment }) { unflushed.append(segment) }
  }
}

/// Leases on the newest heads: they keep other processes out of the space.
struct Leases {
  private var held: [any SegmentLease]
  /// Whether others were told that the leases end soon.
  private var endIsAnnounced = false

  init(_ held: [any SegmentLease]) { self.held = held }

  /// Takes the lease on the newest head, and lets those before the last two go.
  mutating func add(_ lease: any SegmentLease) {
    held.append(lease)
    if endIsAnnounced { lease.announceEnd() }
    if held.count > 2 { held.removeFirst() }
  }

  /// Tells whoever waits for the space that waiting is worth while.
  mutating func announceEnd() {
    endIsAnnounced = true
    for lease in held { lease.announceEnd() }
  }

  mutating func removeAll() { held.removeAll() }
}
