// Invariants
// 1. Shown text never moves the cursor, and never changes colours or the direction of text, whatever a name contains.

internal import CPlatform

/// Makes text safe for a terminal.
package enum TerminalText {
  /// The text of some bytes. Characters that would move the cursor or change the direction of text become escape
  /// sequences with a backslash; so do backslashes and bytes that are not UTF-8.
  package static func safe(_ bytes: some Sequence<UInt8>) -> String {
    var view = String.UnicodeScalarView()
    var decoder = UTF8()
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      var iterator = rest.makeIterator()
      guard case .scalarValue(let scalar) = decoder.decode(&iterator) else {
        decoder = UTF8()
        view.append(contentsOf: "\\x\(hexadecimal(UInt32(rest.removeFirst()), digits: 2))".unicodeScalars)
        continue
      }
      decoder = UTF8()
      rest = rest.dropFirst(UTF8.width(scalar))
      append(scalar, to: &view)
    }
    return String(view)
  }

  /// As `safe(_:)` for bytes.
  package static func safe(_ text: String) -> String { safe(text.utf8) }

  private static func append(_ scalar: Unicode.Scalar, to view: inout String.UnicodeScalarView) {
    switch (scalar, scalar.properties.generalCategory) {
    case ("\\", _): view.append(contentsOf: "\\\\".unicodeScalars)
    case ("\n", _): view.append(contentsOf: "\\n".unicodeScalars)
    case ("\t", _): view.append(contentsOf: "\\t".unicodeScalars)
    // The zero-width joiner builds emoji such as families and flags, and does not change the direction.
    case ("\u{200D}", _): view.append(scalar)
    case (_, .control) where scalar.value < 256:
      view.append(contentsOf: "\\x\(hexadecimal(scalar.value, digits: 2))".unicodeScalars)
    case (_, .control), (_, .format), (_, .lineSeparator), (_, .paragraphSeparator), (_, .unassigned),
      (_, .privateUse):
      view.append(contentsOf: "\\u{\(hexadecimal(scalar.value, digits: 1))}".unicodeScalars)
    default: view.append(scalar)
    }
  }

  private static func hexadecimal(_ value: UInt32, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
  }

  /// The number of columns that a character takes.
  package static func width(_ character: Character) -> Int {
    character.unicodeScalars.reduce(0) { max($0, Int(agonyfs_columns($1.value))) }
  }

  /// The number of columns that a text takes.
  package static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// Fits a text to exactly `columns` columns: cut, with "…" for the missing part, or padded with spaces.
  ///
  /// - Parameters:
  ///   - keepsEnd: whether to cut the beginning instead of the end.
  ///   - toTheRight: whether to pad on the left.
  package static func fitted(
    _ text: String, to columns: Int, keepsEnd: Bool = false, toTheRight: Bool = false
  ) -> String {
    let own = width(text)
    if own <= columns {
      let space = String(repeating: " ", count: columns - own)
      return toTheRight ? space + text : text + space
    }
    if columns < 1 { return "" }
    var kept: [Character] = []
    var used = 1
    for character in keepsEnd ? text.reversed() : Array(text) {
      let wide = width(character)
      if used + wide > columns { break }
      used += wide
      kept.append(character)
    }
    let space = String(repeating: " ", count: columns - used)
    return keepsEnd ? space + "…" + String(kept.reversed()) : String(kept) + "…" + space
  }
}
