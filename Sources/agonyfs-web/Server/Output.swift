internal import Glibc
internal import Synchronization
internal import WebAccess

/// Output for the user who runs the server. It contains nothing about a space, and nothing about the requests of
/// browsers.
enum Output {
  /// The name of the command, which is the prefix of notes.
  static let command = Mutex("serve")

  /// Writes a line to standard output.
  static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// Writes a line to standard error.
  static func note(_ text: String) {
    write("agonyfs \(command.withLock { $0 }): " + OneLine.safe(text) + "\n", to: STDERR_FILENO)
  }

  /// Writes the result of `agonyfs choose` to standard output. If that fails, writes a note and returns false.
  static func result(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count >= 0 || errno == EINTR else {
        note("Writing the output failed: \(unsafe String(cString: strerror(errno))).")
        return false
      }
      rest = rest.dropFirst(max(0, count))
    }
    return true
  }

  private static func write(_ text: String, to descriptor: CInt) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
