/// The number of an inode of a space. Never reused; the root directory is 1.
package struct InodeNumber: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number itself.
  package let rawValue: UInt64
  /// Wraps a number.
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }
  /// The root directory of a space.
  package static let root = InodeNumber(rawValue: 1)
  /// Orders by number.
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A byte offset in the plaintext of a file.
package struct FileOffset: RawRepresentable, Hashable, Comparable, Sendable {
  /// Bytes from the start of the file.
  package let rawValue: Int64
  /// Wraps an offset in bytes.
  @inlinable package init(rawValue: Int64) { self.rawValue = rawValue }
  /// Wraps an offset in bytes.
  @inlinable package init(_ value: Int) { self.rawValue = Int64(value) }
  /// The start of a file.
  package static let zero = FileOffset(rawValue: 0)
  /// Orders by offset.
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  /// The offset `distance` bytes further on.
  @inlinable package static func + (left: Self, distance: Int) -> Self {
    Self(rawValue: left.rawValue + Int64(distance))
  }
  /// The distance between two offsets in bytes.
  @inlinable package static func - (left: Self, right: Self) -> Int { Int(left.rawValue - right.rawValue) }
}

/// The number of a database page, counted from 1 as SQLite does.
package struct PageNumber: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number itself.
  package let rawValue: UInt32
  /// Wraps a number.
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Orders by number.
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The number of an epoch of a space's log, counted from 1.
package struct EpochNumber: RawRepresentable, Hashable, Comparable, Sendable {
  /// The highest number: with it, a log position still fits a signed 64-bit integer. Adding 1 to a number cannot
  /// overflow.
  static let highest = EpochNumber(rawValue: 1 << 31 - 1)
  /// The number itself; at most 2³¹ − 1.
  package let rawValue: UInt32
  /// Wraps a number.
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }
  /// Orders by age.
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The number of a segment in a space's log: the epoch shifted left by 6, plus the segment's index in the epoch, 0 to
/// 63.
package struct SegmentNumber: RawRepresentable, Hashable, Comparable, Sendable {
  /// The most segments in one epoch.
  package static let perEpoch = 64
  /// Epoch and index in one number.
  package let rawValue: UInt64
  /// Wraps a number.
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }
  /// The segment `index` of `epoch`.
  @inlinable package init(epoch: EpochNumber, index: Int) {
    rawValue = UInt64(epoch.rawValue) << 6 | UInt64(index)
  }
  /// The epoch that the segment belongs to. A number that no segment can have gives an epoch that does not exist.
  @inlinable package var epoch: EpochNumber { EpochNumber(rawValue: UInt32(clamping: rawValue >> 6)) }
  /// The segment's index in its epoch; 0 is the head.
  @inlinable package var index: Int { Int(rawValue & 63) }
  /// Orders by place in the log.
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// The place of a record in a space's log: the segment number shifted left by 26, plus the byte offset in the segment.
package struct LogPosition: RawRepresentable, Hashable, Comparable, Sendable {
  /// Segment and offset in one number; fits a signed 64-bit integer.
  package let rawValue: UInt64
  /// Wraps a number.
  @inlinable package init(rawValue: UInt64) { self.rawValue = rawValue }
  /// The byte `offset` of `segment`.
  @inlinable package init(segment: SegmentNumber, offset: Int) {
    rawValue = segment.rawValue << 26 | UInt64(offset)
  }
  /// The segment.
  @inlinable package var segment: SegmentNumber { SegmentNumber(rawValue: rawValue >> 26) }
  /// The byte offset in the segment (ciphertext).
  @inlinable package var offset: Int { Int(rawValue & 0x3FF_FFFF) }
  /// Orders by place in the log.
  @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
