internal import CMount
internal import Glibc
internal import System

/// Runs another program.
enum HelperProgram {
  /// Runs it to its end. Returns its exit status (or 255 when a signal ended it) and the first 4 KiB of what it said on
  /// standard error; nil when it could not be started.
  static func run(_ path: String, _ arguments: [String]) -> (status: Int32, errors: String)? {
    var ends = try? Descriptor.pipe()
    guard let reading = ends?.reading else { return nil }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, ends?.writing.number ?? -1, 2)
    var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe words.forEach { unsafe free($0) } }
    var process = pid_t()
    let outcome = unsafe posix_spawn(&process, path, &actions, nil, &words, environ)
    ends = nil
    guard outcome == 0 else { return nil }
    let errors = text(from: reading.number)
    var status: CInt = 0
    while unsafe waitpid(process, &status, 0) < 0 {
      guard errno == EINTR else { return nil }
    }
    let hasExited = status & 0x7F == 0
    return (hasExited ? (status >> 8) & 0xFF : 255, errors)
  }

  private static func text(from descriptor: CInt) -> String {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 512)
    // Read to the end even when it is not kept, lest the program waits for us.
    while true {
      let count = unsafe block.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { break }
      if bytes.count < 4096 { bytes += block[..<count] }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.split(separator: "\n").joined(separator: "; ")
  }
}
