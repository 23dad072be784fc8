import TestSupport
import Testing

@testable import Import

/// Names that no Takeout has.
@Suite struct TakeoutFuzzTests {
  /// What names are put together from.
  private static let pieces: [[UInt8]] =
    [
      "X", "x", "Y", "IMG_1", "(1)", "(2)", "(", ")", "(0", "(999999999999)", ".", "..", ".jpg", ".JPG", ".HEIC",
      ".mp4",
      ".MP", ".json", ".JSON", ".supplemental-metadata", ".supplemental", ".s", ".metadata", "-edited", "-bearbeitet",
      "-ed", "-", "é", "e\u{301}", "\u{301}", "\u{200D}", "👩‍👩‍👧", "수정됨", "metadata", "Metadaten", "Photos from 2019",
      "Google Photos", "Takeout", "Trash", "#", "2019", " ", "/", "&", "_",
      "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn",
    ].map { Array($0.utf8) } + [[0], [0xFF], [0xC3], [0x80], [0xED, 0xA0, 0x80], [0xF0, 0x9F]]

  private static func name(_ numbers: inout SplitMix64) -> [UInt8] {
    if UInt8.random(in: 0..<10, using: &numbers) == 0 {
      return (0..<Int.random(in: 0..<70, using: &numbers)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
    }
    return (0..<Int.random(in: 0..<6, using: &numbers)).flatMap { _ in pieces.randomElement(using: &numbers) ?? [] }
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func anyBytesAreAccountedFor(_ seed: UInt64) {
    var numbers = SplitMix64(state: seed)
    let directories = (0..<3).map { _ in Self.name(&numbers) + [0x2F] }
    var inputs = (0..<Int.random(in: 0..<300, using: &numbers)).map { _ in
      var input = TakeoutInput(path: Self.name(&numbers), part: Int.random(in: 0..<3, using: &numbers))
      if Bool.random(using: &numbers) { input.path = (directories.randomElement(using: &numbers) ?? []) + input.path }
      if Bool.random(using: &numbers) { input.path += Array(".json".utf8) }
      if input.isJSON, Bool.random(using: &numbers) { input.title = Self.name(&numbers) }
      return input
    }
    // Some are there several times.
    inputs += inputs.filter { _ in UInt8.random(in: 0..<10, using: &numbers) == 0 }
    let matches = TakeoutMatches.of(inputs)
    matches.checkAllAccountedFor(inputs)
    var counted: [TakeoutResult: Int] = [:]
    for result in matches.results(inputs) { counted[result, default: 0] += 1 }
    for _ in 0..<2 {
      let shuffled = inputs.shuffled(using: &numbers)
      let again = TakeoutMatches.of(shuffled)
      for result in again.results(shuffled) { counted[result, default: 0] -= 1 }
      #expect(counted.values.allSatisfy { $0 == 0 })
      for result in again.results(shuffled) { counted[result, default: 0] += 1 }
      #expect(again.isTakeout == matches.isTakeout)
      #expect(again.directories.map(\.path) == matches.directories.map(\.path))
      let firstDifference = zip(again.order, matches.order).first { shuffled[$0].normal != inputs[$1].normal }.map {
        (shuffled[$0].normal, inputs[$1].normal, again.directory(of: $0), matches.directory(of: $1))
      }
      #expect(firstDifference == nil)
    }
  }

  @Test func nothingAndOneFile() {
    TakeoutMatches.of([]).checkAllAccountedFor([])
    for path in ["", "/", "//", ".json", "a/", "/.json", "(1).json", "..json"] {
      let inputs = [TakeoutInput(path: Array(path.utf8), title: [])]
      TakeoutMatches.of(inputs).checkAllAccountedFor(inputs)
    }
  }

  /// Names that all look alike must not make it slow.
  @Test func manyAlike() {
    let long = String(repeating: "n", count: 60)
    let inputs = (0..<1000).flatMap { number in
      ["\(long)\(number).jpg", "\(long)-edited(\(number)).jpg", "\(long).jpg.s(\(number)).json", "X(\(number)).json"]
        .map {
          TakeoutInput(path: Array($0.utf8), title: Array((long + ".jpg").utf8))
        }
    }
    TakeoutMatches.of(inputs).checkAllAccountedFor(inputs)
  }
}
