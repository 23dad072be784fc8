internal import FoundationEssentials
internal import System

/// The command's output: results on standard output, everything else on standard error.
enum Output {
  /// A line on standard output.
  static func line(_ text: String) { print(text) }

  /// A sentence on standard error, after the program's name.
  static func note(_ text: String) { writeError("agonyfs: \(text)\n") }

  /// Text on standard error as it is.
  static func writeError(_ text: String) {
    try? Descriptor.standardError.writeAll(Array(text.utf8))
  }
}

extension Output {
  /// A value as JSON on standard output, with sorted fields.
  static func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    line(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}
