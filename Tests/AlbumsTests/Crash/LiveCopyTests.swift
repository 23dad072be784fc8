import AlbumsSupport
import FaultyStorage
import Storage
import TestSupport
import Testing

@testable import Albums
@testable import Vault

/// Copies that are made file by file while the space is being written.
@Suite struct LiveCopyTests {
  private static let day: Int64 = 24 * 3600
  /// Copies of a history in a sample.
  private static let few = 10

  @Test func everyCopyOfALiveVaultMountsAtARecentState() throws {
    var cases = CaseCount("live copies")
    for seed in TestLength.seeds(3, few: 1) {
      let storage = FaultyStorage()
      storage.record()
      // Whatever takes less than the window is a copy; the workload takes a few seconds.
      let work = try Workload(storage: storage, seed: seed, copyWindow: Self.day)
      try work.run(60)
      work.abandon()
      var generator = SeededGenerator(seed: seed)
      for number in TestLength.sample(1...40, Self.few, name: "\(seed)") {
        try copy(work, number, &generator, "seed \(seed), copy \(number)")
        cases.add()
      }
    }
    #expect(TestLength.isWhole ? cases.count >= 100 : cases.count == Self.few)
  }

  /// As `cp -r` does it, which looks at what is in a folder when it comes there: a segment may be copied while it is
  /// short, and the one after it, which began later, in full; or be missed, while a later head is not.
  @Test(arguments: [0, 124]) func everyCopyThatIsListedWhileItIsMadeIsAPrefix(ownFiles: Int) throws {
    var cases = CaseCount("live copies, listed on the way")
    var (unfinished, deleted) = (0, 0)
    for seed in TestLength.seeds(3, few: 1) {
      let storage = FaultyStorage()
      storage.record()
      let work = try Workload(storage: storage, seed: seed, ownFiles: ownFiles, copyWindow: Self.day)
      try work.run(60)
      work.abandon()
      deleted += storage.deletionCount
      var generator = SeededGenerator(seed: seed &+ 77)
      for number in TestLength.sample(1...40, Self.few, name: "\(ownFiles) \(seed)") {
        if try lazyCopy(work, &generator, "seed \(seed), copy \(number)") { unfinished += 1 }
        cases.add()
      }
    }
    #expect(TestLength.isWhole ? cases.count >= 100 : cases.count == Self.few)
    // Otherwise nothing was tried that the other test does not try.
    #expect(unfinished > 0 || !TestLength.isWhole)
    #expect(ownFiles == 0 || deleted > (TestLength.isWhole ? 30 : 0))
  }

  /// Gives whether the copy lacks something of its newest state.
  private func lazyCopy(_ work: Workload, _ generator: inout SeededGenerator, _ label: String) throws -> Bool {
    let first = try #require(work.promises.first).operation + 1
    let last = work.storage.operationCount
    let start = Int.random(in: first..<last, using: &generator)
    let copy = FaultyStorage()
    let player = TapePlayer(work.storage.recording)
    player.wind(to: start)
    var end = start
    for folder in (0..<256).shuffled(using: &generator) {
      for name in player.names where name.folder == folder {
        guard let content = player.content(name) else { continue }
        copy.place(content, as: name)
        end = min(last, end + Int.random(in: 0...40, using: &generator))
      }
      player.wind(to: end)
    }
    return try expectPrefix(copy, of: work, from: start, to: end, mayLackTheNewest: true, label)
  }

  /// Copies from one operation to a later one, some files at each in between; sometimes an interrupted copy is
  /// completed after more time.
  private func copy(_ work: Workload, _ number: Int, _ generator: inout SeededGenerator, _ label: String) throws {
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
    _ = try expectPrefix(copy, of: work, from: start, to: end, label)
  }

  /// How the files of a copy follow each other.
  enum Order: CaseIterable { case listed, reversed, random }

  /// A history of four days in which something is done all the time, segments are cleaned away and epochs begun; copies
  /// of it take up to 23 hours.
  @Test func everyCopyThatTakesHoursMountsAtARecentState() throws {
    var cases = CaseCount("live copies over hours")
    for seed in TestLength.seeds(2, few: 1) {
      let clock = ManualClock()
      let storage = FaultyStorage()
      storage.record()
      let work = try Workload(storage: storage, seed: seed, copyWindow: Self.day, clock: { clock.now })
      /// Times, each with the operations so far.
      var history: [(time: Int64, operation: Int)] = []
      var generator = SeededGenerator(seed: seed &+ 1000)
      while clock.now < 1_700_000_000 + 4 * Self.day {
        try work.habit()
        if Int.random(in: 0..<4, using: &generator) == 0 { try work.clean() }
        clock.advance(Int64.random(in: 60...4000, using: &generator))
        history.append((clock.now, storage.operationCount))
      }
      work.abandon()
      for order in Order.allCases {
        for number in TestLength.sample(0..<12, 4, name: "\(order) \(seed)") {
          let hours = Int64([1, 5, 12, 18, 23][number % 5]) * 3600
          try longCopy(work, history, order, hours, &generator, "seed \(seed), \(order) \(number), \(hours / 3600) h")
          cases.add()
        }
      }
      // It is no history in which everything stays.
      let player = TapePlayer(storage.recording)
      player.wind(to: history[history.count / 2].operation)
      let half = Set(player.names)
      player.wind(to: storage.operationCount)
      #expect(half.subtracting(player.names).count > 4)
    }
    #expect(TestLength.isWhole ? cases.count >= 72 : cases.count == 4 * Order.allCases.count)
  }

  /// Copies file by file, at moments that are spread over a time.
  private func longCopy(
    _ work: Workload, _ history: [(time: Int64, operation: Int)], _ order: Order, _ duration: Int64,
    _ generator: inout SeededGenerator, _ label: String
  ) throws {
    let firstTime = history[0].time + 3600
    let start = Int64.random(in: firstTime..<history[history.count - 1].time - duration, using: &generator)
    func operation(at time: Int64) -> Int { history.last { $0.time <= time }?.operation ?? 0 }
    let begin = operation(at: start)
    let copy = FaultyStorage()
    let player = TapePlayer(work.storage.recording)
    player.wind(to: begin + 1)
    // All are listed first, as rsync does; those that come later are not seen.
    var waiting = player.names
    switch order {
    case .listed: waiting.sort { $0.description < $1.description }
    case .reversed: waiting.sort { $0.description > $1.description }
    case .random: waiting.shuffle(using: &generator)
    }
    // Some are read late, and most of the time goes by for a few.
    var moments = waiting.map { _ in Int64.random(in: 0..<duration, using: &generator) }.sorted()
    if Bool.random(using: &generator) { moments = moments.map { $0 * $0 / duration } }
    var end = begin
    for (name, moment) in zip(waiting, moments) {
      end = max(end, operation(at: start + moment))
      player.wind(to: end + 1)
      if let content = player.content(name) { copy.place(content, as: name) }
    }
    _ = try expectPrefix(copy, of: work, from: begin + 1, to: end + 1, label)
  }

  /// Opens a copy that was made between two operations and looks at everything in it. Gives whether it lacks something
  /// of its newest state.
  private func expectPrefix(
    _ copy: FaultyStorage, of work: Workload, from start: Int, to end: Int, mayLackTheNewest: Bool = false,
    _ label: String
  ) throws -> Bool {
    let vault = Vault(storage: copy, parameters: work.vault.parameters)
    // The password that opened it may have changed since; the space is the same.
    let space = try vault.openSpace(work.body, copyWindow: 0)
    let comment: Comment = "\(label), \(space.origin)"
    #expect(mayLackTheNewest || !space.origin.isUnfinishedCopy, comment)
    // Of a file that was copied before a part of it was written it is not known that this is no damage.
    if !mayLackTheNewest || space.origin.isUnfinishedCopy {
      #expect(space.origin.isUnfinishedCopy == (space.origin.warning != nil), comment)
    }
    #expect((space.origin.warning == nil) == space.gate.isOpen, comment)
    #expect(Checker.check(space, readData: true).problems == [], comment)
    work.expectBystander(work.bystander, in: copy, comment)
    let files = try Workload.mount(space, readOnly: true)
    let tree = try Tree(of: files)
    // A commit that was promised when the copy began, or any later one that had begun when it ended.
    let promised = try #require(work.promises.last { $0.operation < start }).step
    let begun = work.begun.lastIndex { $0 < end } ?? 0
    let isRecent = work.trees[promised...max(promised, begun)].contains(tree)
    let isPrefix = work.trees.contains(tree)
    #expect(isPrefix, comment)
    #expect(isRecent, comment)
    try files.close()
    return space.origin.isUnfinishedCopy
  }
}
