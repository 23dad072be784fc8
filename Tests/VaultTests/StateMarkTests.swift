import FaultyStorage
import Storage
import Testing

@testable import Vault

/// What a machine remembers of a space, against the states that it meets later.
@Suite struct StateMarkTests {
  private func commit(_ versions: ClosedRange<Int>, to space: Space) throws {
    for version in versions { try space.commit([1: page(1, version: version)], pageCount: 1) }
  }

  private func opened(_ test: TestSpace, _ storage: FaultyStorage) throws -> Space {
    try test.vault(over: storage).openSpace(test.body, copyWindow: 0)
  }

  @Test func laterStatesAreCurrentAndEarlierOnesOlder() throws {
    let test = TestSpace()
    var copies: [FaultyStorage] = []
    var marks: [StateMark] = []
    // Within an epoch, at the start of one that no commit is in, and after a mount.
    for round in 0..<4 {
      try commit(1...2, to: test.space)
      marks.append(try test.space.durableMark())
      copies.append(test.storage.copy())
      try test.space.advanceEpoch()
      marks.append(try test.space.durableMark())
      copies.append(test.storage.copy())
      if round == 1 { try test.reopenAfterKill() }
    }
    try test.space.close()
    marks.append(test.space.mark)
    copies.append(test.storage.copy())
    #expect(Set(marks.map(\.sequence)).count > 4)
    for (number, copy) in copies.enumerated() {
      let space = try opened(test, copy)
      for (other, mark) in marks.enumerated() {
        #expect(space.standing(to: mark) == (other > number ? .older : .current), "state \(number), mark \(other)")
      }
    }
  }

  @Test func everyCrashAfterAMarkLeavesACurrentState() throws {
    let storage = FaultyStorage()
    storage.record()
    let test = TestSpace(storage: storage)
    var marks: [(operation: Int, mark: StateMark)] = []
    for version in 1...12 {
      try commit(version...version, to: test.space)
      let mark = try test.space.durableMark()
      marks.append((storage.operationCount, mark))
      if version % 4 == 0 { try test.space.advanceEpoch() }
    }
    var count = 0
    let player = TapePlayer(storage.recording)
    let first = try #require(marks.first).operation
    for operation in first + 1...storage.operationCount {
      player.wind(to: operation)
      for seed in UInt64(0)..<3 {
        let space = try opened(test, player.cut(.mixed(seed: seed), seed: seed))
        for mark in marks where mark.operation < operation {
          #expect(space.standing(to: mark.mark) == .current, "operation \(operation), seed \(seed)")
          count += 1
        }
      }
    }
    #expect(count > 100)
  }

  @Test(arguments: [1, 2, 9])
  func aStateThatWentOnElsewhereIsFound(_ commits: Int) throws {
    let test = TestSpace()
    try commit(1...3, to: test.space)
    try test.space.close()
    let elsewhere = test.storage.copy()

    let here = try opened(test, test.storage)
    try commit(4...5, to: here)
    let mark = try here.durableMark()
    let other = try opened(test, elsewhere)
    try commit(4...3 + commits, to: other)
    try other.sync()
    // Fewer commits than were seen, as many, or more.
    #expect(other.standing(to: mark) == .branchedOff)
    try other.close()
    #expect(try opened(test, elsewhere).standing(to: mark) == .branchedOff)
    #expect(here.standing(to: mark) == .current)
  }

  @Test func aRecordSaysNothingWithoutTheKey() throws {
    let test = TestSpace()
    try commit(1...3, to: test.space)
    let mark = try test.space.durableMark()
    let record = test.space.record(of: mark)
    #expect(test.space.mark(ofRecord: record) == mark)
    #expect(test.space.record(of: mark) != record)
    try test.space.close()
    #expect(test.space.record(of: test.space.mark).count == record.count)
    let name = test.space.recordName
    #expect(try opened(test, test.storage.copy()).recordName == name)
    #expect(!test.storage.names.contains { $0.description == name })

    let other = TestSpace()
    #expect(other.space.mark(ofRecord: record) == nil)
    #expect(other.space.recordName != name)
    for index in record.indices {
      var damaged = record
      damaged[index] ^= 1
      #expect(test.space.mark(ofRecord: damaged) == nil)
    }
    #expect(test.space.mark(ofRecord: []) == nil)
    #expect(test.space.mark(ofRecord: record + [0]) == nil)
  }
}
