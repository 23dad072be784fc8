// Invariants
// 1. `list` returns the fields that `value` wrote.
// 2. `list` returns the same fields for the bytes of a value and for the text that they decode to: the row is made
//    from the text, and answers from the bytes.

/// A text under a name chosen by the user, for facts that fit no other field: a customer's number, an approval.
///
/// The fields of a photo are one extended attribute, with a line for each: `customer=4711`. In queries the name is
/// `x.customer`.
package struct OwnField: Hashable, Sendable {
  /// Most fields of a photo.
  package static let mostCount = 32
  /// Most bytes of a photo's fields in their stored form.
  package static let mostBytes = 4096
  /// Most bytes of a name.
  package static let mostNameBytes = 64

  package let name: String
  /// One line, not empty, without white space at its ends.
  package let text: String

  /// Nil if the name is invalid, or the text is empty or has several lines.
  package init?(name: String, text: String) {
    let text = Whitespace.trimmed(text)
    guard Self.isName(name), !text.isEmpty, !text.utf8.contains(0x0A) else { return nil }
    self.name = name
    self.text = text
  }

  /// The folded name: names with the same key mean the same field.
  package var key: String { Folding.folded(name) }

  /// Whether a text can be a name: letters, digits, hyphens and underscores.
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= mostNameBytes
      && text.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .nonspacingMark,
          .spacingMark, .decimalNumber:
          true
        default: scalar == "-" || scalar == "_"
        }
      }
  }

  /// Whether a word begins like the name of a user-defined field.
  package static func begins(_ word: String) -> Bool { word.hasPrefix("x.") || word.hasPrefix("X.") }

  /// The name in `x.NAME`; nil if it is not valid.
  package static func name(in word: String) -> String? {
    guard begins(word) else { return nil }
    let name = String(word.dropFirst(2))
    return isName(name) ? name : nil
  }
}

extension OwnField {
  /// The fields in the value of an attribute. Malformed lines and fields beyond the bounds are ignored.
  package static func list(in value: [UInt8]) -> [OwnField] {
    var fields: [OwnField] = []
    var known: Set<String> = []
    var room = mostBytes + 1
    for line in value.split(separator: 0x0A) {
      guard let mark = line.firstIndex(of: 0x3D),
        let field = OwnField(
          name: Whitespace.trimmed(String(decoding: line[..<mark], as: UTF8.self)),
          text: String(decoding: line[(mark + 1)...], as: UTF8.self)),
        known.insert(field.key).inserted
      else { continue }
      // Bytes that are not UTF-8 count with the length of their decoded text.
      room -= field.line.utf8.count + 1
      guard room >= 0, fields.count < mostCount else { break }
      fields.append(field)
    }
    return fields
  }

  /// The value of the attribute, sorted by name.
  package static func value(_ fields: [OwnField]) -> [UInt8] {
    Array(fields.map(\.line).sorted().joined(separator: "\n").utf8)
  }

  /// The stored form: `customer=4711`.
  package var line: String { name + "=" + text }
}
