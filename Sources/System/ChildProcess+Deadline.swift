internal import CPlatform
internal import Glibc
internal import SystemPackage

extension ChildProcess {
  /// How long a killed program may take to end before nobody waits for it any more.
  private static let killTime: UInt64 = 5_000_000_000
  private static let readable = Int16(POLLIN)

  /// Reads what the program writes until it ends. It is killed at the deadline, with the processes of its group if it has
  /// a session of its own. To be called once, in place of `wait()`.
  ///
  /// - Parameters:
  ///   - pipes: what it writes to. Another process may hold them open longer; nobody waits for that.
  ///   - limit: the bytes of each pipe that are kept; more is read and lost.
  ///   - deadline: in nanoseconds of the monotonic clock.
  ///   - stop: the program is killed, too, as soon as this can be read or its other end is closed.
  /// - Returns: how it ended, nil if it was killed here; and what came from each pipe.
  package func ended(
    reading pipes: [Descriptor], limit: Int, by deadline: UInt64, stop: Descriptor? = nil
  ) -> (ending: Ending?, texts: [[UInt8]]) {
    var texts = pipes.map { _ in [UInt8]() }
    guard let end = try? Descriptor(systemCall { agonyfs_process_descriptor(identifier) }) else {
      killGroup()
      wait()
      return (nil, texts)
    }
    var open = pipes.map { $0 as Descriptor? }
    while true {
      var waited = ([end, stop] + open).map { pollfd(fd: $0?.number ?? -1, events: Self.readable, revents: 0) }
      let now = monotonicTime()
      let left = deadline > now ? (deadline - now) / 1_000_000 + 1 : 0
      guard left > 0, (try? systemCall { unsafe poll(&waited, nfds_t(waited.count), CInt(clamping: left)) }) != nil,
        waited[1].revents == 0
      else {
        kill(end)
        return (nil, texts)
      }
      // What it wrote before its end is in the pipes by then.
      let hasEnded = waited[0].revents != 0
      for (place, pipe) in open.enumerated() where waited[place + 2].revents != 0 {
        Self.take(from: pipe, limit, &texts[place]) ? () : (open[place] = nil)
      }
      if hasEnded, !waited.dropFirst(2).contains(where: { $0.revents & Self.readable != 0 }) { return (wait(), texts) }
    }
  }

  /// Takes what is there. False at the end.
  private static func take(from pipe: Descriptor?, _ limit: Int, _ text: inout [UInt8]) -> Bool {
    guard let pipe, let some = try? pipe.readSome(most: 4096), !some.isEmpty else { return false }
    text += some.prefix(limit - text.count)
    return true
  }

  private func killGroup() {
    // Of its own number only in a session of its own.
    if getpgid(identifier) == identifier { _ = Glibc.kill(-identifier, SIGKILL) }
    kill()
  }

  /// Kills it, and takes its end note, unless the kernel does not let it end.
  private func kill(_ end: Descriptor) {
    killGroup()
    var waited = pollfd(fd: end.number, events: Self.readable, revents: 0)
    let count = try? systemCall { unsafe poll(&waited, 1, CInt(Self.killTime / 1_000_000)) }
    if count == 1 { wait() }
  }
}
