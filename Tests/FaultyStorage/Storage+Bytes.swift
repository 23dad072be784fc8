package import Storage
internal import SystemPackage

// Storages of tests take and give arrays.

extension Storage {
  /// Puts a whole file.
  package func put(_ identifier: SegmentIdentifier, _ content: [UInt8]) throws {
    try unsafe content.withUnsafeBytes { try unsafe putIfAbsent(identifier, content: $0) }
  }

  /// All bytes of a file.
  package func content(of identifier: SegmentIdentifier) throws -> [UInt8] {
    let file = try open(identifier)
    return try file.bytes(at: 0, count: try file.size())
  }
}

extension SegmentReader {
  /// Bytes from an offset on: `count`, or those up to the end.
  package func bytes(at offset: Int, count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: count)
    let found = try unsafe bytes.withUnsafeMutableBytes { try unsafe read(at: offset, into: $0) }
    return Array(bytes[..<found])
  }
}

extension SegmentWriter {
  /// Writes bytes at an offset.
  package func put(_ bytes: [UInt8], at offset: Int) throws {
    try unsafe bytes.withUnsafeBytes { try unsafe write($0, at: offset) }
  }
}
