// Invariants
// 1. Numbers are never reused: `nextInode` and `nextCookie` only grow, even when a savepoint is rolled back.
// 2. Counts (`inodeCount`, `liveBytes`, `unwrittenBytes`) are rolled back with the savepoint.

internal import Vault

/// Counters in memory. Each commit stores those that changed in `meta`, except the live and the unwritten bytes.
struct Counters: Equatable {
  var nextInode: UInt64 = InodeNumber.root.rawValue
  var nextCookie: UInt64 = 3
  var inodeCount: Int64 = 0
  /// Bytes of written extents.
  var liveBytes: Int64 = 0
  /// Bytes of unwritten extents.
  var unwrittenBytes: Int64 = 0
}

extension Counters {
  /// The keys of the counters in `meta`.
  static let keys = ["next_inode", "next_cookie", "inode_count"]

  /// The counters in the order of `keys`.
  var values: [Int64] {
    [Int64(bitPattern: nextInode), Int64(bitPattern: nextCookie), inodeCount]
  }

  /// Sets the counters in the order of `keys`.
  init(values: [Int64]) {
    nextInode = UInt64(bitPattern: values[0])
    nextCookie = UInt64(bitPattern: values[1])
    inodeCount = values[2]
  }

  /// The highest valid counter: with it, 2⁶² more numbers can follow.
  static let highest: UInt64 = 1 << 62

  /// Whether numbers can be added to the stored counters without overflow.
  var arePossible: Bool {
    (2...Self.highest).contains(nextInode) && (3...Self.highest).contains(nextCookie)
      && (0...Int64(Self.highest)).contains(inodeCount)
  }

  /// Restores the counts of an earlier state.
  mutating func goBack(to earlier: Counters) {
    inodeCount = earlier.inodeCount
    liveBytes = earlier.liveBytes
    unwrittenBytes = earlier.unwrittenBytes
  }
}
