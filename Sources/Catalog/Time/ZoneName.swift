/// A name of the zone database.
package enum ZoneName {
  /// Whether it is safe as a path below the directory of the database, which a table of towns may name: parts of
  /// letters, digits, "_", "+" and "-", separated by single slashes.
  package static func isValid(_ name: some StringProtocol) -> Bool {
    let bytes = Array(name.utf8)
    guard (1...64).contains(bytes.count) else { return false }
    return bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty && part.first != UInt8(ascii: "-")
        && part.allSatisfy { byte in
          (0x41...0x5A).contains(byte & 0xDF) || Digits.isDigit(byte) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
        }
    }
  }
}
