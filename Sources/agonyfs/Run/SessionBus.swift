internal import Glibc
internal import System

/// A D-Bus of the session's own, so that no service outside is told what is opened.
enum SessionBus {
  /// Starts one. Nil, and a sentence, if none is installed or it says no address.
  ///
  /// - Parameters:
  ///   - listens: the address as of dbus-daemon(1).
  ///   - program: how programs are started in the session.
  static func start(listensAt listens: String, like program: SessionProgram, _ mask: sigset_t) -> String? {
    guard let path = path() else {
      Output.note(
        "There is no dbus-daemon, so programs that need a session bus may fail; install the package dbus-daemon.")
      return nil
    }
    var daemon = program
    let words = [path, "--session", "--nofork", "--nopidfile", "--print-address=1", "--address=\(listens)"]
    daemon.words = words.map { Array($0.utf8) }
    daemon.directory = [UInt8(ascii: "/")]
    return begun(daemon, mask).flatMap(address)
  }

  /// Starts it. Returns the end of the pipe that it writes to; the other end is open only in it.
  private static func begun(_ daemon: SessionProgram, _ mask: sigset_t) -> Descriptor? {
    guard let (reading, writing) = try? Descriptor.pipe(), daemon.start(mask, output: writing) > 0 else { return nil }
    return withExtendedLifetime(writing) { reading }
  }

  /// The line that it prints, within ten seconds.
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
