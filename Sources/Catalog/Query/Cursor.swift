internal import System

/// The end of a page of answers: the last item's position in the order. The server keeps no state for it, and it is
/// still valid after the item was removed.
package struct Cursor: Hashable, Sendable {
  package let order: SortOrder
  package let position: SortPosition

  /// Takes both.
  package init(order: SortOrder, position: SortPosition) {
    self.order = order
    self.position = position
  }
}

extension Cursor {
  /// The longest text; a path has at most 4096 bytes.
  static let mostBytes = 16_384

  /// Letters, digits and dots: the order, the inode, and the value, in hexadecimal digits.
  package var text: String {
    let letter = order.isDescending ? "d" : "a"
    let start = "1\(letter)\(order.key.rawValue).\(String(position.inode, radix: 16))"
    switch position.value {
    case nil: return start
    case .number(let high, let low):
      return start + ".n." + String(UInt64(bitPattern: high), radix: 16) + "." + String(low, radix: 16)
    case .bytes(let bytes):
      return start + ".b." + Hexadecimal.text(of: bytes)
    }
  }

  /// Reads a text; nil if `text` cannot have produced it.
  package init?(_ text: String) {
    guard text.utf8.count <= Self.mostBytes else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map(Array.init)
    guard parts.count >= 2, parts[0].count == 3, parts[0][0] == UInt8(ascii: "1"),
      parts[0][1] == UInt8(ascii: "a") || parts[0][1] == UInt8(ascii: "d"),
      let key = SortKey(rawValue: parts[0][2] &- 0x30), let inode = Self.number(parts[1])
    else { return nil }
    order = SortOrder(key, isDescending: parts[0][1] == UInt8(ascii: "d"))
    switch (parts.count, parts.dropFirst(2).first) {
    case (2, _): position = SortPosition(value: nil, inode: inode)
    case (5, [UInt8(ascii: "n")]) where key != .name:
      guard let high = Self.number(parts[3]), let low = Self.number(parts[4]).flatMap(UInt32.init(exactly:)) else {
        return nil
      }
      position = SortPosition(value: .number(Int64(bitPattern: high), low), inode: inode)
    case (4, [UInt8(ascii: "b")]) where key == .name:
      guard let bytes = Hexadecimal.bytes(of: parts[3]) else { return nil }
      position = SortPosition(value: .bytes(bytes), inode: inode)
    default: return nil
    }
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  /// Rejects leading zeros, so that each cursor has one text.
  private static func number(_ digits: [UInt8]) -> UInt64? {
    guard (1...16).contains(digits.count), digits.count == 1 || digits[0] != 0x30 else { return nil }
    var value: UInt64 = 0
    for byte in digits {
      guard let digit = digit(byte) else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }
}
