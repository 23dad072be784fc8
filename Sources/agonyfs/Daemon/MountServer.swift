internal import Albums
internal import Crypto
internal import Logging
internal import Mount
internal import Vault

/// Serves one mount from its password to its end.
struct MountServer {
  /// What to mount, where and how.
  let request: MountRequest

  private static let logger = Logger(label: "agonyfs") { SystemLogHandler(label: $0) }

  /// Sends log lines to the system log from now on.
  static func logToSystem() { SystemLogHandler.send(to: .systemLog) }

  /// Logs a failure that nobody waits for.
  static func log(_ failure: CommandFailure) { logger.error("\(failure.message)") }

  /// Opens the space, mounts it, and serves it until it is unmounted. Everything is written on return.
  ///
  /// - Parameters:
  ///   - password: consumed and so wiped as soon as the space is open.
  ///   - whenMounted: called once, when the mount is ready.
  func serve(_ password: consuming Password, whenMounted: @escaping () -> Void) throws {
    var options = request.options
    let mountPoint = try MountPoint.check(request.mountPoint, options: options)
    let spaces = try Spaces(vault: request.vault)
    let space = try spaces.open(
      password, readOnly: options.isReadOnly, acceptsOlder: request.acceptsOlder, copyWindow: request.copyWindow)
    _ = consume password
    let rollback = options.remembers ? RollbackDetection(of: space, logger: Self.logger) : nil
    var warnings: [String] = []
    if let warning = rollback?.check(acceptsOlder: request.acceptsOlder) { warnings.append(warning) }
    if !space.gate.isOpen, !options.isReadOnly {
      options.isReadOnly = true
      warnings.append("Mounting read-only, because \(space.gate.reason ?? "the space cannot be written").")
    }
    for warning in warnings { Output.note(warning) }
    let fileSystem = try spaces.fileSystem(of: space, options, keepCheckpoint: rollback?.record, logger: Self.logger)
    let session = MountSession(
      fileSystem: fileSystem, mountPoint: mountPoint, options: options, logger: Self.logger
    ) {
      whenMounted()
      // In the foreground standard error is the log, and has the warnings already.
      guard SystemLogHandler.sends(to: .systemLog) else { return }
      for warning in warnings { Self.logger.warning("\(warning)") }
    }
    let served = Result { try session.run() }
    do {
      try fileSystem.close()
    } catch {
      throw CommandFailure(error, doing: "writing the last changes")
    }
    try served.get()
  }
}
