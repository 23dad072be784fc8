internal import Glibc
internal import Media
internal import System

/// The socket to the daemon. Any failure ends the process, because no other program gives it jobs.
enum Channel {
  /// The socket, which is descriptor 0.
  static let socket = Descriptor.standardInput

  static func send(_ message: WireMessage, _ body: [UInt8]) {
    var header = ByteWriter()
    header.append(message.rawValue)
    header.append(UInt32(body.count))
    write(header.bytes)
    write(body)
  }

  /// Sends bytes that may not fit into one message.
  static func sendInParts(_ bytes: [UInt8], last: WireMessage) {
    var rest = bytes[...]
    while rest.count > WireMessage.partBytes {
      send(.part, Array(rest.prefix(WireMessage.partBytes)))
      rest = rest.dropFirst(WireMessage.partBytes)
    }
    send(last, Array(rest))
  }

  static func receive() -> (message: WireMessage, body: [UInt8]) {
    var reader = ByteReader(read(WireMessage.headerBytes))
    guard let message = (try? reader.read(UInt32.self)).flatMap(WireMessage.init(rawValue:)),
      let count = try? reader.read(UInt32.self), count <= WireMessage.mostBytes
    else { exit(1) }
    return (message, read(Int(count)))
  }

  /// The first bytes of the file. The daemon sends them after the job, to save a request.
  static func beginning() -> [UInt8] {
    let (message, body) = receive()
    guard message == .beginning, body.count <= WireMessage.mostReadBytes else { exit(1) }
    return body
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

  /// Waits until the daemon grants the job `memory` bytes. Jobs need no permission for up to `Decoder.freeMemory`. Call
  /// this at most once in a job, and not while another thread reads the file: the replies would mix.
  static func admit(memory: Int64) {
    guard memory > Int64(Decoder.freeMemory) else { return }
    var request = ByteWriter()
    request.append(memory)
    send(.admit, request.bytes)
    let (message, body) = receive()
    guard message == .admitted, body.isEmpty else { exit(1) }
  }

  /// Ends the process because the daemon violated the protocol.
  static func end() -> Never { exit(1) }

  private static func write(_ bytes: [UInt8]) {
    guard (try? socket.writeAll(bytes)) != nil else { exit(1) }
  }

  private static func read(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = unsafe bytes.withUnsafeMutableBytes { buffer in
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
        return unsafe Glibc.read(socket.number, rest.baseAddress, rest.count)
      }
      if got == 0 { exit(0) }
      if got < 0, errno != EINTR { exit(1) }
      done += max(0, got)
    }
    return bytes
  }
}
