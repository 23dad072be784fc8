internal import CPlatform
internal import FoundationEssentials
internal import Glibc
internal import System
internal import SystemPackage

/// The command's output: results on standard output, everything else on standard error.
enum Output {
  static func line(_ text: String) { print(text) }

  /// A path, byte for byte, as a line on standard output.
  static func line(_ path: FilePath) { unsafe _ = path.withPlatformString { unsafe puts($0) } }

  /// Writes what waits in the buffer of standard output.
  ///
  /// - Throws: `CommandFailure` if that, or an earlier line, could not be written.
  static func finish() throws {
    let error = agonyfs_finish_output()
    guard error != 0 else { return }
    throw CommandFailure(.failure, "Writing the output failed: \(Errno(rawValue: error).description).")
  }

  /// A sentence on standard error, after the program's name.
  static func note(_ text: String) { writeError("agonyfs: \(text)\n") }

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
