internal import Glibc
internal import System

/// Which process serves a mount. The root directory answers with it when asked for an extended attribute that is
/// never listed; `Unmount` waits for that process.
struct DaemonIdentity: Sendable, Equatable {
  /// The attribute's name.
  static let attributeText = "user.agonyfs.pid"
  /// The bytes of the name.
  static let attributeName = Array(attributeText.utf8)

  /// The number of the process.
  let process: Int32
  /// When it was started, in the kernel's own unit, so that a later process with the same number is not mistaken for
  /// it.
  let started: UInt64

  /// The calling process.
  static func current() -> DaemonIdentity {
    let process = getpid()
    return DaemonIdentity(process: process, started: startOf(process) ?? 0)
  }

  /// The value of the attribute.
  var text: [UInt8] { Array("\(process) \(started)".utf8) }

  init(process: Int32, started: UInt64) {
    self.process = process
    self.started = started
  }

  /// Reads what `text` wrote; nil for anything else.
  init?(text: [UInt8]) {
    let numbers = String(decoding: text, as: UTF8.self).split(separator: " ")
    guard numbers.count == 2, let process = Int32(numbers[0]), process > 0, let started = UInt64(numbers[1]) else {
      return nil
    }
    self.init(process: process, started: started)
  }

  /// Whether the process still runs.
  var isRunning: Bool { Self.startOf(process) == started }

  /// When a process was started; nil when there is none.
  private static func startOf(_ process: Int32) -> UInt64? {
    guard let line = try? WholeFile.read("/proc/\(process)/stat"),
      // The second field is the program's name in parentheses, and may hold anything.
      let end = line.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = line[line.index(after: end)...].split(separator: UInt8(ascii: " "))
    // Field 22 of proc(5); the first one after the name is field 3.
    return fields.count > 19 ? UInt64(String(decoding: fields[19], as: UTF8.self)) : nil
  }
}
