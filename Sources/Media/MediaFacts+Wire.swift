package import System

extension MediaFacts {
  /// Most pixels on a side, in any format.
  package static let mostSide = 1 << 20

  /// Appends the facts to a message.
  package func encode(to writer: inout ByteWriter) {
    writer.append(kind.rawValue)
    writer.append(Int32(clamping: width))
    writer.append(Int32(clamping: height))
    writer.append(UInt8(clamping: orientation))
  }

  /// Reads facts from a message and checks that each is possible.
  package init(from reader: inout ByteReader) throws(ByteReader.Malformed) {
    guard let kind = MediaKind(rawValue: try reader.read(UInt8.self)) else { throw ByteReader.Malformed() }
    self.init(
      kind: kind, width: Int(try reader.read(Int32.self)), height: Int(try reader.read(Int32.self)),
      orientation: Int(try reader.read(UInt8.self)))
    guard isPossible else { throw ByteReader.Malformed() }
  }

  /// Whether every fact is one that a real medium can have.
  package var isPossible: Bool {
    (1...Self.mostSide).contains(width) && (1...Self.mostSide).contains(height) && (1...8).contains(orientation)
  }
}
