// Invariants
// 1. For each segment: its row in `segment` plus the delta here is the sum of the lengths of the extents that point into it.
// 2. `undo` lists all changes of the deltas since the outermost open savepoint began; rolling back to a savepoint takes back those
//    after its mark, newest first.

internal import Vault

/// Changes of live bytes per segment that are not in the `segment` table yet.
struct LiveBytes {
  /// Change per segment since the last commit; never 0.
  private(set) var deltas: [SegmentNumber: Int64] = [:]
  private var undo: [(segment: SegmentNumber, change: Int64)] = []

  /// Where `undo` is now.
  var mark: Int { undo.count }

  /// Notes that `change` bytes in `segment` came alive, or died when negative.
  mutating func add(_ change: Int64, to segment: SegmentNumber) {
    undo.append((segment, change))
    apply(change, to: segment)
  }

  /// Takes back what was added after `mark`.
  mutating func rollBack(to mark: Int) {
    while undo.count > mark, let last = undo.popLast() { apply(-last.change, to: last.segment) }
  }

  /// Forgets how to go back, when no savepoint is open any more.
  mutating func keep() {
    undo.removeAll(keepingCapacity: undo.count <= 4096)
  }

  /// Starts anew, after the deltas were stored.
  mutating func clear() {
    deltas.removeAll(keepingCapacity: true)
    undo.removeAll(keepingCapacity: true)
  }

  private mutating func apply(_ change: Int64, to segment: SegmentNumber) {
    let sum = deltas[segment, default: 0] + change
    deltas[segment] = sum == 0 ? nil : sum
  }
}
