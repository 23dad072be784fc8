// Answers in another order than time are sorted while all rows are looked at (CatalogSorting.swift). The more places
// fit into memory, the fewer passes over the rows are needed.
//
// Invariants
// 1. All sorted answers together have at most `all` parts, plus one small allowance each. An answer can use up to
//    `most` parts.

internal import Synchronization

/// The memory of all answers that are being sorted.
final class SortingRoom: Sendable {
  /// The parts that one answer can use.
  static let most = 16
  private static let all = 32
  private let free = Mutex(all)

  /// The parts of one answer, until it ends.
  final class Share: Sendable {
    let parts: Int
    private let room: SortingRoom

    fileprivate init(_ parts: Int, of room: SortingRoom) { (self.parts, self.room) = (parts, room) }

    deinit { room.free.withLock { $0 += parts } }
  }

  /// Takes a share, at most half of the free parts, so that later answers get some; none if too few are free.
  func share(_ wanted: Int) -> Share {
    Share(
      free.withLock { free in
        let parts = min(wanted, Self.most, free / 2)
        free -= parts
        return parts
      }, of: self)
  }
}
