// Invariants
// 1. For each segment: its row in `segment`, plus its delta here, is the sum of the lengths of the extents in it.
// 2. `undo` lists all changes of the deltas since the outermost savepoint began. Rolling back to a savepoint reverts
//    the changes after its mark, newest first.

internal import Vault

/// Changes of live bytes per segment that are not in the table `segment` yet.
struct LiveBytes {
  /// The change per segment since the last commit; never 0.
  private(set) var deltas: [SegmentNumber: Int64] = [:]
  private var undo: [(segment: SegmentNumber, change: Int64)] = []

  /// The current end of `undo`.
  var mark: Int { undo.count }

  /// Adds to the live bytes of a segment; `change` may be negative.
  mutating func add(_ change: Int64, to segment: SegmentNumber) {
    undo.append((segment, change))
    apply(change, to: segment)
  }

  /// Reverts all changes after `mark`.
  mutating func rollBack(to mark: Int) {
    while undo.count > mark, let last = undo.popLast() { apply(-last.change, to: last.segment) }
  }

  /// Clears `undo` after the last savepoint.
  mutating func keep() {
    undo.removeAll(keepingCapacity: undo.count <= 4096)
  }

  /// Clears everything, after the deltas were stored.
  mutating func clear() {
    deltas.removeAll(keepingCapacity: true)
    undo.removeAll(keepingCapacity: true)
  }

  private mutating func apply(_ change: Int64, to segment: SegmentNumber) {
    let sum = deltas[segment, default: 0] + change
    deltas[segment] = sum == 0 ? nil : sum
  }
}
