/// Writes the fixed little-endian encodings of the format.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  /// `capacity` is how many bytes are expected.
  init(capacity: Int = 128) { bytes.reserveCapacity(capacity) }

  mutating func append(_ value: some FixedWidthInteger) {
    unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  mutating func append(_ value: [UInt8]) { bytes.append(contentsOf: value) }

  mutating func append(_ value: UnsafeRawBufferPointer) { unsafe bytes.append(contentsOf: value) }

  /// Appends zeros until there are `count` bytes.
  mutating func pad(to count: Int) {
    bytes.append(contentsOf: repeatElement(0, count: max(0, count - bytes.count)))
  }
}

/// Reads the fixed little-endian encodings of the format; every read is checked against the end.
struct ByteReader {
  /// The bytes ended before the value did.
  struct Truncated: Error {}

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var remaining: Int { bytes.count - position }

  mutating func read<I: FixedWidthInteger>(_ type: I.Type = I.self) throws(Truncated) -> I {
    guard remaining >= MemoryLayout<I>.size else { throw Truncated() }
    let value = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: position, as: I.self) }
    position += MemoryLayout<I>.size
    return I(littleEndian: value)
  }

  mutating func readBytes(_ count: Int) throws(Truncated) -> [UInt8] {
    guard count >= 0, remaining >= count else { throw Truncated() }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }
}
