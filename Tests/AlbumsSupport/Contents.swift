package import FaultyStorage
internal import Glibc
package import SystemPackage
package import Testing

extension FaultyStorage {
  /// A storage that holds so many bytes at most.
  package convenience init(limit: Int) {
    self.init()
    setLimit(limit)
  }
}

/// `count` bytes that depend on `seed`, none of them zero.
package func pattern(_ count: Int, _ seed: Int) -> [UInt8] {
  var generator = SeededGenerator(seed: UInt64(truncatingIfNeeded: seed))
  return unsafe [UInt8](unsafeUninitializedCapacity: (count + 7) & ~7) { buffer, filled in
    let words = UnsafeMutableRawBufferPointer(buffer)
    // A loop over a range takes ten times as long in a debug build.
    var place = 0
    while place < count {
      unsafe words.storeBytes(of: generator.next() | 0x0101_0101_0101_0101, toByteOffset: place, as: UInt64.self)
      place += 8
    }
    filled = count
  }
}

/// Whether the bytes are the same; quick in a debug build, too.
package func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
  unsafe one.count == other.count && memcmp(one, other, one.count) == 0
}

/// Whether all bytes are zero; quick in a debug build, too.
package func isZero(_ bytes: ArraySlice<UInt8>) -> Bool {
  isSame(Array(bytes), [UInt8](repeating: 0, count: bytes.count))
}

/// Expects an error number.
package func expect(_ errno: Errno, _ body: () throws -> Void, at location: SourceLocation = #_sourceLocation) {
  #expect(throws: errno, sourceLocation: location) { try body() }
}
