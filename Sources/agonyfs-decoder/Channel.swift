internal import Glibc
internal import Media
internal import System

/// The socket to the daemon. Any failure ends the process: there is nobody left to work for.
enum Channel {
  /// The socket.
  static let descriptor: Int32 = 0

  /// Sends a message.
  static func send(_ message: WireMessage, _ body: [UInt8]) {
    var header = ByteWriter()
    header.append(message.rawValue)
    header.append(UInt32(body.count))
    write(header.bytes)
    write(body)
  }

  /// Waits for a message.
  static func receive() -> (message: WireMessage, body: [UInt8]) {
    var reader = ByteReader(read(WireMessage.headerBytes))
    guard let message = (try? reader.read(UInt32.self)).flatMap(WireMessage.init(rawValue:)),
      let count = try? reader.read(UInt32.self), count <= WireMessage.mostBytes
    else { exit(1) }
    return (message, read(Int(count)))
  }

  /// Asks the daemon for a piece of the file; nil if the daemon cannot read it.
  static func piece(at offset: Int64, count: Int) -> [UInt8]? {
    var request = ByteWriter()
    request.append(offset)
    request.append(UInt32(count))
    send(.read, request.bytes)
    let (message, body) = receive()
    guard message == .input, let status = body.first, body.count <= count + 1 else { exit(1) }
    return status == 0 ? Array(body.dropFirst()) : nil
  }

  private static func write(_ bytes: [UInt8]) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[done...])
        return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count < 0 && errno != EINTR { exit(1) }
      done += max(count, 0)
    }
  }

  private static func read(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        return unsafe Glibc.read(descriptor, rest.baseAddress, rest.count)
      }
      if got == 0 { exit(0) }
      if got < 0 && errno != EINTR { exit(1) }
      done += max(got, 0)
    }
    return bytes
  }
}
