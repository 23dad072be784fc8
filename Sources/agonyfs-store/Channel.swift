internal import CStore
internal import Glibc
internal import ObjectStore
internal import System

/// The pipes or the socket to agonyfs. Any failure ends the process, because no other program gives it jobs.
enum Channel {
  static func send(_ message: StoreMessage, _ body: [UInt8]) {
    let output = Descriptor.standardOutput
    guard body.count <= StoreMessage.mostBytes, (try? output.writeAll(message.header(body.count))) != nil,
      (try? output.writeAll(body)) != nil
    else { exit(1) }
  }

  static func receive() -> (message: StoreMessage, body: [UInt8]) {
    guard let (message, count) = StoreMessage.decode(header: read(StoreMessage.headerBytes)) else { exit(1) }
    return (message, read(count))
  }

  /// Asks agonyfs for bytes of the object that is stored, and writes them into a buffer, which is not empty.
  ///
  /// - Parameter start: the first of them.
  static func receiveContent(from start: Int, into buffer: UnsafeMutableRawBufferPointer) {
    send(.wanted, StoreMessage.bytes(ofWanted: start..<(start + buffer.count)))
    guard let (message, count) = StoreMessage.decode(header: read(StoreMessage.headerBytes)), message == .content,
      count == buffer.count
    else { exit(1) }
    unsafe fill(buffer)
  }

  /// Ends the process if agonyfs has ended or closed the channel.
  static func checkOtherEnd() {
    if agonyfs_store_is_closed(Descriptor.standardInput.number) { exit(0) }
  }

  private static func read(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    unsafe bytes.withUnsafeMutableBytes { unsafe fill($0) }
    return bytes
  }

  /// Reads until the buffer is full.
  private static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    var done = 0
    while done < buffer.count {
      let got = unsafe Glibc.read(
        Descriptor.standardInput.number, buffer.baseAddress.map { unsafe $0 + done }, buffer.count - done)
      if got == 0 { exit(0) }
      if got < 0, errno != EINTR { exit(1) }
      done += max(0, got)
    }
  }
}

/// Reports the progress of a request to agonyfs, at most once a second.
final class Progress {
  private static let interval: UInt64 = 1_000_000_000

  private var bytes: Int64 = 0
  private var time = monotonicTime()

  func note(_ bytes: Int64) {
    Channel.checkOtherEnd()
    let now = monotonicTime()
    guard bytes != self.bytes, now >= time + Self.interval else { return }
    (self.bytes, time) = (bytes, now)
    Channel.send(.progress, [])
  }
}
