/// Names as bytes that are compared as text.
enum TakeoutText {
  /// Most characters of a JSON's name without ".json".
  static let mostInSidecar = 46
  /// Most characters of a file's name without the number of a copy; ".json" makes the same number for a JSON.
  static let mostInName = 51

  /// Text that is equal for names that differ in case or in how accents are written only. Names that are no UTF-8 are
  /// equal to themselves only.
  static func folded(_ name: some Collection<UInt8>) -> String {
    if name.allSatisfy({ $0 < 0x80 }) {
      return String(decoding: name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
    if let text = String(validating: name, as: UTF8.self) { return text.lowercased() }
    var text = String.UnicodeScalarView([Unicode.Scalar(0)])
    for byte in name { text.append(Unicode.Scalar(byte)) }
    return String(text)
  }

  /// Folded, without spaces, and with one kind of apostrophe: for words of tables.
  static func word(_ name: some Collection<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    for scalar in folded(name).unicodeScalars where !scalar.properties.isWhitespace {
      text.append(scalar == "\u{2019}" ? "'" : scalar)
    }
    return String(text)
  }

  /// As Takeout writes a title as the name of a file.
  static func asFileName(_ title: [UInt8]) -> [UInt8] {
    let replaced = Array("\"%&'*/:<>?\\|".utf8)
    return title.map { $0 < 0x20 || replaced.contains($0) ? UInt8(ascii: "_") : $0 }
  }

  /// How long a name is, in the units that Takeout counts in (those of UTF-16), or bytes if it is no UTF-8.
  static func length(_ name: some Collection<UInt8>) -> Int {
    if name.allSatisfy({ $0 < 0x80 }) { return name.count }
    return String(validating: name, as: UTF8.self)?.utf16.count ?? name.count
  }

  /// The beginnings of a name that a cut after some characters may have left; none if it is not longer. Takeout counts
  /// in units of UTF-16, but other programs change how accents are written, so that scalars and characters are tried as
  /// well.
  static func cuts(_ name: some Collection<UInt8>, to most: Int) -> [[UInt8]] {
    guard most > 0, name.count > most else { return [] }
    guard !name.allSatisfy({ $0 < 0x80 }), let text = String(validating: name, as: UTF8.self) else {
      return [Array(name.prefix(most))]
    }
    var ends: [Int] = []
    var (bytes, units) = (0, 0)
    for scalar in text.unicodeScalars {
      let width = UTF16.width(scalar)
      // A pair that the cut goes through is left or taken.
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
