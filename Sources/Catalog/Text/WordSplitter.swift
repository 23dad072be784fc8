/// Splits texts into words, for queries and the full-text index.
///
/// A word is a run of letters, digits and marks, folded. In scripts written without spaces each character is a word,
/// so that any sequence of them is found.
package enum WordSplitter {
  /// The longest word in scalars; the rest of a longer one is ignored.
  package static let mostScalars = 128

  /// The words of a text, in order.
  package static func words(of text: String) -> [String] {
    var words: [String] = []
    var word = String.UnicodeScalarView()
    var length = 0
    var isAlone = false
    func end() {
      if length > 0 { words.append(String(word)) }
      word = String.UnicodeScalarView()
      length = 0
      isAlone = false
    }
    for scalar in Folding.fold(text) {
      let role = role(of: scalar)
      switch role {
      case .none:
        end()
        continue
      case .part: if isAlone { end() }
      case .alone: end()
      // A mark belongs to the character before it, even one that stands alone.
      case .mark: if length == 0 { continue }
      }
      if length < mostScalars { word.append(scalar) }
      length += 1
      if role == .alone { isAlone = true }
    }
    end()
    return words
  }

  private enum Role {
    case none, part, alone, mark
  }

  private static func role(of scalar: Unicode.Scalar) -> Role {
    if scalar.value < 0x80 {
      return (0x30...0x39).contains(scalar.value) || (0x61...0x7A).contains(scalar.value) ? .part : .none
    }
    switch scalar.value {
    // Kana, Thai, Lao, Burmese and Khmer.
    case 0x3041...0x3096, 0x30A1...0x30FA, 0x30FC...0x30FE, 0x0E01...0x0EDF, 0x1000...0x109F, 0x1780...0x17DD:
      if !isMark(scalar) { return .alone }
    default: break
    }
    let properties = scalar.properties
    if properties.isIdeographic { return .alone }
    switch properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
      .letterNumber, .otherNumber:
      return .part
    case .nonspacingMark, .spacingMark, .enclosingMark: return .mark
    default: return .none
    }
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }
}
