// Invariants
// 1. A patch says how a page differs from the page's own blob in the log, the *base*; not from the patch before it.
// 2. Whatever a patch holds, applying it stays within the page: ranges are checked when it is decoded.

/// How a page of the database differs from what stands for it in the log: the changed bytes and where they go.
struct PagePatch: Equatable, Sendable {
  /// The most bytes that a patch is worth; above, the whole page is written.
  static let maximumSize = 1024
  private static let pageSize = Space.databasePageSize
  private static let word = MemoryLayout<UInt64>.size
  /// Offset and length of a range, 2 bytes each.
  private static let rangeHeaderSize = 4

  /// Ranges in order: offset in the page (2), length (2), bytes.
  let encoded: [UInt8]

  /// The difference from `base` to `page`, both 4096 bytes; nil when it takes more than `maximumSize` bytes.
  init?(from base: UnsafeRawBufferPointer, to page: UnsafeRawBufferPointer) {
    precondition(base.count == Self.pageSize && page.count == Self.pageSize)
    var writer = ByteWriter()
    var offset = 0
    while true {
      while offset < Self.pageSize, unsafe Self.isEqual(base, page, at: offset) { offset += Self.word }
      guard offset < Self.pageSize else { break }
      let start = offset
      while offset < Self.pageSize, unsafe !Self.isEqual(base, page, at: offset) { offset += Self.word }
      let length = offset - start
      guard writer.bytes.count + Self.rangeHeaderSize + length <= Self.maximumSize else { return nil }
      writer.append(UInt16(start))
      writer.append(UInt16(length))
      unsafe writer.append(UnsafeRawBufferPointer(rebasing: page[start..<offset]))
    }
    encoded = writer.bytes
  }

  private static func isEqual(_ base: UnsafeRawBufferPointer, _ page: UnsafeRawBufferPointer, at offset: Int) -> Bool {
    unsafe base.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      == page.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }

  /// What `encoded` was.
  ///
  /// - Throws: when the ranges are not within a page.
  init(decoding bytes: [UInt8]) throws(ByteReader.Truncated) {
    var reader = ByteReader(bytes)
    while reader.remaining > 0 {
      let start = Int(try reader.read(UInt16.self))
      let length = Int(try reader.read(UInt16.self))
      guard start + length <= Self.pageSize else { throw ByteReader.Truncated() }
      _ = try reader.readBytes(length)
    }
    encoded = bytes
  }

  /// Makes the base in `page`, 4096 bytes, the page that was committed.
  func apply(to page: UnsafeMutableRawBufferPointer) {
    precondition(page.count == Self.pageSize)
    unsafe encoded.withUnsafeBytes { patch in
      var position = 0
      while position < patch.count {
        let start = unsafe Int(patch.loadUnaligned(fromByteOffset: position, as: UInt16.self).littleEndian)
        let length = unsafe Int(patch.loadUnaligned(fromByteOffset: position + 2, as: UInt16.self).littleEndian)
        position += Self.rangeHeaderSize
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: page[start..<start + length])
        unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: patch[position..<position + length]))
        position += length
      }
    }
  }
}

/// Patches by page, as commits and heads hold them: page number (4), length (4), patch, in order of the numbers.
enum PatchList {
  private static let entrySize = 8

  /// Bytes that the list takes.
  static func size(_ patches: [PageNumber: PagePatch]) -> Int {
    patches.values.reduce(0) { $0 + entrySize + $1.encoded.count }
  }

  static func encode(_ patches: [PageNumber: PagePatch], into writer: inout ByteWriter) {
    if patches.isEmpty { return }
    for (page, patch) in patches.sorted(by: { $0.key < $1.key }) {
      writer.append(page.rawValue)
      writer.append(UInt32(patch.encoded.count))
      writer.append(patch.encoded)
    }
  }

  /// Reads `count` patches, or without it to the end of the bytes.
  static func decode(
    _ reader: inout ByteReader, count: Int? = nil
  ) throws(ByteReader.Truncated) -> [PageNumber: PagePatch] {
    var patches: [PageNumber: PagePatch] = [:]
    while count.map({ patches.count < $0 }) ?? (reader.remaining > 0) {
      let page = PageNumber(rawValue: try reader.read())
      let length = Int(try reader.read(UInt32.self))
      patches[page] = try PagePatch(decoding: try reader.readBytes(length))
    }
    return patches
  }
}
