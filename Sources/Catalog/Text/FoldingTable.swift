// The tables were made from Unicode 14, so that a newer toolchain does not change the texts that an index has stored.
//
// A line is the first scalar of a run in hexadecimal, then the replacement of each scalar of the run, separated by
// spaces. "=" means no replacement. A line that begins with more spaces continues the run before it.

/// The replacements of letters without case and diacritics.
enum FoldingTable {
  /// Scalars that neither plain lower-casing nor the removal of marks folds.
  static let folded: [UInt32: String.UnicodeScalarView] = {
    var table: [UInt32: String.UnicodeScalarView] = [:]
    for text in [alphabets, ideographs] {
      var next: UInt32 = 0
      // By scalars: a mark forms one character with the space before it.
      for line in text.unicodeScalars.split(separator: "\n") {
        var words = line.split(separator: " ")[...]
        if line.first != " ", let first = words.popFirst() {
          guard let start = UInt32(String(first), radix: 16) else { preconditionFailure("the table is a constant") }
          next = start
        }
        for word in words {
          if !word.elementsEqual(["="]) { table[next] = String.UnicodeScalarView(word) }
          next += 1
        }
      }
    }
    return table
  }()

  /// Whether a mark is often left out in casual writing: accents, the points of Hebrew and the vowels of Arabic.
  /// Marks of other scripts make different letters, and stay.
  static func isDropped(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x300...0x36F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F, 0x591...0x5BD, 0x5BF, 0x5C1,
      0x5C2, 0x5C4, 0x5C5, 0x5C7, 0x64B...0x65F, 0x670:
      true
    default: false
    }
  }
}
