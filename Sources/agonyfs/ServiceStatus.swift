internal import CPlatform

/// The line that `systemctl status` shows of a service.
enum ServiceStatus {
  /// Shows a line, if a service manager started this process.
  static func show(_ text: String) { unsafe agonyfs_notify("STATUS=\(text)") }
}
