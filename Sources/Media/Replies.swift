package import System

extension DecoderError {
  /// Most bytes of a reason.
  package static let mostTextBytes = 200

  /// The message's bytes. The decoder reports only errors of the content.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .notMedia: writer.append(UInt8(1))
    case .tooLarge: writer.append(UInt8(2))
    case .undecodable(let reason):
      writer.append(UInt8(3))
      writer.blob(Self.printable(reason.utf8))
    case .crashed, .killed, .timedOut, .unavailable, .source:
      preconditionFailure("an error of the daemon's own")
    }
    return writer.bytes
  }

  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    switch try reader.read(UInt8.self) {
    case 1: self = .notMedia
    case 2: self = .tooLarge
    case 3: self = .undecodable(String(decoding: Self.printable(try reader.blob(most: 4096)), as: UTF8.self))
    default: throw ByteReader.Malformed()
    }
    try reader.finish()
  }

  /// One line of ASCII that is safe to show anywhere, cut to the allowed length.
  static func printable(_ text: some Sequence<UInt8>) -> [UInt8] {
    var result = text.prefix(mostTextBytes).map { (0x20...0x7e).contains($0) ? $0 : 0x20 }
    while result.last == 0x20 { result.removeLast() }
    return result
  }
}

extension Derivatives {
  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    facts.encode(to: &writer)
    writer.blob(found)
    writer.blob(small ?? [])
    writer.blob(large ?? [])
    return writer.bytes
  }

  /// Decodes a message and checks everything in it. Anything wrong is an error and never repaired.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    facts = try MediaFacts(from: &reader)
    found = try reader.blob(most: Self.mostFactBytes)
    small = try Self.jpeg(&reader, .small)
    large = try Self.jpeg(&reader, .large)
    try reader.finish()
  }

  private static func jpeg(_ reader: inout ByteReader, _ size: DerivativeSize) throws(ByteReader.Malformed) -> [UInt8]?
  {
    let bytes = try reader.blob(most: size.mostBytes)
    if bytes.isEmpty { return nil }
    guard let shape = PlainJPEG(bytes), max(shape.width, shape.height) <= size.longerSide else {
      throw ByteReader.Malformed()
    }
    return bytes
  }
}
