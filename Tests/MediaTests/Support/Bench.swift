import Glibc
import Logging
import System
import SystemPackage
import TestSupport

@testable import Media

/// A directory for one test's files, and the decoder on them. All of it is gone at the end.
final class Bench {
  private let folder: TemporaryFolder
  /// The directory.
  var path: String { folder.path }

  init() throws { folder = try TemporaryFolder() }

  /// A decoder as the daemon has it.
  static func decoder(
    _ name: String = "agonyfs-decoder", at path: String? = nil, sandbox: SandboxPolicy = .required,
    timeout: Duration = Decoder.timeout, log: LogLines? = nil
  ) -> Decoder {
    let logger = Logger(label: "test") { _ in LogLines.Handler(lines: log) }
    return Decoder(program: path ?? builtProgram(name), sandbox: sandbox, timeout: timeout, logger: logger)
  }

  /// So many decoders that share a budget.
  static func pool(
    _ count: Int, _ name: String = "agonyfs-decoder", at path: String? = nil, sandbox: SandboxPolicy = .required,
    timeout: Duration = Decoder.timeout, log: LogLines? = nil
  ) -> DecoderPool {
    let logger = Logger(label: "test") { _ in LogLines.Handler(lines: log) }
    return DecoderPool(
      program: path ?? builtProgram(name), sandbox: sandbox, count: count, timeout: timeout, logger: logger)
  }

  /// A decoder whose processes `processes()` finds.
  func linked(_ name: String) throws -> Decoder {
    try shell("ln -s '\(builtProgram(name))' linked")
    return Self.decoder(at: path + "/linked")
  }

  /// The numbers of the running processes of `linked(_:)`.
  func processes() throws -> Set<Substring> { try Self.processes(in: path) }

  /// As above, of the decoder in a directory.
  static func processes(in path: String) throws -> Set<Substring> {
    let script = "pgrep -f '^\(path)/linked'"
    let found = try Outcome("/bin/sh", arguments: ["-c", script], limit: 60)
    guard found.status == 0 || found.status == 1 else { throw ShellFailure(script: script, outcome: found) }
    return Set(String(decoding: found.bytes, as: UTF8.self).split(separator: "\n"))
  }

  /// Runs a shell script in the directory and gives its output. What fails or takes a minute is an error.
  @discardableResult
  func shell(_ script: String) throws -> [UInt8] {
    let outcome = try Outcome("/bin/sh", arguments: ["-c", "cd '\(path)' && set -e\n\(script)"], limit: 60)
    guard outcome.status == 0 else { throw ShellFailure(script: script, outcome: outcome) }
    return outcome.bytes
  }

  /// What a file in the directory holds.
  func file(_ name: String) throws -> [UInt8] { try HostFile.read(folder.path(name)) }

  /// Writes a file into the directory.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    try HostFile.write(bytes, to: folder.path(name))
    return folder.path(name)
  }
}

/// A script that failed.
struct ShellFailure: Error {
  var script: String
  var outcome: Outcome
}
