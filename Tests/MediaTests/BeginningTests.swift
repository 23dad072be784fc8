import SystemPackage
import TestSupport
import Testing

@testable import Media

/// How often a file is read for the decoder.
@Suite(.timeLimit(.minutes(5))) struct BeginningTests {
  /// A JPEG of about so many bytes, most of them in segments that say nothing.
  private static func photo(_ bench: Bench, bytes: Int) throws -> [UInt8] {
    let picture = try bench.quarters("photo.jpg", width: 400, height: 300)
    let filler = (0..<(bytes / 65_004)).map { _ in (marker: UInt8(0xE9), body: [UInt8](repeating: 0, count: 65_000)) }
    return picture.adding(segments: filler)
  }

  @Test func aSmallFileIsReadOnceForEachJob() throws {
    let photo = try Self.photo(Bench(), bytes: 131_000)
    let decoder = Bench.decoder()
    let (derived, asked, shown) = (MemorySource(photo), MemorySource(photo), MemorySource(photo))
    _ = try decoder.derive([.small, .large], eagerly: true, from: derived)
    _ = try decoder.facts(of: asked, small: nil)
    _ = try decoder.full(of: shown)
    for source in [derived, asked, shown] {
      #expect(source.reads == 1)
      #expect(source.bytesRead == photo.count)
    }
  }

  /// No byte of it is read twice, and most come in requests of the largest size.
  @Test func aLargeFileIsReadInFewSteps() throws {
    let source = MemorySource(try Self.photo(Bench(), bytes: 10_000_000))
    try #require(source.size > 9_500_000)
    let made = try Bench.decoder().derive([.small, .large], eagerly: true, from: source)
    #expect(made.small != nil && made.large != nil)
    #expect(source.bytesRead <= Int(source.size))
    #expect(source.reads <= 16)
  }

  /// What is sent before anybody needs it may be damaged.
  @Test func damageBehindWhatIsNeededHarmsNothing() throws {
    let bench = try Bench()
    try bench.shell("vips gaussnoise noise.v 700 500 && vips cast noise.v picture.png uchar")
    let picture = try bench.file("picture.png")
    let readable = 2 * WireMessage.stepBytes
    try #require(picture.count > WireMessage.stepBytes && picture.count < readable)
    for size in [900_000, 3_000_000] {
      let source = BehavingSource(size: Int64(size)) { (offset, count) throws(Errno) in
        let end = min(Int(offset) + count, size)
        if end > readable { throw .ioError }
        let known = picture.dropFirst(Int(offset)).prefix(count)
        return Array(known) + [UInt8](repeating: 0, count: max(0, end - Int(offset) - known.count))
      }
      let made = try Bench.decoder().derive([.small], eagerly: false, from: source)
      #expect(made.small != nil, "\(size)")
    }
  }
}
