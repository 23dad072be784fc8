import FaultyStorage
import System
import SystemPackage
import Testing

@testable import Vault

/// Several threads seal what is appended, and the log is as if one had.
@Suite struct ParallelAppendTests {
  /// Lengths of the writes: over several segments, small and large.
  private static let lengths = (0..<24).map { number in number.isMultiple(of: 3) ? 700_000 : 1000 + 37_000 * number }
  private static let bytes = randomBytes(lengths.reduce(0, +), seed: 7)

  private func append(to space: Space, on threads: Int) throws -> [ExtentPiece] {
    try unsafe Self.bytes.withUnsafeBytes { buffer in
      var writes: [ExtentWrite] = []
      var start = 0
      for (number, length) in Self.lengths.enumerated() {
        let part = unsafe UnsafeRawBufferPointer(rebasing: buffer[start..<start + length])
        unsafe writes.append(
          ExtentWrite(inode: InodeNumber(rawValue: UInt64(number + 5)), offset: .zero, plaintext: part))
        start += length
      }
      return try space.append(writes, on: Parallel(threads: threads))
    }
  }

  private func text(_ piece: ExtentPiece) -> String {
    "\(piece.write) \(piece.offset.rawValue) \(piece.length) \(piece.position.segment.rawValue) \(piece.position.offset)"
  }

  @Test(arguments: [2, 8]) func placesDoNotDependOnThreads(_ threads: Int) throws {
    let (alone, several) = (TestSpace(), TestSpace())
    let expected = try append(to: alone.space, on: 1)
    let pieces = try append(to: several.space, on: threads)
    #expect(pieces.map(text) == expected.map(text))
    #expect(several.storage.operationCount == alone.storage.operationCount)
    var starts = [0]
    for length in Self.lengths { starts.append((starts.last ?? 0) + length) }
    for piece in pieces {
      let start = starts[piece.write] + Int(piece.offset.rawValue)
      #expect(try several.space.bytes(piece) == Array(Self.bytes[start..<start + piece.length]))
    }
    try several.space.commitDurably(version: 1)
    #expect(several.space.verify(readData: true, on: Parallel(threads: threads)) == [])
    // Whoever opens it after a crash finds all of it, in its order.
    try several.reopenAfterKill()
    #expect(several.space.origin.warning == nil)
    #expect(several.space.verify(readData: true) == [])
  }

  /// Whatever fails, all threads come to an end, and nothing is written afterwards.
  @Test func aFailureEndsAllThreads() throws {
    var failures = 0
    for number in 1...24 {
      let test = TestSpace()
      try test.space.commitDurably(version: 1)
      test.storage.inject(.error(.ioError, at: test.storage.operationCount + number))
      do {
        _ = try append(to: test.space, on: 8)
      } catch {
        failures += 1
        #expect(test.space.isReadOnly, "operation \(number)")
        #expect(throws: VaultError.self, "operation \(number)") { try append(to: test.space, on: 8) }
      }
      test.storage.inject(nil)
      try test.reopenAfterKill()
      #expect(try test.space.pageBytes(1) == page(1, version: 1), "operation \(number)")
    }
    #expect(failures > 10)
  }
}
