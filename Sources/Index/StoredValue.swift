internal import Vault

/// A value as SQLite stores it.
package enum StoredValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case bytes([UInt8])
  case text(String)
}

/// A type that can be a parameter of a statement. Numbers are stored by their bits.
protocol Storable {
  var stored: StoredValue { get }
}

extension Storable where Self: FixedWidthInteger {
  var stored: StoredValue { .integer(Int64(truncatingIfNeeded: self)) }
}

extension Storable where Self: RawRepresentable, RawValue: FixedWidthInteger {
  var stored: StoredValue { .integer(Int64(truncatingIfNeeded: rawValue)) }
}

extension Int64: Storable {}
extension UInt64: Storable {}
extension UInt32: Storable {}
extension UInt8: Storable {}
extension Int: Storable {}
extension InodeNumber: Storable {}
extension FileOffset: Storable {}
extension LogPosition: Storable {}
extension SegmentNumber: Storable {}
extension MediaRecord.State: Storable {}

extension [UInt8]: Storable {
  var stored: StoredValue { .bytes(self) }
}

extension FileName: Storable {
  var stored: StoredValue { .bytes(bytes) }
}

extension String: Storable {
  var stored: StoredValue { .text(self) }
}

extension Optional: Storable where Wrapped: Storable {
  var stored: StoredValue { self?.stored ?? .null }
}

// Keys that sort before every number in a table, even before numbers that only damage could have written.

extension InodeNumber {
  static let lowest = InodeNumber(rawValue: UInt64(bitPattern: .min))
}

extension SegmentNumber {
  static let lowest = SegmentNumber(rawValue: UInt64(bitPattern: .min))
}

extension FileOffset {
  static let lowest = FileOffset(rawValue: .min)
}
