import Logging
import Synchronization

/// Keeps what was logged.
final class LogLines: Sendable {
  private let kept = Mutex<[String]>([])

  /// The lines so far.
  var lines: [String] { kept.withLock { $0 } }

  struct Handler: LogHandler {
    var lines: LogLines?
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      lines?.kept.withLock { $0.append("\(event.level): \(event.message)") }
    }
  }
}
