internal import Logging
internal import Mount

extension Logger {
  /// The system log, for what nobody waits for at a terminal.
  static let system = Logger(label: "agonyfs") { SystemLogHandler(label: $0) }

  /// For what says by itself how it ends.
  static let silent = Logger(label: "agonyfs") { _ in SwiftLogNoOpLogHandler() }
}
