// Answers in another order keep places while all rows are looked at (CatalogSorting.swift): the more, the fewer times
// they look.
//
// Invariants
// 1. All that sort keep `all` parts at most, and each one more. A part is a sixteenth of what one of them can use.

internal import Synchronization

/// The memory of all answers that are sorted.
final class SortingRoom: Sendable {
  /// The parts that one can use.
  static let most = 16
  private static let all = 48
  private let free = Mutex(all)

  /// What one has until it ends.
  final class Share: Sendable {
    let parts: Int
    private let room: SortingRoom

    fileprivate init(_ parts: Int, of room: SortingRoom) { (self.parts, self.room) = (parts, room) }

    deinit { room.free.withLock { $0 += parts } }
  }

  /// Takes a share: half of what is left at most, so that there is some for those that come later; none if all have some.
  func share(_ wanted: Int) -> Share {
    Share(
      free.withLock { free in
        let parts = min(wanted, Self.most, free / 2)
        free -= parts
        return parts
      }, of: self)
  }
}
