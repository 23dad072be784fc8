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

  /// What the list has.
  package func listed() throws -> [(identifier: SegmentIdentifier, size: Int, modified: Int64)] {
    var found: [(identifier: SegmentIdentifier, size: Int, modified: Int64)] = []
    try list { identifier, size, modified in found.append((identifier, size, modified)) }
    return found
  }
}

extension SegmentIdentifier {
  /// One of many names, in any of the folders.
  package static func numbered(_ number: Int) -> SegmentIdentifier {
    SegmentIdentifier(bytes: randomBytes(size, seed: UInt64(number)))
  }
}

extension DirectoryStorage {
  /// Makes a storage without parameters in a directory that does not exist or is empty.
  package static func make(at path: String) throws -> DirectoryStorage {
    let creation = try DirectoryCreation(at: FilePath(path))
    try creation.complete()
    return creation.storage
  }
}

extension SegmentWriter {
  /// Writes bytes at an offset.
  package func put(_ bytes: [UInt8], at offset: Int) throws {
    try unsafe bytes.withUnsafeBytes { try unsafe write($0, at: offset) }
  }
}
