internal import Glibc
internal import WebAccess

/// What is said to who runs the server. Nothing of a space, and nothing of who asks for what.
enum Output {
  /// A line on standard output.
  static func line(_ text: String) { write(text + "\n", to: STDOUT_FILENO) }

  /// A line on standard error.
  static func note(_ text: String) { write("agonyfs serve: " + OneLine.safe(text) + "\n", to: STDERR_FILENO) }

  private static func write(_ text: String, to descriptor: CInt) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
  }
}
