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

  /// Ends the process if agonyfs has ended or closed the channel.
  static func checkOtherEnd() {
    if agonyfs_store_is_closed(Descriptor.standardInput.number) { exit(0) }
  }

  private static func read(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        return unsafe Glibc.read(Descriptor.standardInput.number, rest.baseAddress, rest.count)
      }
      if got == 0 { exit(0) }
      if got < 0, errno != EINTR { exit(1) }
      done += max(0, got)
    }
    return bytes
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
