/// Writes fixed encodings: numbers little-endian, everything else as it is.
@usableFromInline package struct ByteWriter {
  /// The bytes written so far.
  @usableFromInline package internal(set) var bytes: [UInt8] = []

  /// `capacity` is the expected number of bytes.
  @inlinable package init(capacity: Int = 128) { bytes.reserveCapacity(capacity) }

  /// Appends a number, in the number of bytes of its type.
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

/// Reads fixed encodings from untrusted bytes: every read is checked against the end.
@usableFromInline package struct ByteReader {
  /// The bytes end early, or have an invalid value.
  @usableFromInline package struct Malformed: Error {
    /// Throw it also for an invalid value.
    @inlinable package init() {}
  }

  @usableFromInline let bytes: [UInt8]
  @usableFromInline var position = 0

  /// A reader at the first of `bytes`.
  @inlinable package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of bytes that were not read yet.
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
