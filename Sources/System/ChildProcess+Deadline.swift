internal import CPlatform
internal import Glibc
internal import SystemPackage

extension ChildProcess {
  /// How long to wait for a killed program to end, in milliseconds.
  private static let killTime: CInt = 5_000
  private static let readable = Int16(POLLIN)

  /// Reads the program's output until the program ends. Kills it at the deadline, together with the processes of its
  /// group if it has a separate session. Call it once, instead of `wait()`.
  ///
  /// - Parameters:
  ///   - pipes: the pipes to which it writes. If another process holds them open longer, the call does not wait for
  ///     that.
  ///   - limit: the bytes of each pipe that are kept; further bytes are read and lost.
  ///   - deadline: in nanoseconds of the monotonic clock.
  ///   - stop: kills the program, too, as soon as this can be read or its other end is closed.
  /// - Returns: how the program ended, nil if it was killed here; and the text of each pipe.
  package func ended(
    reading pipes: [Descriptor], limit: Int, by deadline: UInt64, stop: Descriptor? = nil
  ) -> (ending: Ending?, texts: [[UInt8]]) {
    var texts = pipes.map { _ in [UInt8]() }
    guard let end = descriptor else {
      endGroup(seenBy: nil)
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
        endGroup(seenBy: end)
        return (nil, texts)
      }
      // The output before its end is in the pipes by then.
      let hasEnded = waited[0].revents != 0
      for (place, pipe) in open.enumerated() where waited[place + 2].revents != 0 {
        Self.take(from: pipe, limit, &texts[place]) ? () : (open[place] = nil)
      }
      if hasEnded, !waited.dropFirst(2).contains(where: { $0.revents & Self.readable != 0 }) { return (wait(), texts) }
    }
  }

  /// Takes the available bytes. False at the end.
  private static func take(from pipe: Descriptor?, _ limit: Int, _ text: inout [UInt8]) -> Bool {
    guard let pipe, let some = try? pipe.readSome(most: 4096), !some.isEmpty else { return false }
    text += some.prefix(limit - text.count)
    return true
  }

  /// A descriptor that can be read once the program has ended; nil if the kernel gives none.
  private var descriptor: Descriptor? { try? Descriptor(systemCall { agonyfs_process_descriptor(identifier) }) }

  private func endGroup(seenBy descriptor: Descriptor?) {
    // The process leads a group only in a separate session.
    if getpgid(identifier) == identifier { _ = Glibc.kill(-identifier, SIGKILL) }
    end(seenBy: descriptor)
  }

  /// Kills the program and reads its status. One that the kernel does not let end in time is given up; its number stays
  /// taken while this process runs. A kernel that gives no descriptor of a process is waited for without a limit. Call it
  /// once, instead of `wait()`.
  package func end() { end(seenBy: descriptor) }

  private func end(seenBy descriptor: Descriptor?) {
    kill()
    if let descriptor {
      var waited = pollfd(fd: descriptor.number, events: Self.readable, revents: 0)
      let count = withExtendedLifetime(descriptor) { try? systemCall { unsafe poll(&waited, 1, Self.killTime) } }
      guard count == 1 else { return }
    }
    wait()
  }
}
