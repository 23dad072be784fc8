// Invariants
// 1. What people type and what a file says opens the same space on every system: one password has one normal form.
// 2. The work that a password takes depends on the password alone, never on what it opens.

internal import CUTF8Proc

/// A password: any bytes, as they were typed.
package final class Password: Sendable {
  /// The bytes.
  package let bytes: SecretBytes

  /// A copy of bytes that the caller wipes.
  package init(copying bytes: UnsafeRawBufferPointer) { self.bytes = unsafe SecretBytes(copying: bytes) }

  /// A password that nobody knows.
  package static func random() -> Password { Password(SecretBytes.random(count: 32)) }

  private init(_ bytes: SecretBytes) { self.bytes = bytes }

  /// Whether nothing was typed.
  package var isEmpty: Bool { bytes.count == 0 }

  /// What a new password is sealed under: the text without a byte order mark at its beginning, in Unicode's form NFC (UAX
  /// #15). Keyboards of one system give "ü" as one scalar, those of another as two. Bytes that are no UTF-8 stay as they are.
  package var normalized: Password {
    let bytes = bytes
    return unsafe bytes.withUnsafeBytes { typed in
      let text = unsafe typed.starts(with: Self.byteOrderMark) ? typed[Self.byteOrderMark.count...] : typed[...]
      let start = unsafe UnsafeRawBufferPointer(rebasing: text)
      guard let composed = unsafe Self.composed(start) else { return self }
      return composed.equals(bytes) ? self : Password(composed)
    }
  }

  /// What may have been sealed: the bytes as they are, which passwords from before there was a normal form are sealed under,
  /// and the normal form if that is another. Each takes the work of a password.
  package var forms: [Password] {
    let normalized = normalized
    return normalized === self ? [self] : [self, normalized]
  }

  /// U+FEFF in UTF-8, which some editors write at the beginning of a file.
  private static let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
  private static let composing = utf8proc_option_t(UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)

  /// The same text in NFC; nil if it is no UTF-8.
  private static func composed(_ text: UnsafeRawBufferPointer) -> SecretBytes? {
    let start = unsafe text.assumingMemoryBound(to: UInt8.self).baseAddress
    guard let start = unsafe start else { return nil }
    // Scalars, and then bytes in their place.
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
