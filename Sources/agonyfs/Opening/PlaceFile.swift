internal import Client
internal import Glibc
internal import System
internal import SystemPackage

/// A file that remembers a vault's place: one line with the absolute path. Its name ends with `.agonyfs`.
enum PlaceFile {
  static let suffix = ".agonyfs"

  static func isName(of file: FilePath) -> Bool { file.bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) }

  /// Reads the vault's path from a file.
  ///
  /// - Throws: `CommandFailure` if the file holds no absolute path.
  static func read(_ file: FilePath) throws(CommandFailure) -> FilePath {
    guard let bytes = try? WholeFile.read(file, limit: 8192) else {
      throw CommandFailure(.failure, "\(TerminalText.safe(file.bytes)) cannot be read.")
    }
    let line = Array(bytes.prefix { $0 != UInt8(ascii: "\n") })
    guard line.first == UInt8(ascii: "/"), !line.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
      throw CommandFailure(.usage, "\(TerminalText.safe(file.bytes)) does not contain the path of a vault.")
    }
    return FilePath(bytes: line)
  }

  /// Writes a new file that remembers a vault. An existing file is never replaced.
  static func write(_ vault: FilePath, to file: FilePath) throws(CommandFailure) {
    guard isName(of: file) else {
      throw CommandFailure(.usage, "The name of a file that --save writes must end with \(suffix).")
    }
    try CommandFailure.doing("writing \(TerminalText.safe(file.bytes))") { () throws(Errno) in
      try Descriptor.open(file, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600).writeAll(vault.bytes + [UInt8(ascii: "\n")])
    }
  }
}
