internal import Logging
internal import Mount

extension Logger {
  /// The system log, for processes without a terminal.
  static let system = Logger(label: "agonyfs") { SystemLogHandler(label: $0) }

  /// Discards messages, for operations that report their outcome themselves.
  static let silent = Logger(label: "agonyfs") { _ in SwiftLogNoOpLogHandler() }
}
