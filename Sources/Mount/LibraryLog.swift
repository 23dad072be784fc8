internal import CMount
internal import Logging
internal import Synchronization

/// Messages of libfuse. While mounting, the last one is kept as the reason of a failure; later they go to the log.
enum LibraryLog {
  private struct State {
    var logger: Logger?
    var lastMessage: String?
  }

  private static let state = Mutex(State())

  /// Collects messages from now on.
  static func begin() {
    state.withLock { $0 = State() }
    agonyfs_library_log_install()
  }

  /// Logs messages from now on, because the mount exists.
  static func serve(_ logger: Logger) {
    state.withLock { $0.logger = logger }
  }

  static var lastMessage: String? { state.withLock { $0.lastMessage } }

  fileprivate static func receive(level: CInt, text: String) {
    let logger = state.withLock { state in
      state.lastMessage = text
      return state.logger
    }
    let isWarning = level <= CInt(FUSE_LOG_WARNING.rawValue)
    logger?.log(level: isWarning ? .warning : .debug, "\(text)")
  }
}

@c @implementation
func agonyfs_library_message(_ level: CInt, _ text: UnsafePointer<CChar>) {
  LibraryLog.receive(level: level, text: unsafe String(cString: text))
}
