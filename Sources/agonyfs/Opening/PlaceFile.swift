internal import Client
internal import Glibc
internal import System
internal import SystemPackage

/// A file that remembers where a vault is: one line with its absolute path. Its name ends with `.agonyfs`.
enum PlaceFile {
  /// How its name ends.
  static let suffix = ".agonyfs"

  /// The path in a file.
  ///
  /// - Throws: `CommandFailure` if there is none.
  static func read(_ file: String) throws(CommandFailure) -> String {
    guard let bytes = try? WholeFile.read(file, limit: 8192) else {
      throw CommandFailure(.failure, "\(TerminalText.safe(file)) cannot be read.")
    }
    let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    guard line.hasPrefix("/"), !line.utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      throw CommandFailure(.usage, "\(TerminalText.safe(file)) does not say where a vault is.")
    }
    return line
  }

  /// Makes a file that remembers a vault. It replaces nothing.
  static func write(_ vault: String, to file: String) throws(CommandFailure) {
    guard file.hasSuffix(suffix) else {
      throw CommandFailure(.usage, "The name of a file that remembers a vault ends with \(suffix).")
    }
    do throws(Errno) {
      try Descriptor.open(file, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600).writeAll(Array((vault + "\n").utf8))
    } catch {
      throw CommandFailure(error, doing: "writing \(TerminalText.safe(file))")
    }
  }
}
