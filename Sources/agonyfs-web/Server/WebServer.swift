internal import Glibc
internal import Hummingbird
internal import HummingbirdCore
internal import Identity
internal import Logging
internal import NIOCore
internal import Synchronization
internal import WebAccess

/// The server: its sockets, its output in the terminal, and its end.
final class WebServer: Sendable {
  private let access: Access
  private let folder: PrivateFolder
  private let addressing: Addressing
  private let isEncrypted: Bool
  private let opensBrowser: Bool
  private let isOver = Mutex(false)
  /// Held while a code is shown, so that two codes do not mix their lines.
  private let showing = Mutex(())

  private init(_ access: Access, _ folder: PrivateFolder, _ addressing: Addressing, _ command: Program) {
    self.access = access
    self.folder = folder
    self.addressing = addressing
    (isEncrypted, opensBrowser) = (!command.http, command.open)
  }

  /// Prepares the server.
  ///
  /// - Throws: `Failure`.
  static func prepared(for command: Program) throws -> WebServer {
    let program = try agonyfs()
    for left in PrivateFolder.removeLeftOvers(program) { Output.note("An earlier run left \(left)") }
    let addressing = try Addressing(command)
    let folder = try privateFolder()
    let given = try command.mount.map { try SpaceMount(at: $0, isOwn: false) }
    let spaces = Spaces(
      program, vault: command.vault, given: given, options: command.mountOptions, idle: command.idle + 60,
      folder: folder)
    let access = Access(spaces, idle: command.idle, addressing: addressing, choosing: Choosing(command))
    return WebServer(access, folder, addressing, command)
  }

  /// Serves until it fails.
  func run() async throws {
    let router = Router(context: WebContext.self)
    router.addMiddleware { GateMiddleware(access: access) }
    addAccessRoutes(to: router, access)
    let api = router.group("/api", context: SpaceContext.self)
    addGalleryRoutes(to: api)
    if let choosing = access.choosing { addChoiceRoutes(to: api, choosing, access) { self.end(afterAnswerWith: $0) } }
    let configuration = HTTP1Channel.Configuration(
      additionalChannelHandlers: [ConnectionGuard(.shared)],
      httpDecoderConfiguration: .init(
        maxHeaderFieldSize: 16 << 10, maxHeaderListSize: 32 << 10, maxHeaderFieldCount: 64))
    let (isEncrypted, certificates) = (isEncrypted, addressing.certificates)
    let server = HTTPServerBuilder { responder in
      let plain = HTTP1Channel(responder: responder, configuration: configuration)
      guard isEncrypted else { return plain }
      return AddressedTLS(plain: plain, certificates: certificates)
    }
    let logger = Logger(label: "agonyfs-web") { _ in SwiftLogNoOpLogHandler() }
    let application = Application(
      router: router, server: server,
      configuration: .init(
        address: .hostname(addressing.listened.text, port: addressing.port),
        availableConnectionsDelegate: MaximumAvailableConnections(Connections.most)),
      onServerRunning: { self.started(at: $0.localAddress?.port) }, logger: logger)
    let watches = [Task { await access.watch() }, Task { await watchAddresses() }, Task { await watchChoice() }]
    defer { for watch in watches { watch.cancel() } }
    try await application.run()
  }

  /// Reports when the next code is for another address, as after a laptop has joined another network.
  private func watchAddresses() async {
    while (try? await Task.sleep(for: .seconds(5))) != nil {
      if let sentence = addressing.look() { Output.note(sentence) }
    }
  }

  /// Ends the program when no further choice is possible.
  private func watchChoice() async {
    guard access.choosing != nil else { return }
    if await access.choiceIsOver() { Output.note("The address was not opened in time.") }
    guard !Task.isCancelled else { return }
    end(afterAnswerWith: 1)
  }

  /// Ends the program after a choice, a cancellation or the end of its session. The delay lets the page receive its
  /// answer.
  private func end(afterAnswerWith status: CInt) {
    startThread {
      usleep(200_000)
      Program.end(self, status: status)
    }
  }

  /// The message for an error of `run`.
  func sentence(of error: any Error) -> String {
    let (address, port) = (addressing.listened, addressing.port)
    return switch (error as? IOError)?.errnoCode {
    case EADDRINUSE: "Another program listens at port \(port) of \(address.text); choose another port with --port."
    case EADDRNOTAVAIL: "This machine does not have the address \(address.text); see ip address."
    case EACCES: "Only root may listen at port \(port); choose 1024 or higher with --port."
    default: "The server failed: \(error)."
    }
  }

  /// Ends all sessions and removes their mounts. Returns false if some could not be removed. Only the first call
  /// returns; later ones block.
  func end() -> Bool {
    let isFirst = isOver.withLock { isOver in
      defer { isOver = true }
      return !isOver
    }
    guard isFirst else { while true { pause() } }
    let left = access.endAll()
    for what in left { Output.note("A space could not be unmounted: \(what) Try agonyfs unmount --force.") }
    return left.isEmpty
  }

  /// Shows a new code, and returns its URL.
  @discardableResult
  func showCode() -> String {
    showing.withLock { _ in
      let next = addressing.next()
      if let sentence = next.sentence { Output.note(sentence) }
      if let fingerprint = next.fingerprint {
        Output.line("Fingerprint of the certificate (SHA-256):\n\(fingerprint)")
      }
      let url = newAddress(next.origin)
      Output.line(
        "For one browser, within \(Pairings.offerTime.components.seconds / 60) minutes. Press Enter for another one.")
      Output.line(url)
      // The code comes last, so that it fits on a screen of 24 lines.
      for line in QRCode.lines(url, inColours: isatty(STDOUT_FILENO) == 1) ?? [] { Output.line(line) }
      return url
    }
  }

  /// A URL that pairs a browser.
  private func newAddress(_ origin: String) -> String {
    let offer = access.makeOffer()
    return "\(origin)\(offer.path.text)#\(offer.secret.text)"
  }

  /// Shows a new code after each line that is typed. In the background, reading the terminal fails, and does not stop
  /// the program.
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

  private func started(at port: Int?) {
    if let port { addressing.listens(at: port) }
    guard access.choosing == nil else {
      Output.note("Choose photos in the browser; Ctrl-C cancels.")
      return Browser.choose(at: newAddress(addressing.next().origin))
    }
    let isHereOnly = addressing.listened.isLoopback
    Output.line(
      isHereOnly ? "Open this address on this machine; Ctrl-C ends." : "Scan this code with a phone; Ctrl-C ends.")
    for remark in addressing.remarks { Output.note(remark) }
    // The URL of this code is for this machine's browser; later codes are for others.
    let url = showCode()
    if opensBrowser { Browser.open(url, folder) }
  }

  /// The next typed byte, after this program is in the foreground; nil at the end.
  private static func typed() -> UInt8? {
    var byte: UInt8 = 0
    while true {
      let count = unsafe read(STDIN_FILENO, &byte, 1)
      if count == 1 { return byte }
      guard count == -1, errno == EIO || errno == EINTR else { return nil }
      sleep(1)
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
