internal import CSystemd
internal import Glibc
internal import System

/// What the guard says: lines on standard error, which a service manager puts into its log, and its state for systemd.
enum Report {
  /// A line for people.
  static func line(_ text: String) {
    try? Descriptor.standardError.writeAll(Array("agonyfs guard: \(text)\n".utf8))
  }

  /// Tells systemd, if it started this, that the guard works.
  static func isReady() { _ = unsafe sd_notify(0, "READY=1") }

  static func state(_ text: String) { _ = unsafe sd_notify(0, "STATUS=\(text)") }

  static func seconds(_ time: UInt64) -> String {
    let hundredths = (time + 5_000_000) / 10_000_000
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
  }
}
