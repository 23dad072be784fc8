internal import Glibc
internal import Storage

/// How far the log is durable, and the parts that are not flushed yet.
struct Durability {
  /// Segments whose bytes are not flushed.
  var unflushed: [OpenSegment] = []
  /// The most unflushed segments. If there are more, they are flushed before the next append, because each keeps a
  /// descriptor open: a process may have few, and a host that flushes slowly would use them all up. A third of the
  /// descriptors is for `SegmentCache`, the rest for other files.
  static let mostUnflushed = max(4, Int(sysconf(CInt(_SC_OPEN_MAX))) / 6)
  /// The names of segment files that a power cut may undo.
  var newNames: [SegmentIdentifier] = []
  /// Bytes appended since the last flush.
  var unflushedBytes = 0
  /// Everything before is durable.
  var flushedThrough: LogPosition
  /// Whether a flush is in flight. Callers that arrive during a flush share the next one.
  var isFlushing = false
  /// Segments of an earlier mount, which are completed and flushed before the first write.
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
