/// Names that Windows and exFAT can have.
package enum PortableName {
  private static let refused = Set(":?*\"<>|\\".unicodeScalars)
  private static let devices: Set<String> = ["CON", "PRN", "AUX", "NUL"]

  /// Whether a name can be had there as it is.
  package static func isOne(_ name: [UInt8]) -> Bool { of(name) == name }

  /// The name with `_` for what they refuse: some characters, what is no UTF-8, a point or a blank at the end. The name of a
  /// device gets one behind it.
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

  /// Whether what is before the first point names a device, in any case, and with blanks behind it.
  private static func isDevice(_ stem: String) -> Bool {
    var word = stem.uppercased()
    while word.last == " " { word.removeLast() }
    if devices.contains(word) { return true }
    guard word.hasPrefix("COM") || word.hasPrefix("LPT"), let last = word.last else { return false }
    return word.count == 4 && "123456789¹²³".contains(last)
  }
}
