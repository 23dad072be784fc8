/// A job: derivatives of a file that the decoder reads piece by piece.
package struct DeriveRequest: Sendable, Equatable {
  /// The sizes to make.
  package var sizes: Set<DerivativeSize>
  /// Whether the large one may be left out if it takes long.
  package var eagerly: Bool
  /// Bytes in the file.
  package var fileSize: Int64

  package init(sizes: Set<DerivativeSize>, eagerly: Bool, fileSize: Int64) {
    self.sizes = sizes
    self.eagerly = eagerly
    self.fileSize = fileSize
  }

  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = WireWriter()
    writer.number(UInt8(sizes.contains(.small) ? 1 : 0))
    writer.number(UInt8(sizes.contains(.large) ? 1 : 0))
    writer.number(UInt8(eagerly ? 1 : 0))
    writer.number(fileSize)
    return writer.bytes
  }

  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(WireError) {
    var reader = WireReader(bytes)
    sizes = []
    if try reader.flag() { sizes.insert(.small) }
    if try reader.flag() { sizes.insert(.large) }
    eagerly = try reader.flag()
    fileSize = try reader.number(Int64.self)
    try reader.finish()
    guard fileSize >= 0 else { throw WireError() }
  }
}

/// A job: a PNG of a derivative.
package struct PNGRequest: Sendable, Equatable {
  /// The picture.
  package var jpeg: [UInt8]
  /// Most pixels on the longer side.
  package var longerSide: Int

  package init(jpeg: [UInt8], longerSide: Int) {
    self.jpeg = jpeg
    self.longerSide = longerSide
  }

  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = WireWriter()
    writer.number(UInt16(clamping: longerSide))
    writer.blob(jpeg)
    return writer.bytes
  }

  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(WireError) {
    var reader = WireReader(bytes)
    longerSide = Int(try reader.number(UInt16.self))
    jpeg = try reader.blob(most: DerivativeSize.large.mostBytes)
    try reader.finish()
  }
}
