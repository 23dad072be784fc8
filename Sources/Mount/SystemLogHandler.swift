internal import CMount
internal import Glibc
package import Logging
internal import Synchronization

/// Writes log lines to standard error in the foreground and to the system log in the background.
package struct SystemLogHandler: LogHandler {
  /// Where lines go.
  package enum Destination: Sendable {
    /// Standard error, one line each, `agonyfs: warning: …`.
    case standardError
    /// syslog(3), which the journal collects.
    case systemLog
  }

  private static let destination = Mutex(Destination.standardError)

  package var logLevel: Logger.Level
  package var metadata: Logger.Metadata = [:]

  /// The destination of all loggers of the process, at first standard error. The command changes it when it leaves the
  /// terminal.
  package static func send(to place: Destination) {
    destination.withLock { current in
      if place == .systemLog { agonyfs_system_log_open() }
      current = place
    }
  }

  /// Whether this is the destination.
  package static func sends(to place: Destination) -> Bool { destination.withLock { $0 == place } }

  /// A handler for a logger. The label is not shown.
  package init(label: String, level: Logger.Level = .notice) {
    logLevel = level
  }

  package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  package func log(event: LogEvent) {
    var line = event.message.description
    let context = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in context.sorted(by: { $0.key < $1.key }) { line += " \(key)=\(value)" }
    if let error = event.error { line += " (\(error))" }
    switch Self.destination.withLock({ $0 }) {
    case .standardError: Self.print("agonyfs: \(event.level): \(line)\n")
    case .systemLog: unsafe agonyfs_system_log(Self.priority(event.level), line)
    }
  }

  /// One write per line, so lines of several threads do not mix.
  private static func print(_ line: String) {
    var bytes = Array(line.utf8)
    unsafe bytes.withUnsafeMutableBytes { text in _ = unsafe write(2, text.baseAddress, text.count) }
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
