internal import CPlatform
internal import FoundationEssentials
internal import Glibc
internal import System
internal import SystemPackage

/// The command's output: results go to standard output, everything else to standard error.
enum Output {
  static func line(_ text: String) { print(text) }

  /// Prints a path, byte for byte, as a line on standard output.
  static func line(_ path: FilePath) { unsafe _ = path.withPlatformString { unsafe puts($0) } }

  /// Flushes standard output.
  ///
  /// - Throws: `CommandFailure` if this or an earlier write failed.
  static func finish() throws {
    let error = agonyfs_finish_output()
    guard error != 0 else { return }
    throw CommandFailure(.failure, "Writing the output failed: \(Errno(rawValue: error).description).")
  }

  /// Writes a sentence to standard error, after the program's name.
  static func note(_ text: String) { writeError("agonyfs: \(text)\n") }

  static func writeError(_ text: String) {
    try? Descriptor.standardError.writeAll(Array(text.utf8))
  }
}

extension Output {
  /// Prints a value as JSON on standard output, with sorted fields.
  static func json(_ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    line(String(decoding: try encoder.encode(value), as: UTF8.self))
  }
}
