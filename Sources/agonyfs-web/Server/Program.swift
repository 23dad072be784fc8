internal import ArgumentParser
internal import Dispatch
internal import Glibc
internal import Identity
internal import Synchronization
internal import WebAccess

/// The program that `agonyfs serve` and `agonyfs choose` execute.
@main
struct Program: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agonyfs-web", abstract: "Started by agonyfs serve; see agonyfs serve --help.")

  @Option var vault = ""
  @Option var mount: String?
  @Option var listen: String?
  @Option var port: Int
  @Option var idle: Int
  @Flag var open = false
  @Flag var http = false
  @Option var certificateFolder: String?
  @Option(parsing: .unconditionalSingleValue) var mountOptions: [String] = []

  // Options of agonyfs choose, which passes a mount.
  @Flag var choose = false
  @Option var prefix = ""
  @Flag var null = false
  @Option var most: Int?
  @Option var type: String?
  @Option var minDuration: Int?
  @Option var maxDuration: Int?

  /// Signals that end the program in order, or show another code.
  private static let signals = [SIGTERM, SIGINT, SIGHUP, SIGUSR1]

  func run() throws {
    if choose { Output.command.withLock { $0 = "choose" } }
    if let tracer = ProcessProtection.apply() {
      Output.note("Process \(tracer) traces this one and could read passwords; end it, or trace as root.")
      throw ExitCode(1)
    }
    // Before another thread is started, so that all threads inherit the mask.
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in Self.signals { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    // If it were ignored, as it may be by inheritance, no child could be waited for.
    signal(SIGCHLD, SIG_DFL)
    let server: WebServer
    do {
      server = try WebServer.prepared(for: self)
    } catch let failure as Failure {
      Output.note(failure.message)
      throw ExitCode(failure.status)
    }
    let status: CInt = choose ? 1 : 0
    Task.detached {
      do {
        try await server.run()
        Self.end(server, status: status)
      } catch {
        Output.note(server.sentence(of: error))
        Self.end(server, status: 1)
      }
    }
    if !choose { server.watchTerminal() }
    while true {
      var number: CInt = 0
      guard unsafe sigwait(&set, &number) == 0 else { continue }
      if number != SIGUSR1 { Self.end(server, status: status) }
      if !choose { server.showCode() }
    }
  }

  static func end(_ server: WebServer, status: CInt) -> Never {
    let isClean = server.end()
    Glibc.exit(isClean ? status : 1)
  }
}
