internal import Glibc
internal import System

/// A separate D-Bus session bus, so that no service outside learns which files are opened.
enum SessionBus {
  /// Starts a bus and returns its address. Prints a note and returns nil if dbus-daemon is missing; nil if it fails.
  ///
  /// - Parameters:
  ///   - listens: an address as in dbus-daemon(1).
  ///   - program: how programs are started in the session.
  static func start(listensAt listens: String, like program: SessionProgram, _ mask: sigset_t) -> String? {
    guard let path = path() else {
      Output.note(
        "dbus-daemon is not installed, so programs that need a session bus may fail; install the package dbus-daemon.")
      return nil
    }
    var daemon = program
    let words = [path, "--session", "--nofork", "--nopidfile", "--print-address=1", "--address=\(listens)"]
    daemon.words = words.map { Array($0.utf8) }
    daemon.directory = [UInt8(ascii: "/")]
    return begun(daemon, mask).flatMap(address)
  }

  /// Starts the daemon. Returns the pipe that it writes its address to; the writing end is open only in the daemon.
  private static func begun(_ daemon: SessionProgram, _ mask: sigset_t) -> Descriptor? {
    guard let (reading, writing) = try? Descriptor.pipe(), daemon.start(mask, output: writing) > 0 else { return nil }
    return withExtendedLifetime(writing) { reading }
  }

  /// Reads the first line that the daemon prints, within ten seconds.
  private static func address(_ reading: Descriptor) -> String? {
    var text: [UInt8] = []
    let deadline = monotonicTime() + 10_000_000_000
    while !text.contains(UInt8(ascii: "\n")) {
      var waited = pollfd(fd: reading.number, events: Int16(POLLIN), revents: 0)
      let now = monotonicTime()
      guard now < deadline, unsafe poll(&waited, 1, 100) >= 0 || errno == EINTR else { return nil }
      if waited.revents == 0 { continue }
      guard let some = try? reading.readSome(most: 512), !some.isEmpty else { return nil }
      text += some
    }
    return String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  private static func path() -> String? {
    let search = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? ""
    return (search.split(separator: ":").map(String.init) + ["/usr/bin", "/usr/local/bin"])
      .map { $0 + "/dbus-daemon" }.first { unsafe access($0, X_OK) == 0 }
  }
}
