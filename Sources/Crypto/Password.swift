// Invariants
// 1. A password opens the same space on every system, whether it is typed or read from a file: one password has one
//    normal form.
// 2. The work that a password takes depends only on the password, never on the space that it opens.

internal import CUTF8Proc

/// A password: any bytes, as they were typed.
package final class Password: Sendable {
  /// The bytes.
  package let bytes: SecretBytes

  /// A copy of bytes that the caller wipes.
  package init(copying bytes: UnsafeRawBufferPointer) { self.bytes = unsafe SecretBytes(copying: bytes) }

  /// A random password, which is never stored.
  package static func random() -> Password { Password(SecretBytes.random(count: 32)) }

  private init(_ bytes: SecretBytes) { self.bytes = bytes }

  /// Whether the password is empty.
  package var isEmpty: Bool { bytes.count == 0 }

  /// The form under which a new password is sealed: the text without a byte order mark at its beginning, in Unicode's
  /// form NFC (UAX #15). Keyboards of some systems give "ü" as one scalar, those of others as two. Bytes other than
  /// UTF-8 stay as they are.
  package var normalized: Password {
    let bytes = bytes
    return unsafe bytes.withUnsafeBytes { typed in
      let text = unsafe typed.starts(with: Self.byteOrderMark) ? typed[Self.byteOrderMark.count...] : typed[...]
      let start = unsafe UnsafeRawBufferPointer(rebasing: text)
      guard let composed = unsafe Self.composed(start) else { return self }
      return composed.equals(bytes) ? self : Password(composed)
    }
  }

  /// The forms under which a slot may be sealed: the bytes as they are, for passwords from before there was a normal
  /// form, and the normal form if it differs. Each form takes the work of a password.
  package var forms: [Password] {
    let normalized = normalized
    return normalized === self ? [self] : [self, normalized]
  }

  /// U+FEFF in UTF-8, which some editors write at the beginning of a file.
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
  private static let composing = utf8proc_option_t(UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)

  /// The same text in NFC; nil if it is not UTF-8.
  private static func composed(_ text: UnsafeRawBufferPointer) -> SecretBytes? {
    let start = unsafe text.assumingMemoryBound(to: UInt8.self).baseAddress
    guard let start = unsafe start else { return nil }
    // The buffer holds scalars first, and then bytes in their place.
    let room = unsafe utf8proc_decompose(start, text.count, nil, 0, composing)
    guard room >= 0 else { return nil }
    var length = 0
    let scratch = unsafe SecretBytes(count: (room + 1) * 4) { buffer in
      let scalars = unsafe buffer.assumingMemoryBound(to: Int32.self)
      length = unsafe utf8proc_decompose(start, text.count, scalars.baseAddress, room, composing)
      if length >= 0 { length = unsafe utf8proc_reencode(scalars.baseAddress, length, composing) }
    }
    guard length >= 0 else { return nil }
    return unsafe scratch.withUnsafeBytes { bytes in
      unsafe SecretBytes(copying: UnsafeRawBufferPointer(rebasing: bytes[..<length]))
    }
  }
}
