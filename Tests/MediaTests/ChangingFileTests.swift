import SystemPackage
import TestSupport
import Testing

@testable import Media

/// Files that others write while the decoder reads them.
@Suite(.timeLimit(.minutes(5))) struct ChangingFileTests {
  /// A photo that becomes a grey one between two looks at it, whose pixels are a third of the bytes. What is made is one
  /// of both, or nothing, and never memory behind the pixels.
  @Test func aPhotoBecomesAGreyOne() throws {
    let bench = try Bench()
    // More than the decoder keeps of a file, so that each look at it reads the picture behind this again.
    let filler = (0..<300).map { _ in (marker: UInt8(0xE9), body: [UInt8](repeating: 0, count: 65_000)) }
    var photo = try bench.quarters("photo.jpg", width: 400, height: 300).adding(segments: filler)
    var grey = try bench.quarters(
      "grey.jpg", width: 400, height: 300, by: "vips extract_band quarters.ppm grey.jpg 0"
    ).adding(segments: filler)
    let size = max(photo.count, grey.count)
    photo += [UInt8](repeating: 0, count: size - photo.count)
    grey += [UInt8](repeating: 0, count: size - grey.count)
    // The picture is in one of the pieces that the decoder asks for, alone or with those before it.
    let last = Int64(size) / Int64(WireMessage.stepBytes) * Int64(WireMessage.stepBytes)
    try #require(last < filler.count * 65_004)
    let decoder = Bench.decoder()
    func made(_ looks: Counter, changingAt change: Int) throws(DecoderError) -> [UInt8] {
      let source = BehavingSource(size: Int64(size)) { [photo, grey] (offset, count) throws(Errno) in
        let bytes = offset + Int64(count) > last && looks.next() >= change ? grey : photo
        return Array(bytes[Int(offset)..<min(Int(offset) + count, size)])
      }
      return try decoder.derive([.small], eagerly: false, from: source).small ?? []
    }
    let looks = Counter()
    let whole = [
      try Pixels(made(looks, changingAt: .max), in: bench), try Pixels(made(Counter(), changingAt: 0), in: bench),
    ]
    try #require(looks.value > 1)
    for change in 1..<looks.value {
      let outcome = Result { () throws(DecoderError) -> [UInt8] in try made(Counter(), changingAt: change) }
      switch outcome {
      case .success(let picture):
        let shown = try Pixels(picture, in: bench)
        #expect(whole.contains { shown.difference(from: $0).map { $0 < 2 } ?? false }, "\(change)")
      case .failure(.undecodable): break
      case .failure(let error): Issue.record("\(change): \(error)")
      }
    }
  }
}
