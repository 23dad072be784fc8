// The names in views.
//
// Invariants
// 1. A link has the name of its photo. If several photos of a directory have that name, or if the name looks like one
//    with an inode, the inode is put before the extension: "IMG_1~57.jpg". So two links of a directory never have the
//    same name, whatever their photos are called.
// 2. The text can be recovered from a directory's name: "/" and "%" are escaped, as are NUL and a dot at the
//    beginning. A name that would be too long is cut, and ends with "~" and its number.
// 3. Every name here is a valid file name.

internal import Index
internal import System
internal import Vault

enum ViewName {
  private static let tilde: UInt8 = 0x7E
  private static let dot: UInt8 = 0x2E
  /// The longest extension in bytes, with its dot.
  private static let longestEnding = 16

  // MARK: Links

  /// A name with the inode before its extension.
  static func marked(_ name: FileName, with inode: InodeNumber) -> FileName? {
    let bytes = name.bytes
    var end = bytes.lastIndex(of: dot) ?? 0
    if end == 0 || bytes.count - end > longestEnding || bytes[end...].contains(tilde) { end = bytes.count }
    let mark = [tilde] + Array(String(inode.rawValue).utf8)
    let stem = cut(bytes[..<end], to: FileName.maximumLength - mark.count - (bytes.count - end))
    return FileName(stem + mark + bytes[end...])
  }

  /// The inode in a name made by `marked`.
  static func inode(in name: FileName) -> InodeNumber? {
    guard let start = name.bytes.lastIndex(of: tilde) else { return nil }
    let rest = name.bytes[(start + 1)...]
    return number(rest.firstIndex(of: dot).map { rest[..<$0] } ?? rest).map { InodeNumber(rawValue: $0) }
  }

  /// A decimal number of at least 1, without leading zeros.
  static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
    guard let first = digits.first, first != 0x30, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt64(String(decoding: digits, as: UTF8.self))
  }

  /// The longest prefix that has at most `limit` bytes and does not end inside a character.
  private static func cut(_ bytes: ArraySlice<UInt8>, to limit: Int) -> ArraySlice<UInt8> {
    guard bytes.count > limit else { return bytes }
    var end = bytes.startIndex + limit
    for _ in 0..<3 where end > bytes.startIndex && bytes[end] & 0xC0 == 0x80 { end -= 1 }
    // Bytes that are not UTF-8 are cut anywhere.
    if bytes[end] & 0xC0 == 0x80 { end = bytes.startIndex + limit }
    return bytes[..<end]
  }

  // MARK: Directories

  /// The name of the directory for a text; `number` distinguishes texts that are too long for a name.
  static func folder(_ text: String, number: UInt64) -> FileName? {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0, 0x25, 0x2F: bytes += escaped(byte)
      case dot where bytes.isEmpty: bytes += escaped(byte)
      default: bytes.append(byte)
      }
      // A text may be far longer than any name.
      if bytes.count > 2 * FileName.maximumLength { break }
    }
    if bytes.count <= FileName.maximumLength { return FileName(bytes) }
    let mark = [tilde] + Array(String(number).utf8)
    return FileName(cut(bytes[...], to: FileName.maximumLength - mark.count) + mark)
  }

  private static func escaped(_ byte: UInt8) -> [UInt8] { [0x25] + Hexadecimal.digits(of: [byte], isUppercase: true) }

  /// The byte in two hexadecimal digits.
  private static func value(ofDigits digits: ArraySlice<UInt8>) -> UInt8? {
    let digits = String(decoding: digits, as: UTF8.self)
    guard digits.count == 2, digits.allSatisfy(\.isHexDigit) else { return nil }
    return UInt8(digits, radix: 16)
  }

  /// The text of a directory's name, in which "%" without two hexadecimal digits stands for itself; nil if it is not
  /// UTF-8.
  static func text(of name: FileName) -> String? {
    var bytes: [UInt8] = []
    var rest = name.bytes[...]
    while let byte = rest.popFirst() {
      if byte == 0x25, let escaped = value(ofDigits: rest.prefix(2)) {
        bytes.append(escaped)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// The number at the end of a directory name that was cut.
  static func number(ofCut name: FileName) -> UInt64? {
    name.bytes.lastIndex(of: tilde).flatMap { number(name.bytes[($0 + 1)...]) }
  }
}
