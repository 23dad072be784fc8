import AlbumsSupport
import Media
import SystemPackage
import TestSupport
import Testing

@testable import Albums
@testable import Library

/// Contents that are read once, for their hash and for the decoder.
@Suite struct ContentMemoryTests {
  /// A file of so many bytes, all of them the same, of which only some may be left.
  private struct Content: MediaSource {
    var size: Int64
    var left: Int64
    var failure: Errno?

    init(_ size: Int64, left: Int64? = nil, failure: Errno? = nil) {
      self.size = size
      self.left = left ?? size
      self.failure = failure
    }

    func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws(Errno) -> Int {
      if let failure { throw failure }
      let count = Int(min(Int64(buffer.count), max(0, left - offset)))
      unsafe buffer.copyBytes(from: [UInt8](repeating: 7, count: count))
      return count
    }
  }

  /// Some of its bytes; nil if it is not there.
  private func bytes(of content: HeldContent?, at offset: Int64, count: Int) throws -> [UInt8]? {
    guard let content else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try unsafe bytes.withUnsafeMutableBytes { buffer throws(Errno) in
      try unsafe content.read(at: offset, into: buffer)
    }
    return Array(bytes.prefix(got))
  }

  @Test func theDecoderSeesWhatWasHashed() throws {
    let maker = TestMaker()
    let vault = try TestVault(thumbnails: maker)
    let file = try vault.files.make("a.jpg")
    maker.hold()
    try vault.files.put(Array("photo a".utf8), file)
    try waitUntil("a thumbnail was begun") { maker.jobs > 0 }
    try vault.files.put(Array("photo b".utf8), file)
    maker.letGo()
    try vault.files.waitUntilNothingIsPending()
    // What was made of the first is thrown away, and no hash is kept for another content.
    #expect(maker.seen == ["photo a", "photo b"])
    try vault.files.put(Array("photo a".utf8), try vault.files.make("b.jpg"))
    try vault.files.waitUntilNothingIsPending()
    #expect(maker.seen == ["photo a", "photo b", "photo a"])
    try vault.files.close()
  }

  @Test func roomIsBoundedAndGivenBack() throws {
    let memory = ContentMemory(largest: 1_000_000, limit: 1_500_000)
    func fits(_ size: Int64) throws -> Bool { try memory.hold(Content(size)) != nil }
    #expect(try !fits(1_000_001))
    #expect(throws: Errno.ioError) { try memory.hold(Content(1_000_000, failure: .ioError)) }
    var first = try memory.hold(Content(1_000_000))
    let second = try memory.hold(Content(500_000))
    #expect(try !fits(1))
    #expect(try bytes(of: first, at: 999_990, count: 100) == [UInt8](repeating: 7, count: 10))
    first = nil
    #expect(try fits(1_000_000))
    #expect(try bytes(of: second, at: 0, count: 3) == [7, 7, 7])
  }

  @Test func aTruncatedFileEndsWhereItEnds() throws {
    let content = try ContentMemory().hold(Content(600_000, left: 300_000))
    #expect(content?.size == 600_000)
    #expect(try bytes(of: content, at: 299_998, count: 10) == [7, 7])
    #expect(try bytes(of: content, at: 400_000, count: 10) == [])
  }
}
