/// The keys by which answers can be sorted. The numbers are in cursors and never change.
package enum SortKey: UInt8, Sendable, CaseIterable {
  case time = 1
  case name, size, rating, duration

  /// The key of a word; nil if there is none.
  package init?(word: some StringProtocol) {
    guard let key = Self.allCases.first(where: { $0.word == word }) else { return nil }
    self = key
  }

  /// The word for it in commands and requests.
  package var word: String {
    switch self {
    case .time: "time"
    case .name: "name"
    case .size: "size"
    case .rating: "rating"
    case .duration: "duration"
    }
  }

  /// All words, for messages.
  package static var words: String { allCases.map(\.word).joined(separator: ", ") }
}

/// An order of answers. Items without the key come last in both directions; items with equal keys are ordered by
/// inode, in the same direction.
package struct SortOrder: Hashable, Sendable {
  package var key: SortKey
  package var isDescending: Bool

  /// Takes both.
  package init(_ key: SortKey, isDescending: Bool) {
    self.key = key
    self.isDescending = isDescending
  }

  /// The usual direction of a key: newest, largest, best and longest first, names from A to Z; `isTurned` reverses
  /// it.
  package init(_ key: SortKey, isTurned: Bool) { self.init(key, isDescending: (key != .name) != isTurned) }

  /// Newest first.
  package static let standard = SortOrder(.time, isDescending: true)
}

/// The value by which an item is sorted. Values of one key are compared only with each other.
package enum SortValue: Hashable, Sendable {
  case number(Int64, UInt32)
  case bytes([UInt8])

  static func < (one: SortValue, other: SortValue) -> Bool {
    switch (one, other) {
    case (.number(let high, let low), .number(let otherHigh, let otherLow)): (high, low) < (otherHigh, otherLow)
    case (.bytes(let bytes), .bytes(let other)): bytes.lexicographicallyPrecedes(other)
    case (.number, .bytes): true
    case (.bytes, .number): false
    }
  }
}

/// The position of an item in an order; it remains valid after the item was removed.
package struct SortPosition: Hashable, Sendable {
  /// Nil if the item lacks the value.
  package var value: SortValue?
  package var inode: UInt64

  /// Takes both.
  package init(value: SortValue?, inode: UInt64) {
    self.value = value
    self.inode = inode
  }

  /// Whether this position comes before another.
  package func precedes(_ other: SortPosition, in order: SortOrder) -> Bool {
    if value != other.value {
      guard let value else { return false }
      guard let otherValue = other.value else { return true }
      return order.isDescending ? otherValue < value : value < otherValue
    }
    return order.isDescending ? inode > other.inode : inode < other.inode
  }
}

extension SortOrder {
  /// The position of an item in this order.
  package func position(of item: MediaItem) -> SortPosition {
    let value: SortValue? =
      switch key {
      case .time: item.taken.map { .number($0.wall.seconds, $0.wall.nanoseconds) }
      case .name: item.names.map(\.path).min { $0.lexicographicallyPrecedes($1) }.map { .bytes($0) }
      case .size: .number(Int64(clamping: item.size), 0)
      case .rating: .number(Int64(item.words.rating ?? 0), 0)
      case .duration: item.video.duration.map { .number(Self.milliseconds($0), 0) }
      }
    return SortPosition(value: value, inode: item.inode)
  }

  /// Clamped; 0 for NaN.
  static func milliseconds(_ seconds: Double) -> Int64 {
    seconds.isNaN ? 0 : Int64(exactly: (min(max(seconds, -1e12), 1e12) * 1000).rounded()) ?? 0
  }
}
