import TestSupport
import Testing

@testable import Import

/// Trees that were made after every rule.
@Suite struct TakeoutGeneratedTests {
  @Test(arguments: 0..<20 as Range<UInt64>)
  func whatWasMadeIsFound(_ seed: UInt64) {
    let generator = TakeoutGenerator(seed: seed, files: 400)
    let inputs = generator.inputs
    let matches = TakeoutMatches.of(inputs)
    matches.checkAllAccountedFor(inputs)
    #expect(matches.isTakeout)
    for (number, input) in inputs.enumerated() {
      switch matches.states[number] {
      case .matched(let json, let rule):
        let expected = generator.expected[input.path] ?? nil
        #expect(inputs[json].path == expected, "\(show(input.path)) by \(rule): \(show(inputs[json].path))")
      case .unmatched: #expect(generator.expected[input.path] == .some(nil), "\(show(input.path)) has none")
      case .albumMetadata: #expect(generator.albums.contains(input.path))
      case .used: #expect(generator.expected.values.contains(input.path))
      case .unused: #expect(!generator.expected.values.contains(input.path), "\(show(input.path)) is unused")
      case .accountMetadata: Issue.record("\(show(input.path)) is no file's")
      }
    }
    let kinds = Set(matches.directories.map(\.kind.rank))
    #expect(kinds == [0, 1, 2, 3])
    var random = TestLength.generator()
    let shuffled = inputs.shuffled(using: &random)
    #expect(Set(TakeoutMatches.of(shuffled).results(shuffled)) == Set(matches.results(inputs)))
  }

  /// Takes no rule out by chance.
  @Test func everyWayIsTaken() {
    let generator = TakeoutGenerator(seed: 1, files: 2000)
    #expect(generator.taken.count == 17)
    let matches = TakeoutMatches.of(generator.inputs)
    let rules = Set(
      matches.states.compactMap { state in
        if case .matched(_, let rule) = state { rule } else { nil }
      })
    #expect(rules == Set(TakeoutRule.allCases))
  }

  private func show(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self) }
}
