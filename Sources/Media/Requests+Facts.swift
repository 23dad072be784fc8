package import System

/// A job: all facts of a file.
package struct FactsRequest: Sendable, Equatable {
  /// Bytes in the file.
  package var fileSize: Int64
  /// Its small derivative; empty if there is none.
  package var small: [UInt8]

  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: small.count + 16)
    writer.append(fileSize)
    writer.blob(small)
    return writer.bytes
  }
}

extension FactsRequest {
  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    fileSize = try reader.read(Int64.self)
    small = try reader.blob(most: DerivativeSize.small.mostBytes)
    try reader.finish()
    guard fileSize >= 0 else { throw ByteReader.Malformed() }
  }
}

/// A job: all facts of a sidecar.
package struct SidecarRequest: Sendable, Equatable {
  package var kind: SidecarKind
  package var content: [UInt8]

  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: content.count + 8)
    writer.append(kind.rawValue)
    writer.blob(content)
    return writer.bytes
  }
}

extension SidecarRequest {
  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    guard let kind = SidecarKind(rawValue: try reader.read(UInt8.self)) else { throw ByteReader.Malformed() }
    self.kind = kind
    content = try reader.blob(most: Decoder.mostSidecarBytes)
    try reader.finish()
  }
}

/// A job on a whole picture that needs only the file.
package struct PictureRequest: Sendable, Equatable {
  /// Bytes in the file.
  package var fileSize: Int64

  package init(fileSize: Int64) { self.fileSize = fileSize }

  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(fileSize)
    return writer.bytes
  }

  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    fileSize = try reader.read(Int64.self)
    try reader.finish()
    guard fileSize >= 0 else { throw ByteReader.Malformed() }
  }
}
