// Invariant: what cannot be read is refused, and never guessed: another text would be another search.

internal import System

/// What an address says behind its question mark, in the form in which browsers send it
/// (`application/x-www-form-urlencoded`, as `URLSearchParams` writes it): `+` is a blank, and a percent sign and two digits
/// are a byte of UTF-8.
public struct QueryParameters: Sendable {
  private let values: [String: String]

  /// Those of a query; nil stands for none. Of several with one name the first counts.
  ///
  /// - Returns: nil if the query is not in that form.
  public init?(_ query: String?) {
    var values: [String: String] = [:]
    for pair in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
      let end = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
      guard let name = Self.text(pair[..<end]), let value = Self.text(pair[end...].dropFirst()) else { return nil }
      if values[name] == nil { values[name] = value }
    }
    self.values = values
  }

  /// The value of a name; nil if the query does not have it.
  public subscript(_ name: String) -> String? { values[name] }

  /// The text that is written so.
  private static func text(_ written: Substring.UTF8View) -> String? {
    // No browser sends other bytes, and what was no UTF-8 has become other characters before it gets here.
    guard written.allSatisfy({ $0 < 0x80 }) else { return nil }
    let blanks = written.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
    return Hexadecimal.percentUnescaped(blanks).flatMap { String(validating: $0, as: UTF8.self) }
  }
}
