internal import Glibc
internal import Media
import System

/// Stands in for a decoder that was taken over or is broken: what it does, the first bytes of the file say. It speaks
/// for itself on its socket, so that it can break every rule. Started by the name "unconfined", it says that the kernel
/// cannot confine it.
@main
enum Program {
  static func main() {
    ForkingProgram.becomeTemplate()
    let isConfined = !(CommandLine.arguments.first ?? "").hasSuffix("unconfined")
    send(.hello, [isConfined ? 3 : 0, 0, 0, 0, isConfined ? 1 : 0, isConfined ? 1 : 0])
    while true {
      let (message, body) = receive()
      if message == WireMessage.archive.rawValue {
        Archives.work(on: ask(offset: 0, count: 32))
        continue
      }
      guard let request = try? DeriveRequest(decoding: body) else { exit(1) }
      let (second, beginning) = receive()
      guard second == WireMessage.beginning.rawValue else { exit(1) }
      work(request, on: Array(beginning.prefix(32)))
    }
  }

  private static func work(_ request: DeriveRequest, on content: [UInt8]) {
    // Tells two processes apart.
    let facts = MediaFacts(kind: .jpeg, width: Int(getpid()) % 1_000_000 + 1, height: 1)
    var answer = Derivatives(facts: facts, small: nil, large: nil)
    switch String(decoding: content, as: UTF8.self) {
    case "crash": abort()
    case "exit": exit(0)
    case "hang": while true { pause() }
    case "endless": while true { _ = ask(offset: 0, count: 32) }
    case "endless text": while true { write([UInt8](repeating: 0x41, count: 65536)) }
    case "huge": write([18, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])
    case "unknown": write([99, 0, 0, 0, 0, 0, 0, 0])
    case "short":
      send(.derived, Array(answer.encoded.dropLast()))
      return
    case "long":
      send(.derived, answer.encoded + [0])
      return
    case "outside": _ = ask(offset: -1, count: 32)
    case "too much": _ = ask(offset: 0, count: UInt32(WireMessage.mostReadBytes) + 1)
    case "unasked": answer.small = jpeg(side: 8, extra: [])
    case "large picture": answer.small = jpeg(side: 257, extra: [])
    case "metadata": answer.small = jpeg(side: 8, extra: [0xff, 0xe1, 0, 8] + Array("Exif\0\0".utf8))
    case "comment": answer.small = jpeg(side: 8, extra: [0xff, 0xfe, 0, 6] + Array("note".utf8))
    case "behind the end": answer.small = jpeg(side: 8, extra: []) + [1, 0xff, 0xd9]
    case "no jpeg": answer.small = Array("no jpeg at all".utf8)
    case "too many facts": answer.found = [UInt8](repeating: 1, count: Derivatives.mostFactBytes + 1)
    case "no medium":
      send(.failed, DecoderError.notMedia.encoded)
      return
    case "part":
      send(.part, [1])
      return
    case "asks for little": askForMemory(Int64(Decoder.freeMemory))
    case "asks for less than none": askForMemory(-1)
    case "asks shortly": send(.admit, [0, 0, 0, 64])
    case "asks twice": for _ in 0..<2 { askForMemory(1 << 30) }
    case let text where text.hasPrefix("needs "):
      // What is read behind is for the test to hold it up.
      let words = text.split(separator: " ")
      askForMemory((Int64(words[1]) ?? 0) << 20)
      _ = ask(offset: Self.placeBehind, count: 1)
      if words.count > 2 { abort() }
      answer.small = jpeg(side: 8, extra: [])
    case "too wide": answer.facts.width = MediaFacts.mostSide + 1
    case "turned": answer.facts.orientation = 9
    case "descriptors":
      answer.facts.height = (0..<1024).count { fcntl($0, F_GETFD) != -1 }
      answer.small = jpeg(side: 8, extra: [])
    case "good": if request.sizes.contains(.small) { answer.small = jpeg(side: 8, extra: []) }
    case let text where text.hasPrefix("reason"):
      send(
        .failed,
        [3, 0, 4, 0, 0] + [UInt8](repeating: 0x1b, count: 512) + Array("x".utf8) + [UInt8](repeating: 0xc3, count: 511))
      return
    default: exit(2)
    }
    send(.derived, answer.encoded)
  }

  /// The markers of a JPEG, which is all that is checked.
  private static func jpeg(side: UInt16, extra: [UInt8]) -> [UInt8] {
    let sides = [UInt8(side >> 8), UInt8(side & 255), UInt8(side >> 8), UInt8(side & 255)]
    return [0xff, 0xd8] + extra + [0xff, 0xc0, 0, 11, 8] + sides + [1, 1, 0x11, 0]
      + [0xff, 0xda, 0, 8, 1, 1, 0, 0, 63, 0] + [1, 2, 3, 0xff, 0xd9]
  }

  /// Where a decoder reads that was granted memory.
  private static let placeBehind: Int64 = 32

  private static func askForMemory(_ bytes: Int64) {
    var request = ByteWriter()
    request.append(bytes)
    send(.admit, request.bytes)
    guard receive().0 == WireMessage.admitted.rawValue else { exit(4) }
  }

  static func ask(offset: Int64, count: UInt32) -> [UInt8] {
    var request = ByteWriter()
    request.append(offset)
    request.append(count)
    send(.read, request.bytes)
    return Array(receive().1.dropFirst())
  }

  static func send(_ message: WireMessage, _ body: [UInt8]) {
    var header = ByteWriter()
    header.append(message.rawValue)
    header.append(UInt32(body.count))
    write(header.bytes + body)
  }

  static func receive() -> (UInt32, [UInt8]) {
    let head = read(8).map(UInt32.init)
    return (head[0], read(Int(head[4] | head[5] << 8 | head[6] << 16 | head[7] << 24)))
  }

  private static func write(_ bytes: [UInt8]) {
    guard unsafe Glibc.write(0, bytes, bytes.count) == bytes.count else { exit(3) }
  }

  private static func read(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = count == 0 ? 0 : unsafe recv(0, &bytes, count, Int32(MSG_WAITALL))
    guard got == count else { exit(0) }
    return bytes
  }
}
