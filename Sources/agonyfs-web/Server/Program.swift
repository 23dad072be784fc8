internal import ArgumentParser
internal import Dispatch
internal import Glibc
internal import Identity
internal import WebAccess

/// The program that `agonyfs serve` becomes.
@main
struct Program: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "agonyfs-web", abstract: "Started by agonyfs serve; see agonyfs serve --help.")

  @Option var vault: String
  @Option var mount: String?
  @Option var listen: String?
  @Option var port: Int
  @Option var idle: Int
  @Flag var open = false
  @Flag var http = false
  @Option var certificateFolder: String?
  @Option(parsing: .unconditionalSingleValue) var mountOptions: [String] = []

  /// These end the program in order, or show another code.
  private static let signals = [SIGTERM, SIGINT, SIGHUP, SIGUSR1]

  func run() throws {
    if let tracer = ProcessProtection.apply() {
      Output.note("Process \(tracer) traces this one and would read passwords; end it, or trace as root.")
      throw ExitCode(1)
    }
    // Before there is another thread.
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in Self.signals { unsafe sigaddset(&set, number) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    signal(SIGPIPE, SIG_IGN)
    // An ignored one is inherited, and then no child could be waited for.
    signal(SIGCHLD, SIG_DFL)
    let server: WebServer
    do {
      server = try WebServer.prepared(for: self)
    } catch let failure as Failure {
      Output.note(failure.message)
      throw ExitCode(failure.status)
    }
    Task.detached {
      do {
        try await server.run()
        Self.end(server, status: 0)
      } catch {
        Output.note(server.sentence(of: error))
        Self.end(server, status: 1)
      }
    }
    server.watchTerminal()
    while true {
      var number: CInt = 0
      guard unsafe sigwait(&set, &number) == 0 else { continue }
      if number == SIGUSR1 { server.showCode() } else { Self.end(server, status: 0) }
    }
  }

  private static func end(_ server: WebServer, status: CInt) -> Never {
    let isClean = server.end()
    Glibc.exit(isClean ? status : 1)
  }
}
