/// The name of an object, below the prefix of a `StoreAddress`.
///
/// A key has 1 to `mostBytes` ASCII letters, digits and `-._/`. No part between slashes is empty, `.` or `..`, because
/// engines and proxies shorten such paths in different ways, and the signature covers the path.
package struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Most bytes of a key. With a prefix of the same length it still fits into the 1,024 bytes that S3 allows.
  package static let mostBytes = 511

  /// The key as text.
  package let text: String

  /// A key; nil if the text is not one.
  package init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard (1...Self.mostBytes).contains(bytes.count), bytes.allSatisfy(Self.isAllowed) else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    let dot = UInt8(ascii: ".")
    guard parts.allSatisfy({ !$0.isEmpty && !$0.elementsEqual([dot]) && !$0.elementsEqual([dot, dot]) }) else {
      return nil
    }
    self.text = String(text)
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "/"):
      true
    default: false
    }
  }

  /// The order in which stores list keys: that of their bytes.
  package static func < (one: ObjectKey, other: ObjectKey) -> Bool {
    one.text.utf8.lexicographicallyPrecedes(other.text.utf8)
  }

  package var description: String { text }
}
