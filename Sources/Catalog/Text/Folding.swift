// Invariants
// 1. Canonically equivalent texts fold to the same scalars, so that names from a Mac are found.
// 2. Folding a folded text changes nothing.

/// Removes case and diacritics, for comparisons: "Éire" and "eire" fold to the same text, and so do "ö" and "o".
package enum Folding {
  /// The folded scalars of a text.
  package static func fold(_ text: String) -> [Unicode.Scalar] {
    var folded: [Unicode.Scalar] = []
    folded.reserveCapacity(text.utf8.count)
    var hasMarks = false
    for scalar in text.unicodeScalars {
      if scalar.value < 0x80 {
        folded.append((0x41...0x5A).contains(scalar.value) ? lowered(scalar) : scalar)
      } else {
        appendOther(scalar, to: &folded, hasMarks: &hasMarks)
      }
    }
    if hasMarks { order(&folded) }
    return folded
  }

  /// The folded text.
  package static func folded(_ text: String) -> String {
    String(String.UnicodeScalarView(fold(text)))
  }

  private static func lowered(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value) + 0x20)
  }

  private static func appendOther(_ scalar: Unicode.Scalar, to folded: inout [Unicode.Scalar], hasMarks: inout Bool) {
    if FoldingTable.isDropped(scalar.value) { return }
    if (0xAC00...0xD7A3).contains(scalar.value) {
      appendHangul(scalar.value - 0xAC00, to: &folded)
    } else if let known = FoldingTable.folded[scalar.value] {
      folded.append(contentsOf: known)
      // A letter and a mark that stays, such as "か" with its voicing mark.
      if known.count > 1 { hasMarks = true }
    } else {
      let properties = scalar.properties
      if properties.canonicalCombiningClass != .notReordered { hasMarks = true }
      if properties.changesWhenLowercased {
        for lower in properties.lowercaseMapping.unicodeScalars where !FoldingTable.isDropped(lower.value) {
          folded.append(lower)
        }
      } else {
        folded.append(scalar)
      }
    }
  }

  /// A syllable is one scalar, or two or three letters; macOS writes the letters.
  private static func appendHangul(_ index: UInt32, to folded: inout [Unicode.Scalar]) {
    let letters = [0x1100 + index / 588, 0x1161 + index % 588 / 28, 0x11A7 + index % 28]
    for letter in letters where letter != 0x11A7 {
      if let scalar = Unicode.Scalar(letter) { folded.append(scalar) }
    }
  }

  /// Sorts the marks on a letter into Unicode's canonical order.
  private static func order(_ scalars: inout [Unicode.Scalar]) {
    var start = 0
    while start < scalars.count {
      guard scalars[start].properties.canonicalCombiningClass != .notReordered else {
        start += 1
        continue
      }
      let end =
        scalars[start...].firstIndex { $0.properties.canonicalCombiningClass == .notReordered } ?? scalars.count
      if end - start > 1 {
        let sorted = scalars[start..<end].enumerated().sorted { one, other in
          let classes = (
            one.element.properties.canonicalCombiningClass, other.element.properties.canonicalCombiningClass
          )
          return (classes.0.rawValue, one.offset) < (classes.1.rawValue, other.offset)
        }
        scalars.replaceSubrange(start..<end, with: sorted.map(\.element))
      }
      start = end
    }
  }
}

/// White space at the ends of texts.
package enum Whitespace {
  /// The text without white space and control characters at both ends.
  package static func trimmed(_ text: String) -> String {
    func counts(_ scalar: Unicode.Scalar) -> Bool {
      !(scalar.properties.isWhitespace || scalar.properties.generalCategory == .control)
    }
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: counts), let last = scalars.lastIndex(where: counts) else { return "" }
    return String(scalars[first...last])
  }
}
