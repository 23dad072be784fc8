import FaultyStorage
import Testing

@testable import Vault

/// Commits that state what changed in a page instead of the page.
@Suite struct PatchTests {
  private static let pageSize = Space.databasePageSize

  private func patch(_ base: [UInt8], _ page: [UInt8]) -> PagePatch? {
    unsafe base.withUnsafeBytes { base in unsafe page.withUnsafeBytes { unsafe PagePatch(from: base, to: $0) } }
  }

  private func applied(_ patch: PagePatch, _ base: [UInt8]) -> [UInt8] {
    var page = base
    unsafe page.withUnsafeMutableBytes { unsafe patch.apply(to: $0) }
    return page
  }

  private func changed(_ page: [UInt8], _ places: [Int]) -> [UInt8] {
    var page = page
    for place in places { page[place] ^= 0x55 }
    return page
  }

  @Test func aPatchMakesThePageOfItsBase() throws {
    var generator = SeededGenerator(seed: 5)
    let base = randomBytes(Self.pageSize, seed: 1)
    #expect(patch(base, base)?.encoded == [])
    for _ in 0..<300 {
      var page = base
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let start = Int.random(in: 0..<Self.pageSize, using: &generator)
        let end = min(Self.pageSize, start + Int.random(in: 1...120, using: &generator))
        page.replaceSubrange(start..<end, with: randomBytes(end - start, seed: generator.next()))
      }
      let made = try #require(patch(base, page))
      #expect(made.encoded.count <= PagePatch.maximumSize)
      #expect(applied(made, base) == page)
      #expect(try PagePatch(decoding: made.encoded) == made)
    }
    #expect(patch(base, randomBytes(Self.pageSize, seed: 2)) == nil)
  }

  @Test func rangesOutsideThePageAreRefused() throws {
    for bytes: [UInt8] in [[0], [0, 0, 1, 0], [255, 15, 2, 0, 7, 7], [0, 16, 1, 0, 7], [255, 255, 255, 255]] {
      #expect(throws: ByteReader.Truncated.self) { try PagePatch(decoding: bytes) }
    }
    #expect(applied(try PagePatch(decoding: [255, 15, 1, 0, 7]), [UInt8](repeating: 0, count: 4096)).last == 7)
  }

  @Test func smallChangesTakeLittleOfTheLogAndAreReadAgain() throws {
    let test = TestSpace()
    var expected = page(1, version: 1)
    let second = page(2, version: 1)
    try test.space.commit([1: expected, 2: second], pageCount: 2)
    for round in 0..<20 {
      let before = test.space.unflushedBytes
      expected = changed(expected, [40 * round, 4095 - round])
      try test.space.commit([1: expected], pageCount: 2)
      #expect(test.space.unflushedBytes - before < 700)
      #expect(try test.space.pageBytes(1) == expected)
    }
    try test.space.barrier()
    try test.reopenAfterKill()
    #expect(try test.space.pageBytes(1) == expected)
    // The first commit begins an epoch, the next one writes in full what its head had to state patches for.
    try test.space.commit([2: changed(second, [7])], pageCount: 2)
    #expect(test.space.patched.patches.count == 1)
    try test.space.commit([2: changed(second, [7])], pageCount: 2)
    #expect(test.space.patched.patches.isEmpty)
    #expect(try test.space.pageBytes(1) == expected)
    #expect(try test.space.pageBytes(2) == changed(second, [7]))
    #expect(test.space.verify(readData: true) == [])
  }

  @Test func aHeadStatesThePatches() throws {
    let test = TestSpace()
    let base = page(1, version: 1)
    try test.space.commit([1: base], pageCount: 1)
    try test.space.commit([1: changed(base, [1, 2000])], pageCount: 1)
    #expect(test.space.patched.patches.count == 1)
    try test.space.advanceEpoch()
    try test.reopenAfterKill()
    #expect(test.space.patched.patches.count == 1)
    #expect(try test.space.pageBytes(1) == changed(base, [1, 2000]))
    try test.space.close()
    #expect(try test.vault.openSpace(test.body).pageBytes(1) == changed(base, [1, 2000]))
  }

  @Test func movingAPageLetsItsBaseGo() throws {
    let test = TestSpace()
    let base = page(1, version: 1)
    try test.space.commit([1: base], pageCount: 1)
    let old = try #require(test.space.segments().first { $0.databasePages > 0 }).number
    try test.space.commit([1: changed(base, [1])], pageCount: 1)
    try test.space.advanceEpoch()
    #expect(test.space.databasePages(in: old) == [PageNumber(rawValue: 1)])
    test.space.rewritePagesAtNextCommit([PageNumber(rawValue: 1)])
    try test.space.commit([1: changed(base, [1, 2])], pageCount: 1)
    #expect(test.space.databasePages(in: old) == [])
    #expect(test.space.patched.patches.isEmpty)
    #expect(try test.space.pageBytes(1) == changed(base, [1, 2]))
  }

  @Test func aPageThatComesBackIsWrittenInFull() throws {
    let test = TestSpace()
    let base = page(3, version: 1)
    try test.space.commit([1: page(1, version: 1), 2: page(2, version: 1), 3: base], pageCount: 3)
    try test.space.commit([3: changed(base, [9])], pageCount: 3)
    try test.space.commit([1: page(1, version: 2)], pageCount: 1)
    try test.space.commit([2: page(2, version: 3), 3: changed(base, [8])], pageCount: 3)
    #expect(try test.space.pageBytes(3) == changed(base, [8]))
    try test.space.barrier()
    try test.reopenAfterKill()
    #expect(try test.space.pageBytes(3) == changed(base, [8]))
  }

  @Test func patchesStayFew() throws {
    let test = TestSpace()
    let count: UInt32 = 300
    var pages: [UInt32: [UInt8]] = [:]
    for number in 1...count { pages[number] = page(number, version: 1) }
    try test.space.commit(pages, pageCount: count)
    var most = 0
    for round in 0..<3 {
      for number in 1...count {
        let next = changed(pages[number] ?? [], [round, 300 * round])
        pages[number] = next
        try test.space.commit([number: next], pageCount: count)
        let again = changed(next, [17])
        pages[number] = again
        try test.space.commit([number: again], pageCount: count)
        most = max(most, test.space.patched.patches.count)
      }
    }
    #expect(most > 8)
    #expect(most <= 66)
    try test.space.barrier()
    try test.reopenAfterKill()
    for number in 1...count { #expect(try test.space.pageBytes(number) == pages[number]) }
  }
}
