internal import Glibc
package import System

/// What came of running a program.
package struct Outcome: CustomStringConvertible, Sendable {
  /// How it ended.
  package let ending: ChildProcess.Ending
  /// Its standard output.
  package let bytes: [UInt8]
  /// Its standard error.
  package let errors: String

  /// Its standard output as text.
  package var output: String { String(decoding: bytes, as: UTF8.self) }

  /// Its exit status; -1 when a signal ended it.
  package var status: CInt {
    if case .exited(let status) = ending { return status }
    return -1
  }

  package var description: String { "\(ending)\noutput: \(output)\nerrors: \(errors)" }

  /// Runs a program to its end, with this input and nothing else. After `limit` seconds it is killed with all that it
  /// started, and the status is 124.
  package init(_ program: String, arguments: [String], input: String = "", limit: Int = 300) throws {
    let folder = try TemporaryFolder()
    let names = ["in", "out", "err"].map { folder.path($0) }
    let files = try names.map { try Descriptor.open($0, O_RDWR | O_CREAT | O_TRUNC) }
    try files[0].writeAll(Array(input.utf8))
    lseek(files[0].number, 0, SEEK_SET)
    let limited = ["timeout", "-k", "10", "\(limit)", program] + arguments
    // A program that the kernel holds cannot be killed; then this fails.
    ending = try ChildProcess("/usr/bin/timeout", arguments: limited, descriptors: files)
      .ending(within: .seconds(limit + 60))
    bytes = try HostFile.read(names[1])
    errors = String(decoding: try HostFile.read(names[2]), as: UTF8.self)
  }
}
