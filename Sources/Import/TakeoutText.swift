/// Comparing names, which are bytes, as text.
enum TakeoutText {
  /// The most characters of a JSON's name without ".json".
  static let mostInSidecar = 46
  /// The most characters of a file's name without the number of a copy; with ".json" a JSON's name has the same limit.
  static let mostInName = 51

  /// The text of a name in a form in which names are equal if they differ only in case or in the encoding of accents. A
  /// name that is not UTF-8 equals only itself.
  static func folded(_ name: some Collection<UInt8>) -> String {
    if name.allSatisfy({ $0 < 0x80 }) {
      return String(decoding: name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
    if let text = String(validating: name, as: UTF8.self) { return text.lowercased() }
    var text = String.UnicodeScalarView([Unicode.Scalar(0)])
    for byte in name { text.append(Unicode.Scalar(byte)) }
    return String(text)
  }

  /// The folded text without spaces and with one kind of apostrophe, to look up words of the tables.
  static func word(_ name: some Collection<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for scalar in folded(name).unicodeScalars where !scalar.properties.isWhitespace {
      text.append(scalar == "\u{2019}" ? "'" : scalar)
    }
    return String(text)
  }

  /// The file name that Takeout makes from a title.
  static func asFileName(_ title: [UInt8]) -> [UInt8] {
    let replaced = Array("\"%&'*/:<>?\\|".utf8)
    return title.map { $0 < 0x20 || replaced.contains($0) ? UInt8(ascii: "_") : $0 }
  }

  /// The length of a name in UTF-16 units, which Takeout counts, or in bytes if it is not UTF-8.
  static func length(_ name: some Collection<UInt8>) -> Int {
    if name.allSatisfy({ $0 < 0x80 }) { return name.count }
    return String(validating: name, as: UTF8.self)?.utf16.count ?? name.count
  }

  /// The beginnings that may be left of a name that was cut to `most` characters; none if it is not longer. Takeout
  /// counts UTF-16 units, but other programs change the encoding of accents, so cuts by scalars and by characters are
  /// included.
  static func cuts(_ name: some Collection<UInt8>, to most: Int) -> [[UInt8]] {
    guard most > 0, name.count > most else { return [] }
    guard !name.allSatisfy({ $0 < 0x80 }), let text = String(validating: name, as: UTF8.self) else {
      return [Array(name.prefix(most))]
    }
    var ends: [Int] = []
    var (bytes, units) = (0, 0)
    for scalar in text.unicodeScalars {
      let width = UTF16.width(scalar)
      // The cut may drop or keep a surrogate pair that it would split.
      if units <= most, units + width > most {
        ends.append(bytes)
        if units < most { ends.append(bytes + UTF8.width(scalar)) }
      }
      units += width
      bytes += UTF8.width(scalar)
    }
    if text.unicodeScalars.count > most {
      ends.append(text.unicodeScalars.prefix(most).reduce(0) { $0 + UTF8.width($1) })
    }
    if text.count > most { ends.append(text.prefix(most).utf8.count) }
    var found: [[UInt8]] = []
    for end in ends where end < name.count && !found.contains(where: { $0.count == end }) {
      found.append(Array(name.prefix(end)))
    }
    return found
  }
}
