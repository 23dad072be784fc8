internal import CPlatform
internal import Glibc
package import SystemPackage

/// A program that is started once and copies itself on request, as it is after its start.
///
/// Only one thread uses it at a time.
package final class ForkingProgram: Sendable {
  /// How long to wait for the number of a copy that the program made before it was killed, in milliseconds.
  private static let lastCopyTime: CInt = 1_000

  /// The program itself. Any thread may kill it until it is ended; copies go on.
  package let process: ChildProcess
  private let socket: Descriptor

  /// Starts the program at an absolute path. It inherits nothing but its end of a socket.
  package init(_ path: String) throws(Errno) {
    let (ours, theirs) = try Descriptor.socketPair()
    process = try ChildProcess(path, arguments: [path], descriptors: [theirs, nil, nil], inheriting: .nothing)
    socket = ours
  }

  /// Called by the program when it is ready to be copied, while it has one thread. Returns in each copy, with that copy's
  /// socket as descriptor 0. Other programs of the user cannot trace the program any more, nor its copies.
  package static func becomeTemplate() {
    agonyfs_set_not_dumpable()
    agonyfs_fork_on_request()
  }

  /// A copy of the program, which is a child of this process, and this process's end of the copy's socket. After a failure
  /// the program was killed, and so was the copy if it had told its number; one that runs later ends by itself.
  ///
  /// - Parameter milliseconds: how long to wait until the program is ready.
  /// - Throws: `.brokenPipe` or `.connectionReset` when the program ended; `.timedOut`; errors of fork(2).
  package func copy(within milliseconds: Int) throws(Errno) -> (process: ChildProcess, socket: Descriptor) {
    Waiting.assertAllowed()
    let ours = try request()
    do throws(Errno) {
      var waited = [ours, socket].map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
      let ready = try systemCall { unsafe poll(&waited, 2, CInt(clamping: milliseconds)) }
      if ready == 0 { throw .timedOut }
      if waited[0].revents != 0, let number = try Self.number(from: ours) { return (ChildProcess(copy: number), ours) }
      // The copy ended at once, or there is none: then the program has told why before it closed its end of `ours`.
      let hasAnswered = try systemCall { unsafe poll(&waited[1], 1, 0) } > 0
      guard hasAnswered, let error = try Self.number(from: socket) else { throw .connectionReset }
      throw Errno(rawValue: error)
    } catch {
      process.kill()
      // It may have made the copy before. The wait is bounded, because the kernel may hold up both. A copy that runs later
      // cannot write its number, and ends; without it nobody can reap it until this process ends.
      var waited = pollfd(fd: ours.number, events: Int16(POLLIN), revents: 0)
      let count = try? systemCall { unsafe poll(&waited, 1, Self.lastCopyTime) }
      if count == 1, let number = try? Self.number(from: ours) { ChildProcess(copy: number).end() }
      throw error
    }
  }

  /// Asks for a copy. Returns this process's end of its socket; the other end is closed when neither the program nor the
  /// copy has it.
  private func request() throws(Errno) -> Descriptor {
    let (ours, theirs) = try Descriptor.socketPair()
    do throws(Errno) {
      _ = try withExtendedLifetime(theirs) { () throws(Errno) in
        try systemCall { agonyfs_request_fork(socket.number, theirs.number) }
      }
      return ours
    } catch {
      process.kill()
      throw error
    }
  }

  /// A number that is written at once; nil at the end.
  private static func number(from socket: Descriptor) throws(Errno) -> CInt? {
    let bytes = try socket.readSome(most: 4)
    return bytes.count == 4 ? bytes.reversed().reduce(CInt(0)) { $0 << 8 | CInt($1) } : nil
  }
}
