import TestSupport
import Testing

@testable import Catalog

@Suite struct SimilarTests {
  private struct SimilarCandidate {
    var inode: UInt64
    var hash: UInt64
  }

  private static func groups(of list: [SimilarCandidate]) -> [[UInt64]] {
    var candidates = SimilarCandidates()
    for candidate in list { candidates.append(candidate.inode, hash: candidate.hash) }
    return SimilarPictures.groups(of: candidates)
  }

  /// The rule without bands: each leader compared with all.
  private static func slowGroups(_ candidates: [SimilarCandidate]) -> [[UInt64]] {
    var taken = Set<Int>()
    var groups: [[UInt64]] = []
    for (leader, candidate) in candidates.enumerated()
    where !taken.contains(leader) && SimilarPictures.isUsable(candidate.hash) {
      let group = candidates.indices.filter { index in
        !taken.contains(index) && SimilarPictures.isUsable(candidates[index].hash)
          && (candidates[index].hash ^ candidate.hash).nonzeroBitCount <= SimilarPictures.mostDistance
      }
      taken.formUnion(group)
      if group.count > 1 { groups.append(group.map { candidates[$0].inode }) }
    }
    return groups
  }

  private static func near(_ hash: UInt64, _ bits: Int, _ numbers: inout SeededNumbers) -> UInt64 {
    (0..<64).shuffled(using: &numbers).prefix(bits).reduce(hash) { $0 ^ 1 << UInt64($1) }
  }

  @Test(arguments: TestLength.seedArguments(40)) func bandsFindWhatComparingAllFinds(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    // In smooth pictures, bits beside each other are the same.
    let same: UInt64 = seed % 2 == 0 ? 0 : 0xC0C0_F0F0_C0F0_F0C0
    let centres = (0..<12).map { _ in numbers.next() & ~same } + [0, .max, 0b1111]
    let candidates = (1...250 as ClosedRange<UInt64>).map { inode in
      let centre = centres.randomElement(using: &numbers) ?? 0
      return SimilarCandidate(
        inode: inode, hash: Self.near(centre, Int.random(in: 0...9, using: &numbers), &numbers))
    }
    #expect(Self.groups(of: candidates) == Self.slowGroups(candidates))
  }

  /// Six bits are similar wherever they are, seven are not. Pairs of random hashes have nothing to do with each other.
  @Test(arguments: TestLength.seedArguments(5)) func sixBitsAnywhere(seed: UInt64) {
    var numbers = SeededNumbers(seed: seed)
    var candidates: [SimilarCandidate] = []
    var expected: [[UInt64]] = []
    for pair in 0..<1000 {
      let hash = numbers.next()
      let bits = pair % 9
      let other = Self.near(hash, bits, &numbers)
      guard SimilarPictures.isUsable(hash), SimilarPictures.isUsable(other) else { continue }
      let inode = UInt64(2 * pair)
      candidates += [.init(inode: inode, hash: hash), .init(inode: inode + 1, hash: other)]
      if bits <= 6 { expected.append([inode, inode + 1]) }
    }
    #expect(candidates.count > 1900)
    #expect(Self.groups(of: candidates) == expected)
  }

  @Test func groupsDoNotChain() {
    // Each differs from the next in six bits, from the one after it in twelve.
    let base: UInt64 = 0xAAAA_AAAA_AAAA_AAAA
    let chain = (0..<10).map { index in base ^ (UInt64(1) << UInt64(6 * index) &- 1) }
    let groups = Self.groups(of: chain.enumerated().map { .init(inode: UInt64($0 + 1), hash: $1) })
    #expect(groups == [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10]])
  }

  @Test func evenPicturesAreNotSimilar() {
    let blank = (1...10 as ClosedRange<UInt64>).map { SimilarCandidate(inode: $0, hash: $0 % 2 == 0 ? 0 : .max) }
    #expect(Self.groups(of: blank).isEmpty)
  }

  @Test func equalFiles() {
    let files: [(inode: UInt64, hash: [UInt8], stack: UInt64?)] = [
      (5, [1, 2], nil), (3, [1, 2], nil), (1, [9], nil), (2, [], nil), (4, [], nil), (6, [7], 6), (7, [7], 6),
      (8, [8], 6), (9, [8], nil),
    ]
    #expect(EqualFiles.groups(of: files) == [[3, 5], [8, 9]])
  }
}
