internal import CSystemd
internal import Glibc
internal import System

/// The output of the guard: lines on standard error, which a service manager logs, and its state for systemd.
enum Report {
  /// Writes a line for the user.
  static func line(_ text: String) {
    try? Descriptor.standardError.writeAll(Array("agonyfs guard: \(text)\n".utf8))
  }

  /// Notifies systemd, if that started the guard, that it works.
  static func isReady() { _ = unsafe sd_notify(0, "READY=1") }

  static func state(_ text: String) { _ = unsafe sd_notify(0, "STATUS=\(text)") }

  static func seconds(_ time: UInt64) -> String {
    let hundredths = (time + 5_000_000) / 10_000_000
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
  }
}
