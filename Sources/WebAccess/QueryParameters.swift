// Invariant: an invalid query is rejected and never guessed, because another text would be another search.

internal import System

/// The parameters in the query of a URL, in the form in which browsers send them (`application/x-www-form-urlencoded`,
/// as `URLSearchParams` writes it): `+` is a space, and a percent sign with two digits is a byte of UTF-8.
public struct QueryParameters: Sendable {
  private let values: [String: String]

  /// Parses a query; nil stands for none. If a name is repeated, its first value counts.
  ///
  /// - Returns: Nil if the query is invalid.
  public init?(_ query: String?) {
    var values: [String: String] = [:]
    for pair in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
      let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard let name = Self.text(pair[..<end]), let value = Self.text(pair[end...].dropFirst()) else { return nil }
      if values[name] == nil { values[name] = value }
    }
    self.values = values
  }

  /// The value with a name; nil if there is none.
  public subscript(_ name: String) -> String? { values[name] }

  /// Decodes a text.
  private static func text(_ written: Substring.UTF8View) -> String? {
    // Browsers send only ASCII, and invalid UTF-8 has been replaced by other characters before it gets here.
    guard written.allSatisfy({ $0 < 0x80 }) else { return nil }
    let blanks = written.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return Hexadecimal.percentUnescaped(blanks).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
