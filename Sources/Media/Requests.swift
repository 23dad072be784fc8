package import System

/// A job: derivatives of a file that the decoder reads piece by piece.
package struct DeriveRequest: Sendable, Equatable {
  /// The sizes to make.
  package var sizes: Set<DerivativeSize>
  /// Whether the large one may be left out if a thumbnail in the file suffices for the small one.
  package var eagerly: Bool
  /// Bytes in the file.
  package var fileSize: Int64

  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt8(sizes.contains(.small) ? 1 : 0))
    writer.append(UInt8(sizes.contains(.large) ? 1 : 0))
    writer.append(UInt8(eagerly ? 1 : 0))
    writer.append(fileSize)
    return writer.bytes
  }
}

extension DeriveRequest {
  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    sizes = []
    if try reader.flag() { sizes.insert(.small) }
    if try reader.flag() { sizes.insert(.large) }
    eagerly = try reader.flag()
    fileSize = try reader.read(Int64.self)
    try reader.finish()
    guard fileSize >= 0 else { throw ByteReader.Malformed() }
  }
}

/// A job: a PNG of a derivative.
package struct PNGRequest: Sendable, Equatable {
  /// The picture.
  package var jpeg: [UInt8]
  /// Most pixels on the longer side.
  package var longerSide: Int

  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(UInt16(clamping: longerSide))
    writer.blob(jpeg)
    return writer.bytes
  }
}

extension PNGRequest {
  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    longerSide = Int(try reader.read(UInt16.self))
    jpeg = try reader.blob(most: DerivativeSize.large.mostBytes)
    try reader.finish()
  }
}
