import Glibc
import Logging
import SystemPackage

@testable import Media

/// A directory for one test's files, and the decoder on them. All of it is gone at the end.
final class Bench {
  /// The directory.
  let path: String

  init() throws {
    var template = Array("/tmp/agonyfs-test-XXXXXX".utf8CString)
    guard let made = unsafe mkdtemp(&template) else { throw Errno(rawValue: errno) }
    path = unsafe String(cString: made)
  }

  deinit { _ = unsafe system("rm -rf '\(path)'") }

  /// A program that is built beside the tests.
  static func program(_ name: String) -> String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
    let own = String(decoding: buffer[..<max(count, 0)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return own.split(separator: "/").dropLast().reduce("") { $0 + "/" + $1 } + "/" + name
  }

  /// A decoder as the daemon has it.
  static func decoder(
    _ name: String = "agonyfs-decoder", at path: String? = nil, sandbox: SandboxPolicy = .required,
    timeout: Duration = Decoder.timeout, log: LogLines? = nil
  ) -> Decoder {
    let logger = Logger(label: "test") { _ in LogLines.Handler(lines: log) }
    return Decoder(program: path ?? program(name), sandbox: sandbox, timeout: timeout, logger: logger)
  }

  /// Runs a shell script in the directory and gives its output. What fails or takes a minute is an error.
  @discardableResult
  func shell(_ script: String) throws -> [UInt8] {
    let quoted = "cd '\(path)' && set -e\n\(script)".replacing("'", with: "'\\''")
    guard let pipe = unsafe popen("timeout -k 5 60 /bin/sh -c '\(quoted)' </dev/null", "re") else {
      throw Errno(rawValue: errno)
    }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe fread(&buffer, 1, buffer.count, pipe)
      if count == 0 { break }
      output += buffer[..<count]
    }
    let status = unsafe pclose(pipe)
    guard status == 0 else { throw ShellFailure(script: script, status: status) }
    return output
  }

  /// What a file in the directory holds.
  func file(_ name: String) throws -> [UInt8] { try Self.contents(of: path + "/" + name) }

  /// What a file holds.
  static func contents(of path: String) throws -> [UInt8] {
    let file = try FileDescriptor.open(FilePath(path), .readOnly)
    return try file.closeAfter {
      let size = Int(try file.seek(offset: 0, from: .end))
      return try unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = unsafe try file.read(fromAbsoluteOffset: 0, into: UnsafeMutableRawBufferPointer(buffer))
      }
    }
  }

  /// Writes a file into the directory.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = try FileDescriptor.open(
      FilePath(path + "/" + name), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
    try file.closeAfter { _ = try file.writeAll(bytes) }
    return path + "/" + name
  }
}

/// A script that failed.
struct ShellFailure: Error {
  var script: String
  var status: CInt
}
