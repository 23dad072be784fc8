/// Names that Windows and exFAT allow.
package enum PortableName {
  private static let refused = Set(":?*\"<>|\\".unicodeScalars)
  private static let devices: Set<String> = ["CON", "PRN", "AUX", "NUL"]

  /// Whether the name is allowed unchanged.
  package static func isOne(_ name: [UInt8]) -> Bool { of(name) == name }

  /// The name with `_` instead of what is not allowed: some characters, invalid UTF-8, a point or a space at the end.
  /// The name of a device gets a `_` appended.
  package static func of(_ name: [UInt8]) -> [UInt8] {
    let isText = String(validating: name, as: UTF8.self) != nil
    var scalars = String.UnicodeScalarView()
    for scalar in String(decoding: name, as: UTF8.self).unicodeScalars {
      let isRefused = scalar.value < 0x20 || refused.contains(scalar) || !isText && scalar == "\u{FFFD}"
      scalars.append(isRefused ? "_" : scalar)
    }
    if let last = scalars.last, last == "." || last == " " {
      scalars.removeLast()
      scalars.append("_")
    }
    let stem = scalars.prefix { $0 != "." }
    if isDevice(String(stem)) { scalars.insert("_", at: stem.endIndex) }
    return Array(String(scalars).utf8)
  }

  /// Whether the part before the first point is the name of a device, in any case, also with trailing spaces.
  private static func isDevice(_ stem: String) -> Bool {
    var word = stem.uppercased()
    while word.last == " " { word.removeLast() }
    if devices.contains(word) { return true }
    guard word.hasPrefix("COM") || word.hasPrefix("LPT"), let last = word.last else { return false }
    return word.count == 4 && "123456789¹²³".contains(last)
  }
}
