// The decoder's description of a file without part of its content: the ranges of it that stay, and the bytes inserted
// between them. The bytes that stay never pass through the decoder's answer, so a file may have any size.
//
// Invariants
// 1. Ranges lie within the file and ascend, so none of its bytes occurs twice. Inserted bytes are few.

package import System

/// The metadata to remove from a file.
package enum StripMode: UInt8, Sendable, CaseIterable {
  /// The position, and all metadata in which it may hide: only fields known not to contain it stay.
  case location = 1
  /// All metadata except the data needed to show the picture.
  case all
}

/// The content of the new file.
package struct ContentRecipe: Sendable, Equatable {
  /// The parts, in order.
  package enum Piece: Sendable, Equatable {
    case range(Range<Int64>)
    case bytes([UInt8])
    case zeros(Int64)
  }

  package private(set) var pieces: [Piece] = []

  /// Most pieces, and most bytes inserted.
  package static let mostPieces = 400_000
  package static let mostBytes = 1 << 20

  /// An empty file.
  package init() {}

  /// Appends a range of the file; adjacent ranges are merged.
  package mutating func keep(_ range: Range<Int64>) {
    if range.isEmpty { return }
    if case .range(let last)? = pieces.last, last.upperBound == range.lowerBound {
      pieces[pieces.count - 1] = .range(last.lowerBound..<range.upperBound)
    } else {
      pieces.append(.range(range))
    }
  }

  /// Appends bytes.
  package mutating func put(_ bytes: [UInt8]) { if !bytes.isEmpty { pieces.append(.bytes(bytes)) } }

  /// Appends zeros.
  package mutating func putZeros(_ count: Int64) {
    if count <= 0 { return }
    if case .zeros(let before)? = pieces.last {
      pieces[pieces.count - 1] = .zeros(before + count)
    } else {
      pieces.append(.zeros(count))
    }
  }

  /// The message's bytes: each piece is its kind and its numbers.
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: pieces.count * 17)
    writer.append(UInt32(pieces.count))
    for piece in pieces {
      switch piece {
      case .range(let range):
        writer.append(UInt8(1))
        writer.append(range.lowerBound)
        writer.append(range.upperBound)
      case .bytes(let bytes):
        writer.append(UInt8(2))
        writer.blob(bytes)
      case .zeros(let count):
        writer.append(UInt8(3))
        writer.append(count)
      }
    }
    return writer.bytes
  }

  /// Decodes a message about a file of `size` bytes.
  package init(decoding bytes: [UInt8], size: Int64) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    let count = Int(try reader.read(UInt32.self))
    guard count <= Self.mostPieces else { throw ByteReader.Malformed() }
    var end: Int64 = 0
    var left = Self.mostBytes
    var zeros: Int64 = 0
    for _ in 0..<count {
      switch try reader.read(UInt8.self) {
      case 1:
        let (start, stop) = (try reader.read(Int64.self), try reader.read(Int64.self))
        guard start >= end, stop > start, stop <= size else { throw ByteReader.Malformed() }
        end = stop
        pieces.append(.range(start..<stop))
      case 2:
        let bytes = try reader.blob(most: left)
        left -= bytes.count
        pieces.append(.bytes(bytes))
      case 3:
        let more = try reader.read(Int64.self)
        guard more > 0, more <= size - zeros else { throw ByteReader.Malformed() }
        zeros += more
        pieces.append(.zeros(more))
      default: throw ByteReader.Malformed()
      }
    }
    try reader.finish()
  }
}

/// A job: removing metadata from a file.
package struct StripRequest: Sendable, Equatable {
  /// Bytes in the file.
  package var fileSize: Int64
  package var mode: StripMode

  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(fileSize)
    writer.append(mode.rawValue)
    return writer.bytes
  }
}

extension StripRequest {
  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    fileSize = try reader.read(Int64.self)
    guard let mode = StripMode(rawValue: try reader.read(UInt8.self)), fileSize >= 0 else {
      throw ByteReader.Malformed()
    }
    self.mode = mode
    try reader.finish()
  }
}

/// A job: a JPEG of a picture within a given size.
package struct ResizeRequest: Sendable, Equatable {
  /// Bytes in the file.
  package var fileSize: Int64
  /// Most pixels on the longer side.
  package var side: Int

  /// The message's bytes.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(fileSize)
    writer.append(UInt32(clamping: side))
    return writer.bytes
  }
}

extension ResizeRequest {
  /// Decodes a message.
  package init(decoding bytes: [UInt8]) throws(ByteReader.Malformed) {
    var reader = ByteReader(bytes)
    fileSize = try reader.read(Int64.self)
    side = Int(try reader.read(UInt32.self))
    try reader.finish()
    guard fileSize >= 0, (1...MediaFacts.mostSide).contains(side) else { throw ByteReader.Malformed() }
  }
}
