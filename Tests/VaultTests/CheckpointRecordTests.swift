import FaultyStorage
import Storage
import Testing

@testable import Vault

/// Records of how far a space has come, compared with later states.
@Suite struct CheckpointRecordTests {
  private let test = TestSpace()

  private func commit(_ versions: ClosedRange<Int>, to space: Space) throws {
    for version in versions { try space.commit([1: page(1, version: version)], pageCount: 1) }
  }

  private func opened(_ test: TestSpace, _ storage: FaultyStorage) throws -> Space {
    try test.vault(over: storage).openSpace(test.body, copyWindow: 0)
  }

  @Test func laterStatesAreCurrentAndEarlierOnesOlder() throws {
    var states: [(checkpoint: CheckpointRecord, copy: FaultyStorage)] = []
    // Within an epoch, at the start of one that no commit is in, and after a mount.
    for round in 0..<4 {
      try commit(1...2, to: test.space)
      states.append((try test.space.durableCheckpoint(), test.storage.copy()))
      try test.space.advanceEpoch()
      states.append((try test.space.durableCheckpoint(), test.storage.copy()))
      if round == 1 { try test.reopenAfterKill() }
    }
    try test.space.close()
    states.append((test.space.checkpoint, test.storage.copy()))
    #expect(Set(states.map { $0.checkpoint.sequence }).count > 4)
    for (number, copy) in states.map({ $0.copy }).enumerated() {
      let space = try opened(test, copy)
      for (other, checkpoint) in states.map({ $0.checkpoint }).enumerated() {
        let expected: RollbackStatus = other > number ? .older : .current
        #expect(space.rollbackStatus(since: checkpoint) == expected, "state \(number), checkpoint \(other)")
      }
    }
  }

  @Test func everyCrashAfterACheckpointLeavesACurrentState() throws {
    let storage = FaultyStorage()
    storage.record()
    let test = TestSpace(storage: storage)
    var checkpoints: [(operation: Int, checkpoint: CheckpointRecord)] = []
    for version in 1...12 {
      try commit(version...version, to: test.space)
      let checkpoint = try test.space.durableCheckpoint()
      checkpoints.append((storage.operationCount, checkpoint))
      if version % 4 == 0 { try test.space.advanceEpoch() }
    }
    var count = 0
    let player = TapePlayer(storage.recording)
    let first = try #require(checkpoints.first).operation
    for operation in first + 1...storage.operationCount {
      player.wind(to: operation)
      for seed in UInt64(0)..<3 {
        let space = try opened(test, player.cut(.mixed(seed: seed), seed: seed))
        for checkpoint in checkpoints where checkpoint.operation < operation {
          let status = space.rollbackStatus(since: checkpoint.checkpoint)
          #expect(status == .current, "operation \(operation), seed \(seed)")
          count += 1
        }
      }
    }
    #expect(count > 100)
  }

  @Test(arguments: [1, 2, 9])
  func aStateThatWentOnElsewhereIsFound(_ commits: Int) throws {
    try commit(1...3, to: test.space)
    try test.space.close()
    let elsewhere = test.storage.copy()

    let here = try opened(test, test.storage)
    try commit(4...5, to: here)
    let checkpoint = try here.durableCheckpoint()
    let other = try opened(test, elsewhere)
    try commit(4...3 + commits, to: other)
    try other.sync()
    // Fewer commits than were seen, as many, or more.
    #expect(other.rollbackStatus(since: checkpoint) == .diverged)
    try other.close()
    #expect(try opened(test, elsewhere).rollbackStatus(since: checkpoint) == .diverged)
    #expect(here.rollbackStatus(since: checkpoint) == .current)
  }

  @Test func aRecordSaysNothingWithoutTheKey() throws {
    try commit(1...3, to: test.space)
    let checkpoint = try test.space.durableCheckpoint()
    let record = test.space.record(of: checkpoint)
    #expect(test.space.checkpoint(fromRecord: record) == checkpoint)
    #expect(test.space.record(of: checkpoint) != record)
    try test.space.close()
    #expect(test.space.record(of: test.space.checkpoint).count == record.count)
    let name = test.space.recordName
    #expect(try opened(test, test.storage.copy()).recordName == name)
    #expect(!test.storage.names.contains { $0.description == name })

    let other = TestSpace()
    #expect(other.space.checkpoint(fromRecord: record) == nil)
    #expect(other.space.recordName != name)
    for index in record.indices {
      var damaged = record
      damaged[index] ^= 1
      #expect(test.space.checkpoint(fromRecord: damaged) == nil)
    }
    #expect(test.space.checkpoint(fromRecord: []) == nil)
    #expect(test.space.checkpoint(fromRecord: record + [0]) == nil)
  }
}
