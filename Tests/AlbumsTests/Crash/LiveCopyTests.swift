import FaultyStorage
import Storage
import Testing
import Vault

@testable import Albums
@testable import Vault

/// Copies that are made file by file while the space is being written.
@Suite struct LiveCopyTests {
  private static let day: Int64 = 24 * 3600

  @Test func everyCopyOfALiveVaultMountsAtARecentState() throws {
    var cases = CaseCount("live copies")
    for seed in TestLength.seeds(3) {
      let storage = FaultyStorage()
      storage.record()
      // Whatever takes less than the window is a copy; the workload takes a few seconds.
      let work = try Workload(storage: storage, seed: seed, copyWindow: Self.day)
      try work.run(60)
      work.abandon()
      var generator = SeededGenerator(seed: seed)
      for number in 1...40 {
        try copy(work, number, &generator, "seed \(seed), copy \(number)")
        cases.add()
      }
    }
    #expect(cases.count >= 100)
  }

  /// Copies from one operation to a later one, some files at each in between; sometimes an interrupted copy is completed after more time.
  private func copy(_ work: Workload, _ number: Int, _ generator: inout SeededGenerator, _ label: String) throws {
    let comment = Comment(rawValue: label)
    let first = try #require(work.promises.first).operation + 1
    let last = work.storage.operationCount
    let start = Int.random(in: first..<last, using: &generator)
    let copy = FaultyStorage()
    let player = TapePlayer(work.storage.recording)
    player.wind(to: start)
    var end = start
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      // Each pass lists all files first, as rsync does, and takes those it does not have in full.
      var waiting = player.names.filter { copy.content($0) != player.content($0) }
      switch number % 3 {
      case 0: waiting.shuffle(using: &generator)
      case 1: waiting.sort { $0.description < $1.description }
      default: waiting.reverse()
      }
      for name in waiting {
        if let content = player.content(name) { copy.place(content, as: name) }
        end = min(last, end + Int.random(in: 0...12, using: &generator))
        player.wind(to: end)
      }
    }
    let vault = Vault(storage: copy, parameters: work.vault.parameters)
    let space = try vault.openSpace(work.body, readOnly: true, copyWindow: 0)
    #expect(space.recoveryWarning == nil, comment)
    let problems = Checker.check(space, readData: true).problems
    #expect(problems == [], comment)
    let files = try FileSystem(space: space, options: Workload.options(readOnly: true))
    let tree = try Tree(of: files)
    // A commit that was promised when the copy began, or any later one that had begun when it ended.
    let promised = try #require(work.promises.last { $0.operation < start }).step
    let begun = work.begun.lastIndex { $0 < end } ?? 0
    let isRecent = work.trees[promised...max(promised, begun)].contains(tree)
    let isPrefix = work.trees.contains(tree)
    #expect(isPrefix, comment)
    #expect(isRecent, comment)
    try files.close()
  }
}
