internal import CMount
internal import Glibc
package import Logging
internal import Synchronization
internal import System

/// Writes log lines to standard error in the foreground and to the system log in the background.
package struct SystemLogHandler: LogHandler {
  /// Whether lines go to syslog(3), which the journal collects, instead of standard error.
  private static let isInBackground = Atomic(false)

  package var logLevel = Logger.Level.notice
  package var metadata: Logger.Metadata = [:]

  /// Sends the lines of all loggers of the process to the system log from now on, because the process leaves the
  /// terminal.
  package static func sendToSystemLog() {
    agonyfs_system_log_open()
    isInBackground.store(true, ordering: .releasing)
  }

  /// Whether lines go to the system log.
  package static var sendsToSystemLog: Bool { isInBackground.load(ordering: .acquiring) }

  /// A handler for a logger. The label is not shown.
  package init(label: String) {}

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    var line = event.message.description
    let context = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in context.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
    if let error = event.error { line += " (\(error))" }
    if Self.sendsToSystemLog {
      unsafe agonyfs_system_log(Self.priority(event.level), line)
    } else {
      // One write for each line, so that lines of several threads do not mix.
      try? Descriptor.standardError.writeAll(Array("agonyfs: \(event.level): \(line)\n".utf8))
    }
  }

  /// The level of syslog(3).
  private static func priority(_ level: Logger.Level) -> CInt {
    switch level {
    case .critical: LOG_CRIT
    case .error: LOG_ERR
    case .warning: LOG_WARNING
    case .notice: LOG_NOTICE
    case .info: LOG_INFO
    case .debug, .trace: LOG_DEBUG
    }
  }
}
