internal import Glibc
internal import Synchronization
internal import WebAccess

/// What is said to who runs the server. Nothing of a space, and nothing of who asks for what.
enum Output {
  /// The command that is run, whose name stands before what is noted.
  static let command = Mutex("serve")

  /// A line on standard output.
  static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// A line on standard error.
  static func note(_ text: String) {
    write("agonyfs \(command.withLock { $0 }): " + OneLine.safe(text) + "\n", to: STDERR_FILENO)
  }

  /// What `agonyfs choose` is for, on standard output; false if it could not be written, which is noted.
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
