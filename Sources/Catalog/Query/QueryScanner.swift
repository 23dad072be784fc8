// Invariants
// 1. `place` is the index of a scalar, or their count at the end. It never decreases.

/// Splits a query into its characters and parts.
struct QueryScanner {
  let scalars: [Unicode.Scalar]
  /// The byte at which each scalar begins, and finally the number of all bytes.
  let offsets: [Int]
  private(set) var place = 0

  init(_ bytes: [UInt8]) throws(QueryError) {
    var scalars: [Unicode.Scalar] = []
    var offsets: [Int] = []
    var offset = 0
    var parser = Unicode.UTF8.ForwardParser()
    var rest = bytes.makeIterator()
    while true {
      switch parser.parseScalar(from: &rest) {
      case .emptyInput:
        offsets.append(offset)
        self.scalars = scalars
        self.offsets = offsets
        return
      case .error(let length): throw QueryError("These bytes are not UTF-8", at: offset..<offset + length)
      case .valid(let encoded):
        offsets.append(offset)
        scalars.append(Unicode.UTF8.decode(encoded))
        offset += encoded.count
      }
    }
  }

  var isAtEnd: Bool { place == scalars.count }
  /// The byte at the scanner's place.
  var offset: Int { offsets[place] }
  var next: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

  func scalar(ahead count: Int) -> Unicode.Scalar? { place + count < scalars.count ? scalars[place + count] : nil }

  static func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace }

  /// Phones and word processors replace a plain quotation mark by these.
  static func isQuote(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\"" || scalar == "\u{201C}" || scalar == "\u{201D}" || scalar == "\u{201E}"
  }

  /// Whether a scalar ends a text outside of quotes.
  static func isBoundary(_ scalar: Unicode.Scalar) -> Bool {
    isSpace(scalar) || scalar == "(" || scalar == ")" || scalar == "|"
  }

  mutating func skipSpace() { while let scalar = next, Self.isSpace(scalar) { place += 1 } }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard next == scalar else { return false }
    place += 1
    return true
  }

  /// The word before a colon, this many characters ahead: everything up to the first colon, unless a quote, a space
  /// or another mark comes before it.
  func wordBeforeColon(ahead: Int = 0) -> String? {
    var end = place + ahead
    while end < scalars.count, scalars[end] != ":" {
      if Self.isBoundary(scalars[end]) || Self.isQuote(scalars[end]) || scalars[end] == "*" { return nil }
      end += 1
    }
    guard end < scalars.count, place + ahead <= end else { return nil }
    return String(String.UnicodeScalarView(scalars[(place + ahead)..<end]))
  }

  /// Skips a word returned by `wordBeforeColon`, and its colon; returns the byte range of the word.
  mutating func skipField(_ word: String) -> Range<Int> {
    let start = offset
    place += word.unicodeScalars.count
    let end = offset
    place += 1
    return start..<end
  }

  /// A text up to a space, a bar or a parenthesis. Parts of it may be quoted.
  mutating func text() throws(QueryError) -> QueryText {
    let start = offset
    var elements: [QueryText.Element] = []
    while let scalar = next, !Self.isBoundary(scalar) {
      if Self.isQuote(scalar) {
        try quoted(into: &elements)
      } else {
        elements.append(.init(scalar: scalar, range: offset..<offsets[place + 1], isQuoted: false))
        place += 1
      }
    }
    if next == "(" {
      throw QueryError(
        "A parenthesis needs a space before it, or quotes if it belongs to the text", at: offset..<offset + 1)
    }
    return QueryText(elements: elements[...], range: start..<offset)
  }

  private mutating func quoted(into elements: inout [QueryText.Element]) throws(QueryError) {
    let start = place
    place += 1
    while let scalar = next {
      let first = offset
      place += 1
      if Self.isQuote(scalar) { return }
      var meant = scalar
      if scalar == "\\", let escaped = next {
        guard escaped == "\\" || Self.isQuote(escaped) else {
          throw QueryError("In quotes, a backslash must come before a quote or a backslash", at: first..<offset)
        }
        meant = escaped
        place += 1
      }
      elements.append(.init(scalar: meant, range: first..<offset, isQuoted: true))
    }
    throw QueryError("This quote has no end", at: offsets[start]..<offsets[start + 1])
  }
}
