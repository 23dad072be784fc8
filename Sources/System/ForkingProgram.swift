internal import CPlatform
internal import Glibc
package import SystemPackage

/// A program that is started once and copies itself on request, as it is after its start.
///
/// Only one thread uses it at a time, except for `kill()`.
package final class ForkingProgram: Sendable {
  private let process: ChildProcess
  private let socket: Descriptor

  /// Starts the program at an absolute path. It inherits nothing but its end of a socket.
  package init(_ path: String) throws(Errno) {
    let (ours, theirs) = try Descriptor.socketPair()
    process = try ChildProcess(path, arguments: [path], descriptors: [theirs, nil, nil], inheriting: .nothing)
    socket = ours
  }

  /// Called by the program when it is ready to be copied, while it has one thread. Returns in each copy, with that copy's
  /// socket as descriptor 0.
  package static func becomeTemplate() { agonyfs_fork_on_request() }

  /// A copy of the program, which is a child of this process, and this process's end of the copy's socket.
  ///
  /// - Parameter milliseconds: how long to wait until the program is ready.
  /// - Throws: `.brokenPipe` or `.connectionReset` when the program ended; `.timedOut`; errors of fork(2).
  package func copy(within milliseconds: Int) throws(Errno) -> (process: ChildProcess, socket: Descriptor) {
    Waiting.assertAllowed()
    let (ours, theirs) = try Descriptor.socketPair()
    _ = try withExtendedLifetime(theirs) { () throws(Errno) in
      try systemCall { agonyfs_request_fork(socket.number, theirs.number) }
    }
    var waited = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
    let ready = try systemCall { unsafe poll(&waited, 1, CInt(clamping: milliseconds)) }
    if ready == 0 { throw .timedOut }
    // The program writes all four bytes at once.
    let answer = try socket.readSome(most: 4)
    guard answer.count == 4 else { throw .connectionReset }
    let number = answer.reversed().reduce(CInt(0)) { $0 << 8 | CInt($1) }
    if number < 0 { throw Errno(rawValue: -number) }
    return (ChildProcess(copy: number), ours)
  }

  /// Kills the program; copies go on. Call it only before `reap()`.
  package func kill() { process.kill() }

  /// Kills the program and reads its status. Call it once.
  package func reap() {
    process.kill()
    process.wait()
  }
}
