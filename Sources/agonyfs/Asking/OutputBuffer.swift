internal import System
internal import SystemPackage

/// Collects bytes for standard output, and writes them in large blocks.
final class OutputBuffer {
  private static let block = 64 << 10
  private var bytes: [UInt8] = []

  /// Lets `body` append bytes.
  func append(_ body: (inout [UInt8]) throws -> Void) throws {
    try body(&bytes)
    if bytes.count >= Self.block { try flush() }
  }

  func line(_ text: String) throws {
    try append { bytes in
      bytes += Array(text.utf8)
      bytes.append(UInt8(ascii: "\n"))
    }
  }

  /// Writes the buffered bytes.
  func flush() throws {
    do throws(Errno) {
      try Descriptor.standardOutput.writeAll(bytes)
    } catch {
      throw CommandFailure(.failure, "Writing the output failed: \(error.description).")
    }
    bytes.removeAll(keepingCapacity: true)
  }
}
