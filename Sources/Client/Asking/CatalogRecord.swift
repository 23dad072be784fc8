package import Catalog
internal import System

/// The facts of one photo, as the catalog gives them.
package struct CatalogRecord {
  /// All fields, in their order.
  package let facts: JSONValue
  /// The bytes of its path in the space.
  package let path: [UInt8]
  /// The bytes of all its paths, if it has several.
  package let names: [[UInt8]]

  /// Parses a line of JSON.
  ///
  /// - Throws: `AnswerFailure` if the line is not a photo.
  package init(_ line: some Sequence<UInt8>) throws {
    guard let facts = try? JSONReader.value(of: Array(line)), let record = Self(facts) else {
      throw AnswerReader.unknownAnswer
    }
    self = record
  }

  /// The photo with these fields; nil if they lack a path.
  package init?(_ facts: JSONValue) {
    guard let path = Self.path(in: facts) else { return nil }
    self.facts = facts
    self.path = path
    names = Self.paths(in: facts, named: "names")
  }

  /// The bytes of all paths in a field.
  package static func paths(in facts: JSONValue, named name: String) -> [[UInt8]] {
    let hidden = facts[name + "Bytes"]?.elements.map { $0.text.flatMap { Hexadecimal.bytes(of: $0.utf8) } } ?? []
    return (facts[name]?.elements ?? []).enumerated().map { index, path in
      let bytes = index < hidden.count ? hidden[index] : nil
      return bytes ?? Array((path.text ?? "").utf8)
    }
  }

  /// The bytes of a path in a field; those of the field with the suffix `Bytes` if the path is not UTF-8.
  package static func path(in facts: JSONValue, named name: String = "path") -> [UInt8]? {
    facts[name + "Bytes"]?.text.flatMap { Hexadecimal.bytes(of: $0.utf8) } ?? facts[name]?.text.map { Array($0.utf8) }
  }

  /// Its name in the directory.
  package var name: ArraySlice<UInt8> { path[(path.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0)...] }

  /// Its directory; empty for the root.
  package var album: ArraySlice<UInt8> { path.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] } ?? [] }
}

extension CatalogRecord {
  /// `2019-08-15 12:34`, or a shorter form if the time is less exact.
  package var shortTime: String {
    guard let taken = facts["taken"]?.text else { return "" }
    return String(taken.prefix(16)).replacing("T", with: " ")
  }

  /// `12.4M`.
  package var shortSize: String { facts["size"]?.whole.map(ShortWords.size) ?? "" }

  /// `1:35`; empty for photos.
  package var length: String { facts["duration"]?.real.map(ShortWords.length) ?? "" }

  /// One asterisk for each star; `x` for a rejected photo.
  package var stars: String {
    guard let rating = facts["rating"]?.whole else { return "" }
    return rating < 0 ? "x" : String(repeating: "*", count: min(rating, 5))
  }
}

/// Numbers for narrow columns.
package enum ShortWords {
  /// Bytes in at most five characters, in units of 1024: `300K`, `12.4M`.
  package static func size(_ bytes: Int) -> String {
    var value = Double(max(bytes, 0))
    var unit = 0
    while value >= 999.5, unit < 5 {
      value /= 1024
      unit += 1
    }
    if unit == 0 { return "\(bytes)" }
    let tenths = Int((value * 10).rounded())
    let number = tenths >= 1000 || tenths % 10 == 0 ? "\((tenths + 5) / 10)" : "\(tenths / 10).\(tenths % 10)"
    return number + String(Array("KMGTP")[unit - 1])
  }

  /// Bytes rounded, in the largest unit that leaves at least 1: `1.4 GiB`.
  package static func longSize(_ bytes: Int64) -> String {
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(bytes)
    var index = 0
    while value >= 1024, index < units.count - 1 {
      value /= 1024
      index += 1
    }
    if index == 0 { return bytes.counted("byte") }
    let tenths = Int64((value * 10).rounded())
    return tenths % 10 == 0 ? "\(tenths / 10) \(units[index])" : "\(tenths / 10).\(tenths % 10) \(units[index])"
  }

  /// Seconds as `0:03`, `1:35`, `1:02:03`.
  package static func length(_ seconds: Double) -> String {
    guard seconds >= 0, seconds < 1e9 else { return "" }
    let whole = Int(seconds.rounded())
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let start = whole >= 3600 ? "\(whole / 3600):" + two(whole / 60 % 60) : "\(whole / 60)"
    return start + ":" + two(whole % 60)
  }
}
