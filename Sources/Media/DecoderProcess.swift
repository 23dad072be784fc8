internal import Glibc
internal import System
internal import SystemPackage

/// A running decoder and the daemon's end of its socket. Its messages are treated as an attacker's.
///
/// Only one thread uses it at a time.
final class DecoderProcess: Sendable {
  /// The process itself. Any thread may kill it until it is ended.
  let child: ChildProcess
  private let socket: Descriptor

  /// A copy of the template, and the daemon's end of its socket.
  init(_ child: ChildProcess, _ socket: Descriptor) {
    self.child = child
    self.socket = socket
  }

  func send(_ message: WireMessage, _ body: [UInt8], before deadline: Deadline) throws(DecoderError) {
    Waiting.assertAllowed()
    var writer = ByteWriter()
    writer.append(message.rawValue)
    writer.append(UInt32(body.count))
    try sendAll(writer.bytes, before: deadline)
    try sendAll(body, before: deadline)
  }

  func receive(before deadline: Deadline) throws(DecoderError) -> (WireMessage, [UInt8]) {
    Waiting.assertAllowed()
    let header = try receiveAll(WireMessage.headerBytes, before: deadline)
    var reader = ByteReader(header)
    guard let message = (try? reader.read(UInt32.self)).flatMap(WireMessage.init(rawValue:)),
      let count = try? reader.read(UInt32.self), count <= WireMessage.mostBytes
    else { throw .crashed }
    return (message, try receiveAll(Int(count), before: deadline))
  }

  private func sendAll(_ bytes: [UInt8], before deadline: Deadline) throws(DecoderError) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
        return unsafe Glibc.send(
          socket.number, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count > 0 {
        done += count
      } else {
        try wait(for: POLLOUT, before: deadline)
      }
    }
  }

  private func receiveAll(_ count: Int, before deadline: Deadline) throws(DecoderError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        return unsafe recv(socket.number, rest.baseAddress, rest.count, Int32(MSG_DONTWAIT))
      }
      if got == 0 { throw .crashed }
      if got > 0 {
        done += got
      } else {
        try wait(for: POLLIN, before: deadline)
      }
    }
    return bytes
  }

  /// Waits until the call that just failed can continue.
  private func wait(for events: Int32, before deadline: Deadline) throws(DecoderError) {
    guard [EAGAIN, EINTR].contains(errno) else { throw .crashed }
    let left = deadline.millisecondsLeft
    guard left > 0 else { throw .timedOut }
    var descriptor = pollfd(fd: socket.number, events: Int16(events), revents: 0)
    _ = unsafe poll(&descriptor, 1, Int32(clamping: left))
  }
}
