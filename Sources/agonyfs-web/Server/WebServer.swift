internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Identity
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import Synchronization
internal import WebAccess

/// The server: what it listens at, what it shows at the terminal, and its end.
final class WebServer: Sendable {
  private let access: Access
  private let folder: PrivateFolder
  private let address: LocalAddress
  /// Those that this machine had at the start, by which it can be asked.
  private let addresses: [LocalAddress]
  private let port: Int
  /// The beginning of the URL, as people see it.
  private let origin: String
  private let tls: TLSConfiguration?
  private let fingerprint: String?
  private let opensBrowser: Bool
  private let isOver = Mutex(false)

  private init(
    _ access: Access, _ folder: PrivateFolder, _ address: LocalAddress, _ addresses: [LocalAddress], port: Int,
    origin: String, _ identity: (tls: TLSConfiguration, fingerprint: String)?, opensBrowser: Bool
  ) {
    self.access = access
    self.folder = folder
    self.address = address
    self.addresses = addresses
    self.port = port
    self.origin = origin
    tls = identity?.tls
    fingerprint = identity?.fingerprint
    self.opensBrowser = opensBrowser
  }

  /// Prepares to serve.
  ///
  /// - Throws: `Failure`.
  static func prepared(for command: Program) throws -> WebServer {
    let program = try agonyfs()
    for left in PrivateFolder.removeLeftOvers(program) { Output.note("An earlier run left \(left)") }
    guard let address = LocalAddress(command.listen ?? (command.http ? "127.0.0.1" : "0.0.0.0")) else {
      throw Failure("--listen needs an address of this machine, such as 192.168.1.5.", status: 2)
    }
    guard !command.http || address.isLoopback else {
      throw Failure("--http is for this machine only; leave it out, or listen at 127.0.0.1.", status: 2)
    }
    let addresses = address.isAny ? LocalAddress.current() : [address]
    guard let shown = addresses.first else { throw Failure("This machine has no address that is up.") }
    let identity = command.http ? nil : try identity(command.certificateFolder, shown, addresses)
    let folder = try privateFolder()
    let given = try command.mount.map { try SpaceMount(at: $0, isOwn: false) }
    let spaces = Spaces(
      program, vault: command.vault, given: given, options: command.mountOptions, idle: command.idle + 60,
      folder: folder)
    // Names can be led here by others, but for this one.
    let hosts = addresses.map(\.host) + (address.isAny || address.isLoopback ? ["localhost"] : [])
    let check = RequestCheck(hosts: hosts, port: command.port, isEncrypted: !command.http)
    return WebServer(
      Access(spaces, idle: command.idle, check: check), folder, address, addresses, port: command.port,
      origin: "\(command.http ? "http" : "https")://\(shown.host):\(command.port)/", identity,
      opensBrowser: command.open)
  }

  /// Serves until it fails.
  func run() async throws {
    let router = Router(context: WebContext.self)
    router.addMiddleware { GateMiddleware(access: access) }
    addAccessRoutes(to: router, access)
    addGalleryRoutes(to: router.group("/api", context: SpaceContext.self))
    let plain = HTTPServerBuilder.http1(
      configuration: .init(
        additionalChannelHandlers: [ConnectionGuard(.shared)],
        httpDecoderConfiguration: .init(
          maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 64)
      ))
    let logger = Logger(label: "agonyfs-web") { _ in SwiftLogNoOpLogHandler() }
    let application = Application(
      router: router, server: try tls.map { try .tls(plain, tlsConfiguration: $0) } ?? plain,
      configuration: .init(
        address: .hostname(address.text, port: port),
        availableConnectionsDelegate: MaximumAvailableConnections(Connections.most)),
      onServerRunning: { _ in self.started() }, logger: logger)
    let watches = [Task { await access.watch() }, Task { await watchAddresses() }]
    defer { for watch in watches { watch.cancel() } }
    try await application.run()
  }

  /// Says once when this machine has other addresses than those by which the server can be asked, as a laptop has in
  /// another network: its certificate and the codes are for the one that it had.
  private func watchAddresses() async {
    guard address.isAny else { return }
    while (try? await Task.sleep(for: .seconds(5))) != nil {
      guard let now = LocalAddress.current().first, !now.isLoopback, !addresses.contains(now) else { continue }
      Output.note(
        "This machine has the address \(now.text) now, at which nobody is answered. End the server, and start it again."
      )
      return
    }
  }

  /// What an error of `run` means to a person.
  func sentence(of error: any Error) -> String {
    switch (error as? IOError)?.errnoCode {
    case EADDRINUSE: "Another program listens at port \(port) of \(address.text); choose another one with --port."
    case EADDRNOTAVAIL: "This machine has no address \(address.text); see ip address."
    case EACCES: "Only root may listen at port \(port); choose one from 1024 with --port."
    default: "The server failed: \(error)."
    }
  }

  /// Ends all sessions, and takes the mounts away. Returns when they are gone, or could not be taken away: false. Later
  /// calls wait for good.
  func end() -> Bool {
    let isFirst = isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
    guard isFirst else { while true { pause() } }
    let left = access.endAll()
    for what in left { Output.note("What is shown could not be taken away: \(what) Try agonyfs unmount --force.") }
    return left.isEmpty
  }

  /// Shows a new code, and gives its address.
  @discardableResult
  func showCode() -> String {
    let offer = access.makeOffer()
    let url = "\(origin)\(offer.path.text)#\(offer.secret.text)"
    Output.line(
      "Good for one browser, for \(Pairings.offerTime.components.seconds / 60) minutes. Enter shows another one.")
    Output.line(url)
    // Last, so that all of it is on a screen of 24 lines.
    for line in QRCode.lines(url) ?? [] { Output.line(line) }
    return url
  }

  /// Shows a new code when a line is typed. In the background nothing is typed: reading fails, and does not stop the
  /// program.
  func watchTerminal() {
    guard isatty(STDIN_FILENO) == 1 else { return }
    startThread { [self] in
      var set = sigset_t()
      unsafe sigemptyset(&set)
      unsafe sigaddset(&set, SIGTTIN)
      unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
      while let byte = Self.typed() { if byte == 0x0A { showCode() } }
    }
  }

  private func started() {
    if let fingerprint { Output.line("Fingerprint of the certificate (SHA-256):\n\(fingerprint)") }
    // Others are for other browsers.
    let url = showCode()
    if opensBrowser { Browser.open(url, folder) }
  }

  /// The next byte that is typed, once this program is in the foreground; nil at the end.
  private static func typed() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(STDIN_FILENO, &byte, 1)
      if count == 1 { return byte }
      guard count == -1, errno == EIO || errno == EINTR else { return nil }
      sleep(1)
    }
  }

  private static func certificates(_ folder: String?, _ addresses: [LocalAddress]) throws -> Certificates {
    guard let folder else { return try Certificates(addresses: addresses) }
    let shown = OneLine.safe(folder)
    let directory = HostPath.openFolder(folder)
    guard directory >= 0 else {
      throw Failure("The folder \(shown) cannot be made or opened: \(unsafe String(cString: strerror(errno))).")
    }
    defer { close(directory) }
    return try Certificates(addresses: addresses, folder: directory, named: shown)
  }

  private static func identity(
    _ folder: String?, _ shown: LocalAddress, _ addresses: [LocalAddress]
  ) throws -> (TLSConfiguration, String) {
    do {
      return try certificates(folder, addresses).configuration(for: shown)
    } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure("The certificate could not be made: \(error)")
    }
  }

  private static func privateFolder() throws -> PrivateFolder {
    do {
      return try PrivateFolder()
    } catch {
      throw Failure("No private folder could be made for the mounts: \(error).")
    }
  }

  private static func agonyfs() throws -> AgonyfsProgram {
    guard let value = unsafe getenv("AGONYFS_PROGRAM") else {
      throw Failure("This program is started by: agonyfs serve VAULT", status: 2)
    }
    do {
      return try AgonyfsProgram(path: unsafe String(cString: value))
    } catch {
      throw Failure("The server cannot start: \(error).")
    }
  }
}
