/// Writes fixed encodings: numbers little-endian, everything else as it is.
@usableFromInline package struct ByteWriter {
  /// What was written.
  @usableFromInline package internal(set) var bytes: [UInt8] = []

  /// `capacity` is how many bytes are expected.
  @inlinable package init(capacity: Int = 128) { bytes.reserveCapacity(capacity) }

  /// Appends a number, in as many bytes as its type has.
  @inlinable package mutating func append(_ value: some FixedWidthInteger) {
    unsafe withUnsafeBytes(of: value.littleEndian) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends bytes.
  @inlinable package mutating func append(_ value: some Collection<UInt8>) { bytes.append(contentsOf: value) }

  /// Appends zeros until there are `count` bytes.
  @inlinable package mutating func pad(to count: Int) {
    bytes.append(contentsOf: repeatElement(0, count: max(0, count - bytes.count)))
  }
}

/// Reads fixed encodings from bytes that nobody vouches for: every read is checked against the end.
@usableFromInline package struct ByteReader {
  /// The bytes end early, or do not mean what they must.
  @usableFromInline package struct Malformed: Error {
    /// Throw it for a value that makes no sense, too.
    @inlinable package init() {}
  }

  @usableFromInline let bytes: [UInt8]
  @usableFromInline var position = 0

  /// A reader at the first of `bytes`.
  @inlinable package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// How many bytes were not read yet.
  @inlinable package var remaining: Int { bytes.count - position }

  /// Reads a little-endian number.
  @inlinable package mutating func read<I: FixedWidthInteger>(_ type: I.Type = I.self) throws(Malformed) -> I {
    guard remaining >= MemoryLayout<I>.size else { throw Malformed() }
    let value = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: position, as: I.self) }
    position += MemoryLayout<I>.size
    return I(littleEndian: value)
  }

  /// Reads `count` bytes.
  @inlinable package mutating func readBytes(_ count: Int) throws(Malformed) -> [UInt8] {
    guard count >= 0, remaining >= count else { throw Malformed() }
    defer { position += count }
    return Array(bytes[position..<position + count])
  }

  /// Throws if bytes are left.
  @inlinable package func finish() throws(Malformed) {
    guard remaining == 0 else { throw Malformed() }
  }
}
